import SimulatedBlueZ
import StepDomain
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct MoYoungTests {
    @Test(arguments: [SimulatedSerialBand.MoYoungOrder.stepsFirst, .distanceFirst], [false, true])
    func `the sum of the hours shows which number is the steps`(order: SimulatedSerialBand.MoYoungOrder, isSecond: Bool) throws {
        let memory = BandFixture.memory(days: 1)
        let band = SimulatedSerialBand.moYoung(memory, order, isSecond: isSecond)
        let outcome = try BandFixture.play(MoYoung.self, band)
        #expect(outcome.steps == memory.stepsToday && memory.stepsToday > 0)
        #expect(outcome.cursor?.counter?.value == memory.stepsToday && outcome.doubts.isEmpty)
        // 2026-05-20 15:40:00, as if it were local time of GMT+8.
        let time = BandFixture.now.seconds + 7_200 - 8 * 3_600
        #expect(band.written.last == [0xfe, 0xea, isSecond ? 0x20 : 0x10, 10, 0x31] + [UInt8].big(time, 4) + [8])
        // The next reading counts the growth only.
        let again = try BandFixture.play(MoYoung.self, band, cursor: outcome.cursor ?? PedometerCursor(), at: BandFixture.now + 600)
        #expect(again.steps == 0)
    }

    @Test func `numbers of which none is the sum are in doubt`() throws {
        let memory = BandFixture.memory(days: 1)
        let outcome = try BandFixture.play(MoYoung.self, .moYoung(memory, .neither))
        #expect(outcome.samples.isEmpty && outcome.cursor == nil && outcome.error == nil)
        #expect(outcome.doubts == [.totals(memory.stepsToday * 7 / 10, memory.stepsToday)])
        #expect(!outcome.batches.isEmpty)  // which carries the frames
    }

    /// Steps, metres, the sum of the hours, and what is taken for the steps.
    @Test(
        arguments: [
            (40, 29, 40, 40), (29, 40, 40, 40), (10_000, 9_900, 10_000, 10_000), (10_010, 9_900, 10_000, 10_010), (10_050, 9_940, 10_000, nil),
            (42, 29, 40, 42), (45, 35, 40, nil), (0, 0, 0, 0), (7_000, 4_900, 5_100, nil), (7_000, 4_900, 7_100, 7_000), (500, 500, 500, 500),
            (7_000, 4_900, 6_000, nil),
        ] as [(Int, Int, Int, Int?)])
    func `the number that equals or is much closer to the sum of the hours is the steps`(first: Int, second: Int, sum: Int, steps: Int?) {
        #expect(MoYoungReading.steps(first, second, sum: sum) == steps)
        #expect(MoYoungReading.steps(second, first, sum: sum) == steps)
    }

    @Test func `without the hours nothing is counted`() throws {
        let outcome = try BandFixture.play(MoYoung.self, .moYoung(BandFixture.memory(days: 1), .stepsFirst)) { _ in nil }
        #expect(outcome.samples.isEmpty && outcome.doubts == [.unchecked])
    }

    @Test func `a band that has counted nothing is read`() throws {
        let memory = BandMemory(quarters: [:]) { WallClock(year: 2026, month: 5, day: 20, hour: 15) }
        let outcome = try BandFixture.play(MoYoung.self, .moYoung(memory, .stepsFirst))
        #expect(outcome.steps == 0 && outcome.doubts.isEmpty && outcome.cursor?.counter?.value == 0)
    }

    @Test func `near midnight the band's clock is not set`() throws {
        let late = Timestamp(Day("2026-05-20")!.daysSince1970 * 86_400 + 21 * 3_600 + 2_400)  // 23:40
        let band = SimulatedSerialBand.moYoung(BandFixture.memory(days: 1, at: late), .stepsFirst)
        let outcome = try BandFixture.play(MoYoung.self, band, at: late)
        #expect(outcome.steps > 0 && outcome.report?.clockSet == nil && !band.written.contains { $0[4] == 0x31 })
    }

    @Test func `frames are assembled, and other bytes are dropped`() {
        var frames = MoYoungFrames()
        func add(_ hex: String) -> [UInt8]? { frames.add(bytes(hex)).map { [$0.command] + $0.data } }
        #expect(add("feea100a5900") == nil)
        #expect(add("64000100") == bytes("590064000100"))
        #expect(add("0102030405") == nil && add("feea") == nil)
        // A new beginning replaces what is incomplete; a length of 0, or of more than an answer has, is refused.
        #expect(add("feea10055a") == [0x5a])
        #expect(add("feea100059") == nil && add("feea3fff59") == nil)
        #expect(add("feea200859010203") == bytes("59010203"))
    }

    @Test func `a value of another length belongs to another device`() throws {
        let outcome = SessionPlayer(read: { _ in [1, 2, 3, 4] }).play(
            ExchangeSession(MoYoungReading(SessionContext(pedometer: .sample(MoYoung.self), localTime: .fixed(0)))), at: BandFixture.now)
        #expect(outcome.error == .undecodable("4 bytes where 9 were expected"))
    }
}
