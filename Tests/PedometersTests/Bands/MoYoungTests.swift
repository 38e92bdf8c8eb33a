import SimulatedBlueZ
import StepDomain
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct MoYoungTests {
    @Test(arguments: [SimulatedSerialBand.MoYoungOrder.stepsFirst, .distanceFirst], [false, true])
    func `the sum of the hours shows which number is the steps`(order: SimulatedSerialBand.MoYoungOrder, isSecond: Bool)
        throws
    {
        let memory = BandFixture.memory(days: 1)
        let band = SimulatedSerialBand.moYoung(memory, order, isSecond: isSecond, sendsHours: true)
        let outcome = try BandFixture.play(MoYoung.self, band)
        #expect(outcome.steps == memory.stepsToday && memory.stepsToday > 0)
        #expect(outcome.cursor?.counter?.value == memory.stepsToday && outcome.doubts.isEmpty)
        #expect(outcome.cursor?.pastDays?.isDistanceFirst == (order == .distanceFirst))
        // 2026-05-20 15:40:00, as if it were local time of GMT+8.
        let time = BandFixture.now.seconds + 7_200 - 8 * 3_600
        #expect(band.written.last == [0xfe, 0xea, isSecond ? 0x20 : 0x10, 10, 0x31] + [UInt8].big(time, 4) + [8])
        // The next reading counts the growth only.
        let again = try BandFixture.play(
            MoYoung.self, band, cursor: outcome.cursor ?? PedometerCursor(), at: BandFixture.now + 600)
        #expect(again.steps == 0 && again.doubts.isEmpty)
        // Hours are needed again only by a watch that sends the distance first.
        #expect(band.written.count { $0[4] == 0x59 } == (order == .distanceFirst ? 2 : 1))
        let silent = SimulatedSerialBand.moYoung(memory, order, isSecond: isSecond)
        let later = try BandFixture.play(
            MoYoung.self, silent, cursor: outcome.cursor ?? PedometerCursor(), at: BandFixture.now + 600)
        #expect(later.steps == 0 && later.doubts == (order == .distanceFirst ? [.unchecked] : []))
    }

    /// The reading of arklnd/DaFitDesktop that agrees with Da Fit: 8,319 steps, 6.90 km, 345 kcal.
    @Test func `without the hours the first number is the steps`() throws {
        let real = bytes("7f2000 f41a00 590100")
        let player = SessionPlayer(
            read: { $0 == MoYoung.manufacturer ? Array("MOYOUNG-V2".utf8) : real }, write: { _, _ in [] })
        let outcome = player.play(
            ExchangeSession(MoYoungReading(SessionContext(pedometer: .sample(MoYoung.self), localTime: .fixed(7_200)))),
            at: BandFixture.now)
        #expect(outcome.steps == 8_319 && outcome.notices.isEmpty && outcome.report?.clockSet != nil)
        // What other clients never request is waited for briefly.
        #expect(outcome.waited <= 4)
        #expect(outcome.written.map { $0[4] } == [0x59, 0x33, 0x31])
    }

    /// A request that is refused each time left the reading without its steps.
    @Test func `a link that is lost while a request is sent keeps the steps that were read`() throws {
        let real = bytes("7f2000 f41a00 590100")
        var session = ExchangeSession(
            MoYoungReading(SessionContext(pedometer: .sample(MoYoung.self), localTime: .fixed(7_200))))
        var (event, steps): (SessionEvent, Int?) = (.started, nil)
        for _ in 0..<20 {
            switch session.next(after: event, at: BandFixture.now) {
            case .read(let address), .readIfPresent(let address):
                event = .value(address == MoYoung.manufacturer ? Array("MOYOUNG-V2".utf8) : real)
            case .write: event = .linkLost
            case .deliver(let batch, _):
                steps = batch.samples.reduce(0) { $0 + $1.steps }
                event = .done
            case .finish, .fail: event = .done
            default: event = .done
            }
            if steps != nil { break }
        }
        #expect(steps == 8_319)
    }

    @Test func `numbers of which none is the sum are in doubt`() throws {
        let memory = BandFixture.memory(days: 1)
        let outcome = try BandFixture.play(MoYoung.self, .moYoung(memory, .neither, sendsHours: true))
        #expect(outcome.samples.isEmpty && outcome.cursor == nil && outcome.error == nil)
        #expect(outcome.doubts == [.totals(memory.stepsToday * 7 / 10, memory.stepsToday)])
        #expect(!outcome.batches.isEmpty)  // which carries the frames
    }

    /// Half hours until noon, as one of two parts.
    @Test func `hours of a part of the day are no contradiction`() throws {
        let memory = BandFixture.memory(days: 1)
        let half = bytes("feea10 0a 59 00 6400 0000")
        let outcome = try BandFixture.play(MoYoung.self, .moYoung(memory, .stepsFirst, sendsHours: true)) {
            $0.count > 4 && $0[4] == 0x59 ? half : $0.starts(with: [0xfe, 0xea]) ? $0 : nil
        }
        #expect(outcome.steps == memory.stepsToday && outcome.doubts.isEmpty)
    }

    /// Steps, metres, the sum of the hours, and what is taken for the steps.
    @Test(
        arguments: [
            (40, 29, 40, 40), (29, 40, 40, 40), (10_000, 9_900, 10_000, 10_000), (10_010, 9_900, 10_000, 10_010),
            (10_050, 9_940, 10_000, nil),
            (42, 29, 40, 42), (45, 35, 40, nil), (0, 0, 0, 0), (7_000, 4_900, 5_100, nil), (7_000, 4_900, 7_100, 7_000),
            (500, 500, 500, 500),
            (7_000, 4_900, 6_000, nil),
        ] as [(Int, Int, Int, Int?)])
    func `the number that equals or is much closer to the sum of the hours is the steps`(
        first: Int, second: Int, sum: Int, steps: Int?
    ) {
        #expect(MoYoungReading.steps(first, second, sum: sum) == steps)
        #expect(MoYoungReading.steps(second, first, sum: sum) == steps)
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
            ExchangeSession(MoYoungReading(SessionContext(pedometer: .sample(MoYoung.self), localTime: .fixed(0)))),
            at: BandFixture.now)
        #expect(outcome.error == .undecodable("4 bytes where 9 were expected"))
    }
}
