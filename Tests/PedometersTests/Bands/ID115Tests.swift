import SimulatedBlueZ
import StepDomain
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct ID115Tests {
    @Test(arguments: [2, 3, 18])
    func `slots that came in before the link was lost are stored, with the time that they account for`(packets: Int)
        throws
    {
        let memory = BandFixture.memory(days: 1)
        let first = try BandFixture.play(ID115.self, .id115(memory), linkEndsAfter: packets)
        #expect(first.wasCut && first.coverage.isEmpty == (packets < 3))
        let midnight = LocalTime.zone(BandFixture.zone).moment(BandFixture.today)
        // Three slots of a quarter of an hour in each packet after the second.
        let end = midnight + (packets - 2) * 3 * 900
        #expect(first.coverage.last?.end ?? midnight == end && first.cursor?.readThrough == (packets < 3 ? nil : end))
        let before = memory.quarters.filter { $0.key - 7_200 < end.seconds }.values.reduce(0, +)
        #expect(first.steps == before && (before > 0) == (packets == 18))
        let second = try BandFixture.play(
            ID115.self, .id115(memory), cursor: first.cursor ?? PedometerCursor(), at: BandFixture.now + 60)
        #expect(
            second.steps == memory.steps && Set(first.samples).isSubset(of: second.samples) && second.notices.isEmpty)
    }

    /// The bit fields of `FetchActivityOperation.parseSample`.
    @Test func `a slot is decoded from its bit fields`() {
        // 1,000 steps, 9 minutes, 40 kcal, 700 m.
        let number = 1_000 << 2 | 9 << 14 | 40 << 18 | 700 << 28
        let slot = ID115Reading.Slot(ArraySlice((0..<5).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }))
        #expect((slot.steps, slot.energy, slot.metres) == (1_000, 40, 700))
        #expect(ID115Reading.Slot([0xff, 0xff, 0xff, 0xff, 0xff]).steps == 4_095)
    }

    @Test func `today's slots are read`() throws {
        let memory = BandFixture.memory(days: 2)
        let band = SimulatedSerialBand.id115(memory)
        let outcome = try BandFixture.play(ID115.self, band)
        #expect(outcome.steps == memory.stepsToday && memory.stepsToday > 0)
        #expect(outcome.samples.allSatisfy { $0.length == 900 && $0.day == BandFixture.today && $0.distance != nil })
        #expect(outcome.covers(TimeSpan(LocalTime.zone(BandFixture.zone).moment(BandFixture.today), BandFixture.now)))
        // 2026-05-20 is a Wednesday.
        #expect(band.written.last == bytes("03 01 ea07 05 14 0f 28 00 02"))
        #expect(outcome.report?.clockSet != nil && outcome.notices.isEmpty)
    }

    @Test func `a packet out of order is requested again, and then an error`() throws {
        let memory = BandFixture.memory(days: 1)
        let lost = Counter()
        let again = try BandFixture.play(ID115.self, .id115(memory)) {
            $0[1] == 3 && $0[2] == 4 && lost.next() == 1 ? nil : $0
        }
        #expect(again.steps == memory.stepsToday)
        let never = try BandFixture.play(ID115.self, .id115(memory)) { $0[1] == 3 && $0[2] == 4 ? nil : $0 }
        #expect(never.samples.isEmpty && never.error != nil)
    }

    @Test func `a lost last packet is requested again, and without it the end of the day is not covered`() throws {
        let memory = BandFixture.memory(days: 1)
        // Two, and 62 quarters of an hour in threes.
        let last: UInt8 = 23
        let lost = Counter()
        let again = try BandFixture.play(ID115.self, .id115(memory)) {
            $0[1] == 3 && $0[2] == last && lost.next() == 1 ? nil : $0
        }
        let midnight = LocalTime.zone(BandFixture.zone).moment(BandFixture.today)
        #expect(again.steps == memory.stepsToday && again.covers(TimeSpan(midnight, BandFixture.now)))
        let band = SimulatedSerialBand.id115(memory)
        let never = try BandFixture.play(ID115.self, band) { $0[1] == 3 && $0[2] >= last - 3 ? nil : $0 }
        #expect(band.written.filter { $0[0] == 8 }.count == 2 && never.error == nil)
        #expect(!never.coverage.isEmpty && never.coverage.allSatisfy { $0.end < BandFixture.now - 3_600 })
        #expect(never.cursor?.readThrough == never.coverage.last?.end)
    }

    @Test func `a day that was not read to its end is reported`() throws {
        let cursor = PedometerCursor(readThrough: BandFixture.now - 86_400)
        let outcome = try BandFixture.play(ID115.self, .id115(BandFixture.memory(days: 2)), cursor: cursor)
        #expect(outcome.notices == [.dayNotClosed(BandFixture.today.advanced(by: -1))])
    }

    /// The midnight timer reads it five minutes before midnight.
    @Test(arguments: [(300, false), (599, false), (900, true)])
    func `the last minutes of a day are not reported as lost`(
        secondsBefore: Int, isReported: Bool
    ) throws {
        let midnight = LocalTime.zone(BandFixture.zone).moment(BandFixture.today)
        let outcome = try BandFixture.play(
            ID115.self, .id115(BandFixture.memory(days: 2)),
            cursor: PedometerCursor(readThrough: midnight - secondsBefore))
        #expect(outcome.notices == (isReported ? [.dayNotClosed(BandFixture.today.advanced(by: -1))] : []))
    }

    @Test(arguments: [-1, 1, -200]) func `slots of another day are not stored, and the band's clock is set`(days: Int)
        throws
    {
        let band = SimulatedSerialBand.id115(BandFixture.memory(days: 1, at: BandFixture.now + days * 86_400))
        let outcome = try BandFixture.play(ID115.self, band)
        #expect(outcome.samples.isEmpty && outcome.coverage.isEmpty && outcome.cursor == nil)
        #expect(outcome.notices == [.clockWasOff(seconds: days * 86_400)] && outcome.report?.clockSet != nil)
    }

    @Test func `a band that is a few minutes behind is read after midnight`() throws {
        let midnight = LocalTime.zone(BandFixture.zone).moment(BandFixture.today)
        let band = SimulatedSerialBand.id115(BandFixture.memory(days: 1, at: midnight - 60))
        let outcome = try BandFixture.play(ID115.self, band, at: midnight + 240)
        #expect(outcome.steps > 0 && outcome.samples.allSatisfy { $0.day == BandFixture.today.advanced(by: -1) })
        #expect(outcome.notices.isEmpty && outcome.report?.clockSet == nil)
    }

    @Test func `near midnight the band's clock is not set`() throws {
        let late = Timestamp(Day("2026-05-20")!.daysSince1970 * 86_400 + 21 * 3_600 + 2_400)  // 23:40
        let band = SimulatedSerialBand.id115(BandFixture.memory(days: 1, at: late))
        let outcome = try BandFixture.play(ID115.self, band, at: late)
        #expect(outcome.report?.clockSet == nil && !band.written.contains { $0[0] == 0x03 } && outcome.steps > 0)
    }

    @Test(arguments: [0, 61, 200])
    func `a slot of an impossible length is not decoded`(minutes: UInt8) throws {
        let outcome = try BandFixture.play(ID115.self, .id115(BandFixture.memory(days: 1))) { packet in
            guard packet[1] == 3, packet[2] == 1 else { return packet }
            var packet = packet
            packet[10] = minutes
            return packet
        }
        #expect(
            outcome.samples.isEmpty && outcome.notices.contains { if case .undecodable = $0 { true } else { false } })
    }
}
