import StepDomain
import Testing

@testable import Pedometers

/// The clock of a ring, and the times of its slots.
@Suite(.timeLimit(.minutes(5))) struct ColmiClockTests: RingWeek {
    @Test func `a ring clock on UTC is reported and the times are corrected`() throws {
        // New York, UTC−4, 12:30: the ring on UTC shows 16:30 and has a slot of 16:15.
        let offset = -4 * 3600
        let now = Timestamp(today * 86_400 + 12 * 3600 + 1800 - offset)
        var ring = RingScript(today: today)
        ring.history[today] = [(65, 300)]
        let outcome = ring.play(context(offset: offset, days: 1), at: now)
        #expect(outcome.report?.notices == [.clockWasOff(seconds: 4 * 3600)])
        let sample = try #require(outcome.samples.first)
        #expect(sample.start == Timestamp(today * 86_400 + 65 * 900))
        #expect(sample.utcOffset == offset)
    }

    @Test func `new steps in a finished slot mean that the clock was wrong`() {
        // Last read at 12:30; the ring was then put to UTC and stepped at "10:35".
        let wall = today * 86_400 + 33 * 900
        let cursor = PedometerCursor(
            readThrough: now, tail: [WallSlot(wall: wall, start: Timestamp(wall - berlin), steps: 100)])
        var ring = RingScript(today: today)
        ring.history[today] = [(33, 100), (42, 60)]
        let outcome = ring.play(context(cursor), at: now + 300)
        #expect(outcome.report?.notices == [.clockWasOff(seconds: nil)])
        #expect(outcome.samples.map(\.steps) == [100, 60])
    }

    @Test func `an answer for another day is reported as a wrong clock`() {
        var ring = week
        ring.today = today - 2
        let outcome = ring.play(context(), at: now)
        #expect(outcome.report?.notices.first == .clockWasOff(seconds: -2 * 86_400))
    }

    @Test func `slots with implausible times are not stored as samples`() {
        var ring = RingScript(today: 11_000)  // the year 2000: the ring's battery was empty
        ring.history[11_000] = [(33, 100)]
        let outcome = ring.play(context(days: 1), at: now)
        #expect(outcome.samples.isEmpty)
        #expect(outcome.report?.notices.contains(.implausible(samples: 1)) == true)
    }

    /// The bytes were captured from a real R02 (tests of colmi_r02_client): its slots begin on the hour.
    @Test func `captured slots of a ring that counts by the hour are stored as hours`() {
        let captured = [
            "43 F0 05 01 00 00 00 00 00 00 00 00 00 00 00 39", "43 23 08 13 10 00 05 C8 00 30 00 1B 00 00 00 A9",
            "43 23 08 13 14 01 05 B6 18 AA 04 69 03 00 00 83", "43 23 08 13 18 02 05 38 04 E1 00 95 00 00 00 52",
            "43 23 08 13 1C 03 05 05 02 6C 00 48 00 00 00 60", "43 23 08 13 4C 04 05 EF 01 63 00 44 00 00 00 6D",
        ].map(hex)
        let day = Day("2023-08-13")!.daysSince1970
        var ring = RingScript(today: day)
        ring.mangle = { request, _, answer in request[0] == 0x43 && request[1] == 0 ? captured : answer }
        let outcome = ring.play(context(), at: Timestamp(day * 86_400 + 22 * 3600 - berlin))
        #expect(outcome.samples.map(\.length) == Array(repeating: 3600, count: 5))
        #expect(outcome.samples.map { ($0.start.seconds + berlin) % 86_400 / 3600 } == [4, 5, 6, 7, 19])
        #expect(outcome.samples.map(\.steps) == [48, 1194, 225, 108, 99])
    }

    @Test func `a ring that once sent slots of a quarter hour has such slots on all days`() {
        var ring = RingScript(today: today)
        ring.history[today] = [(33, 100), (36, 50)]
        ring.history[today - 1] = [(40, 200)]
        let outcome = ring.play(context(), at: now)
        #expect(outcome.samples.map(\.length) == [900, 900, 900])
        // Known from the last sync: today has no such slot.
        ring.history[today] = [(36, 50)]
        let tail = [WallSlot(wall: (today - 1) * 86_400 + 41 * 900, start: now - 86_400, steps: 3)]
        #expect(
            ring.play(context(PedometerCursor(readThrough: now - 86_400, tail: tail)), at: now).samples.map(\.length)
                == [900, 900])
        #expect(ring.play(context(), at: now).samples.map(\.length) == [3600, 3600])
    }

    @Test func `slots use the UTC offset of the last clock setting`() {
        // Set in winter (UTC+1), read in summer time: the ring's clock was not changed in between.
        let set = ClockState(settings: [.init(at: now - 3 * 86_400, utcOffset: 3600)])
        let local = LocalTime { [now] in $0 < now - 86_400 ? 3600 : 7200 }
        let ring = Pedometer(
            id: 1, user: 1, model: "colmi", address: "C0:DE:00:00:00:01", addressType: "random", name: "ring",
            clock: set)
        var script = RingScript(today: today)
        script.history[today] = [(33, 100)]
        let outcome = script.play(SessionContext(pedometer: ring, localTime: local, days: 1), at: now)
        #expect(outcome.samples.first?.start == Timestamp(today * 86_400 + 33 * 900 - 3600))
        #expect(outcome.samples.first?.utcOffset == 7200)
    }
}
