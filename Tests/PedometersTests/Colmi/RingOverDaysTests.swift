import StepDomain
import Testing

@testable import Pedometers

/// The steps of several days with clock changes are stored: none is lost, none counts twice.
@Suite(.timeLimit(.minutes(5))) struct RingOverDaysTests {
    private func moment(_ day: String, _ hour: Double, offset: Int = 0) throws -> Timestamp {
        let day = try #require(Day(day))
        return Timestamp(day.daysSince1970 * 86_400 + Int(hour * 3600) - offset)
    }

    private func expectAllOnce(_ ring: WornRing, _ location: SourceLocation = #_sourceLocation) {
        #expect(ring.total == ring.walked, sourceLocation: location)
    }

    @Test func `clocks set back in autumn do not count steps twice`() throws {
        // Berlin, 2026-10-25: +2 until 01:00 UTC, then +1. The ring's clock is set at the sync of 09:00.
        let change = try moment("2026-10-25", 1)
        var ring = WornRing(clockOffset: 7200, LocalTime { $0 < change ? 7200 : 3600 })
        ring.sync(at: try moment("2026-10-24", 18, offset: 7200))
        ring.walk(1000, at: try moment("2026-10-25", 8, offset: 3600))
        ring.walk(1100, at: try moment("2026-10-25", 8.3, offset: 3600))
        ring.sync(at: try moment("2026-10-25", 9, offset: 3600))
        expectAllOnce(ring)
        ring.walk(500, at: try moment("2026-10-25", 9.1, offset: 3600))  // into a slot that has steps already
        ring.sync(at: try moment("2026-10-25", 12, offset: 3600))
        expectAllOnce(ring)
        ring.sync(at: try moment("2026-10-26", 12, offset: 3600))
        expectAllOnce(ring)
    }

    /// A sync that did not get all of an older day puts the clock back: the content of today's slots must still be
    /// known.
    @Test func `clocks set back by an incomplete sync do not count steps twice`() throws {
        let change = try moment("2026-10-25", 1)
        var ring = WornRing(clockOffset: 7200, LocalTime { $0 < change ? 7200 : 3600 })
        ring.walk(700, at: try moment("2026-10-24", 10, offset: 7200))
        ring.walk(700, at: try moment("2026-10-24", 11, offset: 7200))
        ring.sync(at: try moment("2026-10-24", 18, offset: 7200))
        ring.walk(1000, at: try moment("2026-10-25", 8, offset: 3600))
        ring.walk(1100, at: try moment("2026-10-25", 8.3, offset: 3600))
        ring.sync(at: try moment("2026-10-25", 9, offset: 3600), losing: 1)
        ring.walk(500, at: try moment("2026-10-25", 9.1, offset: 3600))
        ring.sync(at: try moment("2026-10-25", 12, offset: 3600))
        expectAllOnce(ring)
    }

    /// The clock jumps over midnight: the time that it never showed leaves no gap.
    @Test func `a journey east across midnight leaves no gap`() throws {
        var ring = WornRing(clockOffset: -5 * 3600, .fixed(-5 * 3600))
        let landing = try moment("2026-03-20", 2.5)
        ring.walk(300, at: try moment("2026-03-19", 15))
        ring.sync(at: try moment("2026-03-19", 20))
        ring.localTime = .fixed(3600)
        ring.sync(at: landing)
        for hour in 8..<20 { ring.walk(200, at: try moment("2026-03-20", Double(hour))) }
        ring.sync(at: try moment("2026-03-21", 9))
        expectAllOnce(ring)
        let after = TimeSpan(landing, try moment("2026-03-20", 22))
        #expect(Coverage(ring.coverage).gaps(in: after) == [])
    }

    @Test func `a journey west does not count steps twice`() throws {
        var ring = WornRing(clockOffset: 7200, .fixed(7200))
        ring.sync(at: try moment("2026-05-20", 4))
        for hour in 5..<16 { ring.walk(450, at: try moment("2026-05-20", Double(hour))) }
        ring.sync(at: try moment("2026-05-20", 15.5))
        ring.localTime = .fixed(-4 * 3600)
        ring.sync(at: try moment("2026-05-20", 16))
        expectAllOnce(ring)
        for hour in 17..<22 { ring.walk(300, at: try moment("2026-05-20", Double(hour))) }
        ring.sync(at: try moment("2026-05-20", 22))
        expectAllOnce(ring)
        ring.sync(at: try moment("2026-05-21", 20))
        expectAllOnce(ring)
    }

    @Test func `steps count once if another program sets UTC every day`() throws {
        let offset = -4 * 3600
        var ring = WornRing(clockOffset: offset, .fixed(offset))
        ring.sync(at: try moment("2026-05-18", 23, offset: offset))
        for day in ["2026-05-19", "2026-05-20", "2026-05-21"] {
            ring.clockOffset = 0
            for hour in 7..<11 { ring.walk(500, at: try moment(day, Double(hour), offset: offset)) }
            ring.sync(at: try moment(day, 11, offset: offset))
            #expect(ring.notices == [.clockWasOff(seconds: 4 * 3600)])
            expectAllOnce(ring)
            for hour in 12..<20 { ring.walk(250, at: try moment(day, Double(hour), offset: offset)) }
            ring.sync(at: try moment(day, 21, offset: offset))
            #expect(ring.notices == [])
            expectAllOnce(ring)
        }
    }

    @Test(arguments: [40, -40, 0])
    func `a sync at midnight skips no day`(ahead: Int) throws {
        var ring = WornRing(clockOffset: 3600 + ahead, .fixed(3600))
        ring.sync(at: try moment("2026-05-19", 12, offset: 3600))
        ring.clockOffset = 3600 + ahead
        ring.walk(2500, at: try moment("2026-05-19", 20, offset: 3600))
        ring.walk(2500, at: try moment("2026-05-19", 20.5, offset: 3600))
        ring.walk(3010, at: try moment("2026-05-20", 18, offset: 3600))
        // Half a minute before midnight; with slow answers the sync passes midnight.
        ring.sync(at: try moment("2026-05-20", 23.9917, offset: 3600), slow: ahead == 0 ? 20 : 0)
        ring.walk(700, at: try moment("2026-05-20", 23.9999, offset: 3600))
        ring.sync(at: try moment("2026-05-21", 12, offset: 3600))
        expectAllOnce(ring)
    }

    @Test func `a sync just after midnight covers no unread day`() throws {
        var ring = WornRing(clockOffset: 3600 - 60, .fixed(3600))
        ring.sync(at: try moment("2026-05-19", 12, offset: 3600))
        ring.clockOffset = 3600 - 60
        ring.walk(1000, at: try moment("2026-05-20", 12, offset: 3600))
        ring.sync(at: try moment("2026-05-21", 0.005, offset: 3600))
        let day = TimeSpan(try moment("2026-05-21", 0.25, offset: 3600), try moment("2026-05-22", 0, offset: 3600))
        #expect(!ring.coverage.contains { $0.overlaps(day) })
        expectAllOnce(ring)
    }

    @Test func `a sync with the machine's clock ahead loses no days`() throws {
        var ring = WornRing(clockOffset: 0, .fixed(0))
        ring.sync(at: try moment("2026-05-17", 12))
        ring.walk(3000, at: try moment("2026-05-18", 12))
        ring.walk(2000, at: try moment("2026-05-19", 12))
        ring.sync(at: try moment("2027-05-19", 13))  // a year ahead: nothing of this is within reach
        ring.clockOffset = 0
        ring.walk(500, at: try moment("2026-05-19", 18))
        ring.sync(at: try moment("2026-05-20", 12))
        expectAllOnce(ring)
    }

    // MARK: Slots seen before their time

    /// This machine's clock jumps a day ahead in a sync that sets the ring's clock by it; then it is right again, and
    /// so is the ring's after the next sync.
    @Test func `steps that the ring stored under the next day are not counted when that day comes`() throws {
        var ring = WornRing(clockOffset: 0, .fixed(0))
        ring.sync(at: try moment("2026-05-18", 12))
        ring.clockOffset = 86_400
        ring.walk(700, at: try moment("2026-05-18", 14))
        ring.sync(at: try moment("2026-05-18", 15))
        #expect(ring.clockOffset == 0)
        #expect(ring.notices.contains(.implausible(samples: 1)))
        #expect(ring.notices.contains { if case .clockWasOff(let seconds?) = $0 { seconds > 80_000 } else { false } })
        ring.walk(300, at: try moment("2026-05-19", 10))
        for hour in [12, 13.9, 14.05] { ring.sync(at: try moment("2026-05-19", hour)) }
        #expect(ring.total == 300 && ring.notices == [])
        ring.walk(200, at: try moment("2026-05-19", 14.1))  // into the slot that has 700
        ring.sync(at: try moment("2026-05-19", 16))
        #expect(ring.total == 500 && ring.notices == [])
        ring.sync(at: try moment("2026-05-20", 12))
        #expect(ring.total == 500)
    }

    /// A board without a battery starts with the time at which it was switched off, and may sync before a time server
    /// has set its clock.
    @Test func `steps that are in the future of a clock that may be behind are counted later`() throws {
        var ring = WornRing(clockOffset: 0, .fixed(0))
        ring.sync(at: try moment("2026-05-18", 11))
        ring.walk(700, at: try moment("2026-05-18", 14))
        ring.isClockTrusted = false
        ring.sync(at: try moment("2026-05-18", 12))  // it is later
        #expect(ring.total == 0 && ring.notices.contains(.implausible(samples: 1)))
        ring.isClockTrusted = true
        ring.sync(at: try moment("2026-05-18", 16))
        #expect(ring.total == 700 && ring.notices == [])
    }

    /// The same clock was ahead before, and has set the ring: this is known.
    @Test func `steps of a ring that was set ahead are not counted, whether the clock is trusted or not`() throws {
        var ring = WornRing(clockOffset: 0, .fixed(0))
        ring.isClockTrusted = false
        ring.sync(at: try moment("2026-05-19", 12))
        ring.walk(700, at: try moment("2026-05-19", 13))
        ring.clockOffset = 86_400  // the clock is put right: the ring is a day ahead of it
        ring.sync(at: try moment("2026-05-18", 14))
        #expect(ring.clockOffset == 0 && ring.notices.contains(.implausible(samples: 1)))
        ring.sync(at: try moment("2026-05-19", 14))
        #expect(ring.total == 0)
    }

    /// The whole journey: the sync whose clock is ahead leaves the ring's day as one to be requested again, so it is
    /// not the first one that the next sync requests.
    @Test(arguments: [true, false]) func `a ring that a sync has set ahead is asked for its own today`(
        isClockTrusted: Bool
    ) throws {
        var ring = WornRing(clockOffset: 0, .fixed(0))
        ring.isClockTrusted = isClockTrusted
        ring.walk(100, at: try moment("2026-05-16", 9))
        ring.walk(200, at: try moment("2026-05-17", 9))
        ring.sync(at: try moment("2026-05-18", 12))
        ring.clockOffset = -86_400  // this machine's clock jumps a day ahead
        ring.sync(at: try moment("2026-05-19", 12))
        #expect(ring.clockOffset == 0)
        ring.walk(700, at: try moment("2026-05-19", 12.1))
        ring.clockOffset = 86_400  // and back
        ring.sync(at: try moment("2026-05-18", 12.2))
        #expect(ring.clockOffset == 0 && ring.notices.contains(.implausible(samples: 1)), "\(ring.notices)")
        ring.sync(at: try moment("2026-05-19", 12.7))
        #expect(ring.total == 300)
    }

    /// The sync that sees them ends before its last day, and sets no clock.
    @Test func `steps that a sync without an end has seen before their time are not counted either`() throws {
        let day = try #require(Day("2026-05-18")).daysSince1970
        var ring = WornRing(clockOffset: 0, .fixed(0))
        ring.sync(at: try moment("2026-05-17", 12))
        ring.walk(100, at: try moment("2026-05-18", 9))
        ring.clockOffset = 86_400
        ring.walk(700, at: try moment("2026-05-18", 14))
        ring.faults[day] = (.dropsLink, 1)
        ring.sync(at: try moment("2026-05-18", 15))
        #expect(ring.clockOffset == 86_400 && ring.stored.isEmpty)
        ring.sync(at: try moment("2026-05-19", 15))
        #expect(ring.total == 100)
    }
}
