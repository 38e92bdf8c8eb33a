import BlueZ
import SimulatedBlueZ
import StepDomain
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct LefunTests {
    @Test func `frames have Maxim's checksum`() {
        // The check value of CRC-8/MAXIM.
        #expect(LefunFrame.checksum(Array("123456789".utf8)) == 0xa1)
        let request = LefunFrame(0x13, [2]).request
        #expect(request.prefix(4) == [0xab, 5, 0x13, 2])
        #expect(LefunFrame(received: request) == nil)  // not an answer
        #expect(LefunFrame(received: LefunFrame(0x03, [88]).bytes(0x5a) + [0, 0]) == LefunFrame(0x03, [88]))
        #expect(LefunFrame(received: [0x5a, 200, 3, 1]) == nil)
        #expect(LefunFrame(received: [0x5a, 0, 3, 1]) == nil)
    }

    @Test func `a week is read, oldest day first`() throws {
        let memory = BandFixture.memory(days: 7)
        let band = SimulatedSerialBand.lefun(memory)
        let outcome = try BandFixture.play(Lefun.self, band)
        #expect(outcome.steps == memory.steps && memory.steps > 0)
        #expect(outcome.report?.battery == 88 && outcome.notices.isEmpty)
        let requested = band.written.filter { $0[2] == 0x13 }.map { Int($0[3]) }
        #expect(requested == Array((0...6).reversed()))
        #expect(outcome.cursor?.readThrough == BandFixture.now)
        #expect(outcome.report?.clockSet?.utcOffset == 7_200)
        for daysAgo in 1...6 {
            #expect(outcome.covers(LocalTime.zone(BandFixture.zone).span(of: BandFixture.today.advanced(by: -daysAgo))))
        }
        // The shortest time between two records is a quarter of an hour.
        #expect(outcome.samples.allSatisfy { $0.length % 900 == 0 && $0.length <= 3_600 && $0.distance == nil })
    }

    @Test func `only the days since the last reading are requested`() throws {
        let band = SimulatedSerialBand.lefun(BandFixture.memory(days: 7))
        _ = try BandFixture.play(Lefun.self, band, cursor: PedometerCursor(readThrough: BandFixture.now - 86_400))
        #expect(band.written.filter { $0[2] == 0x13 }.map { Int($0[3]) } == [1, 0])
        // A mark in the future is not believed.
        let other = SimulatedSerialBand.lefun(BandFixture.memory(days: 7))
        _ = try BandFixture.play(Lefun.self, other, cursor: PedometerCursor(readThrough: BandFixture.now + 86_400))
        #expect(other.written.filter { $0[2] == 0x13 }.count == 7)
    }

    @Test func `a day whose records do not add up to its total is in doubt`() throws {
        let memory = BandFixture.memory(days: 2)
        let outcome = try BandFixture.play(Lefun.self, .lefun(memory, missing: 100))
        // A record of today may be missing; earlier days are complete.
        let day = LocalTime.zone(BandFixture.zone).span(of: BandFixture.today)
        #expect(outcome.steps == memory.stepsToday && outcome.samples.allSatisfy { day.contains($0.start) })
        #expect(outcome.doubts.count == 6)
        #expect(
            outcome.doubts.contains(.totals(memory.steps - memory.stepsToday, memory.steps - memory.stepsToday + 100)))
        #expect(outcome.cursor == nil)
    }

    @Test func `records of another day than was requested are not used, and do not move the cursor`() throws {
        let memory = BandFixture.memory(days: 7)
        let today = BandFixture.today.components
        let outcome = try BandFixture.play(Lefun.self, .lefun(memory)) { packet in
            guard packet[2] == 0x13, packet[3] == 6, packet[4] > 0 else { return packet }
            var fields = Array(packet[3..<packet.count - 1])
            fields.replaceSubrange(3..<6, with: [today.year - 2000, today.month, today.day].map { UInt8($0) })
            return LefunFrame(0x13, fields).bytes(0x5a)
        }
        #expect(outcome.error == nil && outcome.cursor == nil)
        #expect(outcome.notices == [.clockWasOff(seconds: 6 * 86_400)])
        #expect(!outcome.samples.contains { $0.day == BandFixture.today.advanced(by: -6) })
        #expect(
            outcome.coverage.allSatisfy {
                $0.start >= LocalTime.zone(BandFixture.zone).moment(BandFixture.today.advanced(by: -5))
            })
    }

    /// An answer without records has no date: that of the total shows which day it is.
    @Test func `an empty day of a band that is past midnight already does not account for the day before`() throws {
        let now = LocalTime.zone(BandFixture.zone).moment(BandFixture.today, seconds: 86_400 - 5)
        let memory = BandMemory(quarters: [:]) { WallClock(year: 2026, month: 5, day: 21, hour: 0, minute: 0) }
        let outcome = try BandFixture.play(Lefun.self, .lefun(memory), at: now)
        #expect(outcome.error == nil && outcome.coverage.isEmpty && outcome.cursor == nil)
    }

    /// The clock is set even if the cursor stays: without the mark, the next sync would place the slots anew.
    @Test func `what a clock in another zone showed is kept also if the only day is in doubt`() throws {
        let shown = BandFixture.today.daysSince1970 * 86_400 + 8 * 3_600
        let memory = BandMemory(quarters: [shown: 500]) {
            WallClock(year: 2026, month: 5, day: 20, hour: 13, minute: 40)
        }
        let first = try BandFixture.play(Lefun.self, .lefun(memory), days: 1) { packet in
            guard packet[2] == 0x12 else { return packet }
            return LefunFrame(0x12, Array(packet[3..<7]) + [0, 0, 0, 9] + Array(packet[11..<packet.count - 1])).bytes(
                0x5a)
        }
        #expect(first.samples.isEmpty && first.doubts.count == 1 && first.cursor?.tail?.count == 1)
        let next = try BandFixture.play(
            Lefun.self, .lefun(memory), cursor: first.cursor ?? PedometerCursor(),
            clock: ClockState(settings: [try #require(first.report?.clockSet)]), at: BandFixture.now + 60)
        #expect(next.samples.map(\.start) == [Timestamp(shown)])
    }

    @Test(arguments: [1, nil]) func `what a clock in another zone showed is kept also if the cursor stays`(days: Int?)
        throws
    {
        let shown = BandFixture.today.daysSince1970 * 86_400 + 8 * 3_600
        let memory = BandMemory(quarters: [shown: 500, shown + 1_800: 277]) {
            WallClock(year: 2026, month: 5, day: 20, hour: 13, minute: 40)
        }
        // Of the oldest day, the records are in doubt.
        let first = try BandFixture.play(Lefun.self, .lefun(memory), days: days) { packet in
            guard days == nil, packet[2] == 0x12, packet[3] == 6 else { return packet }
            var fields = Array(packet[3..<packet.count - 1])
            fields[7] = 9
            return LefunFrame(0x12, fields).bytes(0x5a)
        }
        #expect(first.steps == 777 && first.cursor?.readThrough == nil && first.cursor?.tail?.count == 1)
        let set = try #require(first.report?.clockSet)
        let next = try BandFixture.play(
            Lefun.self, .lefun(memory), cursor: first.cursor ?? PedometerCursor(), clock: ClockState(settings: [set]),
            at: BandFixture.now + 60)
        #expect(Set(next.samples.map(\.start)) == Set(first.samples.map(\.start)) && next.steps == 777)
    }

    @Test func `a clock in another zone gives the day on which the steps were made`() throws {
        let shown = BandFixture.today.daysSince1970 * 86_400 - 3_600
        let memory = BandMemory(quarters: [shown: 150, shown + 900: 100]) {
            WallClock(year: 2026, month: 5, day: 20, hour: 14, minute: 40)
        }
        let outcome = try BandFixture.play(Lefun.self, .lefun(memory))
        #expect(outcome.steps == 250 && outcome.samples.allSatisfy { $0.day == BandFixture.today && $0.length == 900 })
        #expect(outcome.notices == [.clockWasOff(seconds: -3_600)] && outcome.cursor?.tail?.count == 1)
    }

    @Test func `a day with a lost record is requested again`() throws {
        let memory = BandFixture.memory(days: 1)
        let lost = Counter()
        let outcome = try BandFixture.play(Lefun.self, .lefun(memory)) {
            $0[2] == 0x13 && $0[5] == 2 && lost.next() == 1 ? nil : $0
        }
        #expect(outcome.steps == memory.stepsToday && outcome.error == nil)
    }

    /// No client requests totals.
    @Test func `a band that sends no totals is read without them`() throws {
        let memory = BandFixture.memory(days: 7)
        let band = SimulatedSerialBand.lefun(memory, sendsTotals: false)
        let outcome = try BandFixture.play(Lefun.self, band)
        #expect(outcome.steps == memory.steps && outcome.notices.isEmpty && outcome.error == nil)
        // The oldest day's, twice; then no more.
        #expect(outcome.cursor == PedometerCursor(readThrough: BandFixture.now + Int(outcome.waited)))
        #expect(band.written.filter { $0[2] == 0x12 }.map { Int($0[3]) } == [6, 6])
        for daysAgo in 1...6 {
            #expect(outcome.covers(LocalTime.zone(BandFixture.zone).span(of: BandFixture.today.advanced(by: -daysAgo))))
        }
        // A record that never arrives shows in their indices.
        let lost = try BandFixture.play(Lefun.self, .lefun(memory, sendsTotals: false)) {
            $0[2] == 0x13 && $0[3] == 2 && $0[5] == 2 ? nil : $0
        }
        #expect(
            missing(lost.cursor) == [2: .incomplete]
                && !lost.samples.contains { $0.day == BandFixture.today.advanced(by: -2) })
    }

    @Test func `a total that does not arrive from a band that sends totals is requested again by the next sync`() throws
    {
        let memory = BandFixture.memory(days: 7)
        let outcome = try play(memory, silent: [3], total: true, cursor: PedometerCursor())
        #expect(missing(outcome.cursor) == [3: .incomplete] && outcome.doubts.isEmpty)
        #expect(!outcome.samples.contains { $0.day == BandFixture.today.advanced(by: -3) })
        let next = try BandFixture.play(Lefun.self, .lefun(memory), cursor: try #require(outcome.cursor))
        #expect(missing(next.cursor).isEmpty && next.samples.contains { $0.day == BandFixture.today.advanced(by: -3) })
        let doubtful = try BandFixture.play(Lefun.self, .lefun(memory, missing: 100)) {
            $0[2] == 0x12 && $0[3] == 6 ? nil : $0
        }
        // The first total was not answered, so none is compared.
        #expect(doubtful.doubts.isEmpty)
    }

    // MARK: Days that are missing

    /// Plays a sync in which the band does not answer for some days.
    private func play(_ memory: BandMemory, silent: Set<Int>, total: Bool = false, cursor: PedometerCursor) throws
        -> SessionPlayer.Outcome
    {
        try BandFixture.play(Lefun.self, .lefun(memory), cursor: cursor) { packet in
            packet[2] == (total ? 0x12 : 0x13) && silent.contains(Int(packet[3])) ? nil : packet
        }
    }

    private func missing(_ cursor: PedometerCursor?) -> [Int: DayGap.Reason] {
        Dictionary(
            uniqueKeysWithValues: (cursor?.missing ?? []).map { ($0.day.distance(to: BandFixture.today), $0.reason) })
    }

    @Test func `a day without an answer is requested again, and the other days are stored`() throws {
        let memory = BandFixture.memory(days: 7)
        let before = PedometerCursor(readThrough: BandFixture.now - 5 * 86_400)
        let first = try play(memory, silent: [3], cursor: before)
        #expect(first.error == nil && first.report?.clockSet != nil)
        #expect(
            missing(first.cursor) == [3: .unanswered] && first.cursor?.readThrough.map { $0 >= BandFixture.now } == true
        )
        #expect(!first.samples.contains { $0.day == BandFixture.today.advanced(by: -3) })
        #expect(
            first.samples.contains { $0.day == BandFixture.today }
                && first.samples.contains { $0.day == BandFixture.today.advanced(by: -4) })
        let second = try play(memory, silent: [], cursor: try #require(first.cursor))
        #expect(second.samples.contains { $0.day == BandFixture.today.advanced(by: -3) })
        #expect(second.cursor?.missing == nil && second.error == nil)
    }

    @Test func `a record with an impossible date does not affect other days`() throws {
        let outcome = try BandFixture.play(
            Lefun.self, .lefun(BandFixture.memory(days: 7)),
            cursor: PedometerCursor(readThrough: BandFixture.now - 6 * 86_400)
        ) { packet in
            guard packet[2] == 0x13, packet[3] == 6, packet[5] == 1 else { return packet }
            var fields = Array(packet[3..<packet.count - 1])
            fields[4] = 0  // the month
            return LefunFrame(0x13, fields).bytes(0x5a)
        }
        #expect(outcome.error == nil && missing(outcome.cursor) == [6: .incomplete])
        #expect(
            outcome.samples.contains { $0.day == BandFixture.today }
                && outcome.samples.contains { $0.day == BandFixture.today.advanced(by: -5) }
        )
    }

    @Test func `a new band without answers for days before it was worn causes no error`() throws {
        let memory = BandFixture.memory(days: 2)
        let first = try play(memory, silent: [2, 3, 4, 5, 6], cursor: PedometerCursor())
        #expect(first.error == nil && first.steps == memory.steps)
        #expect(first.cursor?.reportedGaps.isEmpty == true && missing(first.cursor).count == 5)
        // The second sync asks once more, and believes the silence.
        let second = try play(memory, silent: [2, 3, 4, 5, 6], cursor: try #require(first.cursor))
        #expect(second.error == nil && second.cursor?.missing == nil)
    }

    @Test func `a reading fails if the band answers for no day`() throws {
        let cursor = PedometerCursor(readThrough: BandFixture.now - 2 * 86_400)
        let outcome = try play(BandFixture.memory(days: 7), silent: Set(0...6), cursor: cursor)
        #expect(outcome.cursor == nil && outcome.samples.isEmpty)
        guard case .noAnswer(let request, _, _) = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        #expect(request == "the steps of \(BandFixture.today)")
    }

    @Test func `days that the band no longer holds are reported`() throws {
        let read = BandFixture.now - 10 * 86_400
        let gap = DayGap(BandFixture.today.advanced(by: -12), .unanswered)
        let outcome = try BandFixture.play(
            Lefun.self, .lefun(BandFixture.memory(days: 7)), cursor: PedometerCursor(readThrough: read, missing: [gap]))
        #expect(
            outcome.notices == [
                .tooOld([gap.day]),
                .lost(from: BandFixture.today.advanced(by: -10), through: BandFixture.today.advanced(by: -7)),
            ])
        #expect(outcome.cursor?.missing == nil)
    }

    @Test func `a clock that is off is reported`() throws {
        let ahead = BandFixture.now + 7_200
        let outcome = try BandFixture.play(Lefun.self, .lefun(BandFixture.memory(days: 1, at: ahead)))
        #expect(outcome.notices.contains(.clockWasOff(seconds: 7_200)))
    }
}

/// Counts calls.
final class Counter: @unchecked Sendable {
    private var count = 0
    func next() -> Int {
        count += 1
        return count
    }

    @Test(arguments: [("Lefun", true), (".bohemic", true), ("IMP-2027", true), ("IMP-2028", false), ("bohemic", false)])
    func `a band is recognised by the names that such bands have`(name: String, isBand: Bool) throws {
        let discovery = Discovery(address: try #require(DeviceAddress("C0:DE:00:00:00:07")), name: name)
        #expect(Lefun.evidence(in: discovery) == (isBand ? .name : nil))
    }
}
