import SimulatedBlueZ
import StepDomain
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct No1F1Tests {
    @Test func `the hours of all days are read, then the band's clock is set`() throws {
        let memory = BandFixture.memory(days: 3)
        let band = SimulatedSerialBand.no1f1(memory)
        let outcome = try BandFixture.play(No1F1.self, band)
        #expect(outcome.steps == memory.steps && memory.steps > 0)
        #expect(
            outcome.samples.allSatisfy { $0.length == 3_600 && $0.utcOffset == 7_200 && $0.start.seconds % 3_600 == 0 })
        #expect(outcome.report?.battery == 73 && outcome.report?.firmware == "F1V2.0")
        // 2026-05-20 15:40:00
        #expect(band.written.last == bytes("a3 07ea 05 14 0f 28 00"))
        #expect(outcome.report?.clockSet == ClockState.Setting(at: BandFixture.now, utcOffset: 7_200))
        #expect(outcome.cursor?.readThrough == BandFixture.now)
        let yesterday = LocalTime.zone(BandFixture.zone).span(of: BandFixture.today.advanced(by: -1))
        #expect(outcome.covers(yesterday) && outcome.notices.isEmpty)
    }

    /// The layout that `No1F1Support.handleActivityData` decodes: 2026-05-20 08:00, 1,234 steps.
    @Test func `a record has a big-endian year and big-endian steps`() throws {
        let band = SimulatedSerialBand.no1f1(
            BandMemory(quarters: [:]) { WallClock(year: 2026, month: 5, day: 20, hour: 15) })
        let outcome = try BandFixture.play(No1F1.self, band) {
            $0.starts(with: [0xb2, 0xfd]) ? bytes("b2 07ea 05 14 08 04d2") : $0
        }
        // Without its end the answer is requested three times, and not stored.
        #expect(outcome.samples.isEmpty && outcome.error != nil)
        #expect(band.written.filter { $0 == [0xb2, 0xfa] }.count == 3)
        var session = No1F1Reading(SessionContext(pedometer: .sample(No1F1.self), localTime: .fixed(0)))
        for _ in 0..<3 { _ = session.next(at: BandFixture.now) }
        session.begin(at: BandFixture.now)
        #expect(session.receive(bytes("b2 07ea 05 14 08 04d2"), at: BandFixture.now) == .more)
        #expect(session.receive(bytes("b2 07ea"), at: BandFixture.now) == .undecodable)
        #expect(session.receive(bytes("b2 fd d6"), at: BandFixture.now) == .done)
        #expect(session.end(.complete, at: BandFixture.now)?.samples.map(\.steps) == [1_234])
    }

    /// The band's checksum is that of all records.
    @Test func `an hour at a time that does not exist is reported, and the others count`() throws {
        var session = No1F1Reading(SessionContext(pedometer: .sample(No1F1.self), localTime: .fixed(7_200)))
        for _ in 0..<3 { _ = session.next(at: BandFixture.now) }
        session.begin(at: BandFixture.now)
        #expect(session.receive(bytes("b2 07ea 05 14 08 04d2"), at: BandFixture.now) == .more)
        #expect(session.receive(bytes("b2 07ea 0d 14 08 0064"), at: BandFixture.now) == .more)
        #expect(session.receive(bytes("b2 fd b2"), at: BandFixture.now) == .done)
        let ended = session.end(.complete, at: BandFixture.now)
        let batch = try #require(ended)
        #expect(batch.samples.map(\.steps) == [1_234] && batch.notices == [.undecodable(frames: 1)])
        #expect(batch.coverage.isEmpty)
    }

    @Test func `a record from years ago does not extend the coverage back to its time`() throws {
        let old = Day("2005-01-01")!.daysSince1970 * 86_400
        let today = BandFixture.today.daysSince1970 * 86_400
        let memory = BandMemory(quarters: [old: 300, today + 8 * 3_600: 200]) {
            WallClock(year: 2026, month: 5, day: 20, hour: 15, minute: 40)
        }
        let outcome = try BandFixture.play(No1F1.self, .no1f1(memory))
        #expect(outcome.steps == 200 && outcome.notices == [.implausible(samples: 1)])
        let first = Timestamp(today + 8 * 3_600 - 7_200)
        #expect(outcome.coverage.map(\.start) == [first] && outcome.coverage.allSatisfy { $0.end <= BandFixture.now })
    }

    @Test(arguments: [2, 30])
    func `hours that came in before the link was lost are stored, and all are requested the next time`(packets: Int)
        throws
    {
        let memory = BandFixture.memory(days: 3)
        let first = try BandFixture.play(No1F1.self, .no1f1(memory), linkEndsAfter: packets)
        #expect(first.wasCut && first.cursor == nil && first.coverage.isEmpty && first.steps < memory.steps)
        #expect(first.samples.isEmpty == (packets < 30))
        let second = try BandFixture.play(No1F1.self, .no1f1(memory), at: BandFixture.now + 60)
        #expect(second.steps == memory.steps && Set(first.samples).isSubset(of: second.samples))
        // A part that may be running totals is not stored.
        #expect(
            try BandFixture.play(No1F1.self, .no1f1(memory, areTotals: true), linkEndsAfter: packets).samples.isEmpty)
    }

    @Test func `a wrong checksum stores no steps`() throws {
        let band = SimulatedSerialBand.no1f1(BandFixture.memory(days: 2))
        let outcome = try BandFixture.play(No1F1.self, band) {
            $0.starts(with: [0xb2, 0xfd]) ? [0xb2, 0xfd, $0[2] ^ 1] : $0
        }
        #expect(outcome.samples.isEmpty)
        guard case .undecodable = outcome.error else {
            Issue.record("\(outcome.error as Any)")
            return
        }
    }

    @Test func `hourly values that never decrease are reported as doubtful`() throws {
        let outcome = try BandFixture.play(No1F1.self, .no1f1(BandFixture.memory(days: 3), areTotals: true))
        #expect(outcome.samples.isEmpty && outcome.coverage.isEmpty && outcome.cursor == nil)
        #expect(outcome.doubts == [.runningTotals] && outcome.error == nil)
    }

    @Test func `a request that is not answered is repeated`() throws {
        let memory = BandFixture.memory(days: 2)
        let band = SimulatedSerialBand.no1f1(memory)
        band.ignore(requests: 4)  // battery, firmware, and two for the steps
        let outcome = try BandFixture.play(No1F1.self, band)
        #expect(outcome.steps == memory.steps && outcome.report?.battery == nil)
    }

    @Test func `an examination requests no steps and sets no clock`() throws {
        let band = SimulatedSerialBand.no1f1(BandFixture.memory(days: 2))
        let outcome = try BandFixture.play(No1F1.self, band, isProbe: true)
        #expect(outcome.report?.battery == 73 && band.written == [[0xa2], [0xa1]] && outcome.batches.isEmpty)
    }
}
