import BlueZ
import StepDomain
import TestSupport
import Testing

@testable import Pedometers

/// What every model must hold, whatever comes over the air.
@Suite(.timeLimit(.minutes(10))) struct ModelContractTests {
    private static let linked = PedometerRegistry.models.compactMap { $0 as? any LinkedPedometerModel.Type }
    private static let advertised = PedometerRegistry.models.compactMap { $0 as? any AdvertisedPedometerModel.Type }
    private static let now = Timestamp(Day("2026-05-20")!.daysSince1970 * 86_400 + 15 * 3_600)

    @Test func `keys are unique and lower case, and every model can be read`() {
        let keys = PedometerRegistry.models.map { $0.key }
        #expect(Set(keys).count == keys.count)
        #expect(keys.allSatisfy { $0.allSatisfy { $0.isLowercase || $0.isNumber } })
        #expect(Self.linked.count + Self.advertised.count == keys.count)
        for model in PedometerRegistry.models {
            #expect(!model.title.isEmpty && !model.title.hasSuffix("."))
            if let caveat = model.caveat { #expect(caveat.hasSuffix(".")) }
        }
    }

    @Test func `the services of a model identify no other model`() {
        for model in PedometerRegistry.models where !model.characteristicServices.isEmpty {
            let found = PedometerRegistry.models(withServices: Set(model.characteristicServices)).map { $0.key }
            #expect(found == [model.key])
        }
    }

    @Test func `a device with only general services is not recognised as a pedometer`() {
        let device = Discovery(
            address: DeviceAddress("C0:DE:00:00:00:07")!, name: "TV", services: ["180f", "180a", "1812"])
        #expect(PedometerRegistry.model(of: device) == nil)
    }

    /// At every point the link may end, and a session must not go on.
    @Test(arguments: linked.map { $0.key })
    func `a session ends with its link`(key: String) throws {
        let model = try #require(Self.linked.first { $0.key == key })
        for cut in 1...40 {
            var player = SessionPlayer(
                read: { _ in [0x10, 0x27, 0, 0] }, write: { _, _ in Array(repeating: [1, 2, 3], count: 5) })
            player.linkEndsAfter = cut
            let outcome = player.play(try model.session(Self.context(model)), at: Self.now)
            #expect(!outcome.isEndless)
        }
    }

    private static func context(_ model: any PedometerModel.Type, cursor: PedometerCursor = PedometerCursor())
        -> SessionContext
    {
        SessionContext(pedometer: .sample(model, cursor: cursor), localTime: .fixed(7_200))
    }

    private static func play(_ model: any LinkedPedometerModel.Type, seed: UInt64, isProbe: Bool = false) throws
        -> SessionPlayer.Outcome
    {
        var random = SeededGenerator(seed: seed)
        let context = context(model, cursor: Self.cursor(&random))
        let session: any PedometerSession = try isProbe ? model.probe(context) : model.session(context)
        let frames = FrameSource(seed: seed)
        var player = SessionPlayer(read: { _ in frames.next() }, write: { _, _ in frames.burst() })
        player.secondsPerValue = seed % 3 == 0 ? 1 : 0
        return player.play(session, at: Self.now)
    }

    private static func cursor(_ random: inout SeededGenerator) -> PedometerCursor {
        guard Bool.random(using: &random) else { return PedometerCursor() }
        // Now and then by a machine whose clock was ahead.
        let at = now - Int.random(in: -90_000...900_000, using: &random)
        return PedometerCursor(
            readThrough: at, utcOffset: [nil, 7_200, -18_000].randomElement(using: &random) ?? nil,
            counter: CounterReading(at: at, value: Int.random(in: 0...70_000, using: &random), utcOffset: 7_200),
            clockOffset: [nil, 7_200, -50_000].randomElement(using: &random) ?? nil,
            deviceOffset: [nil, 7_200, -28_800].randomElement(using: &random) ?? nil)
    }

    /// Random frames, frames of the protocols with random changes, truncations and bursts. What comes out must be
    /// possible.
    @Test(.cpuBound, arguments: linked.map { $0.key })
    func `hostile frames give no impossible sample and no endless session`(key: String) throws {
        let model = try #require(Self.linked.first { $0.key == key })
        let possible = (Self.now - 410 * 86_400)...(Self.now + 3_600)
        for seed in 0..<UInt64(Endurance.rounds(110, year: 400)) {
            let outcome = try Self.play(model, seed: seed, isProbe: seed % 5 == 0)
            #expect(!outcome.isEndless, "seed \(seed)")
            let impossible = outcome.samples.first { $0.steps < 0 || $0.length <= 0 || !possible.contains($0.start) }
            #expect(impossible == nil, "seed \(seed)")
            // Time that passes while it is read.
            let end = Self.now + outcome.received + Int(outcome.waited)
            let broken = outcome.batches.compactMap { BatchBounds(model).fault(in: $0, at: end, since: Self.now) }.first
            #expect(broken == nil, "seed \(seed)")
            #expect(outcome.written.allSatisfy { $0.count <= RawFrame.longest }, "seed \(seed)")
        }
    }

    @Test(arguments: advertised.map { $0.key })
    func `hostile advertisements give no impossible sample`(key: String) throws {
        let model = try #require(Self.advertised.first { $0.key == key })
        var random = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            func bytes(_ most: Int) -> [UInt8] {
                (0..<Int.random(in: 0...most, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            }
            var own = bytes(30)
            if Bool.random(using: &random), !own.isEmpty { own[0] = 2 }
            let discovery = Discovery(
                address: DeviceAddress("C0:DE:00:00:00:07")!, name: String(decoding: bytes(40), as: UTF8.self),
                manufacturerData: [
                    MiBand.company: Bool.random(using: &random)
                        ? [2] + bytes(0) + [UInt8](repeating: 7, count: 23) : own
                ],
                serviceData: [
                    MiBand.service: Bool.random(using: &random) ? Array((bytes(8) + [0, 0, 0, 0]).prefix(4)) : bytes(8)
                ])
            guard let reading = model.reading(in: discovery) else { continue }
            let context = Self.context(model, cursor: Self.cursor(&random))
            let batch = model.batch(reading, context, at: Self.now)
            guard !batch.samples.allSatisfy({ (0...maximumStepsOfADay).contains($0.steps) && $0.length > 0 }) else {
                continue
            }
            Issue.record("\(batch.samples)")
        }
    }
}

/// What the batches of a model must keep, whatever it sends: what it accounts for lies between what it can hold and
/// now, and the cursor is not in the future.
struct BatchBounds {
    /// Days.
    private let memory: Int
    /// It is read by a counter; others leave such a mark as it was.
    private let isCounter: Bool

    init(_ model: any PedometerModel.Type) {
        memory =
            switch model.key {
            case BangleJS.key: BangleJS.oldestDay + 2
            case Colmi.key: ColmiPlan.oldestDay + 2
            case Jring.key: Jring.oldestDay + 2
            case YCBT.key: YCBT.oldestDay + 2
            case No1F1.key: No1F1.oldestDay + 2
            case Lefun.key: Lefun.oldestDay + 2
            case FitPro.key: FitPro.oldestDay + 2
            case ID115.key: 3
            // Since the reading before: at most ten days and a half ago in these tests.
            default: 12
            }
        let slots = [BangleJS.key, Colmi.key, Jring.key, YCBT.key, No1F1.key, Lefun.key, ID115.key, FitPro.key]
        isCounter = !slots.contains(model.key)
    }

    /// What is wrong with a batch; nil if nothing is.
    ///
    /// - Parameters:
    ///   - now: when it was delivered, or later.
    ///   - start: the beginning of the reading.
    func fault(in batch: SampleBatch, at now: Timestamp, since start: Timestamp) -> String? {
        let oldest = start - memory * 86_400 - 86_400
        let wrong = batch.coverage.first { $0.start < oldest || $0.end > now + 120 || $0.isEmpty }
        if let wrong { return "accounts for \(wrong)" }
        let cursor = batch.cursor
        let counts = isCounter ? [cursor?.counter?.at, cursor?.undecided?.at] : []
        let marks = ([cursor?.readThrough] + counts).compactMap(\.self)
        if let mark = marks.first(where: { $0 > now + 120 }) { return "the cursor is at \(mark)" }
        return nil
    }
}

/// Frames as a faulty or hostile pedometer might send them; the same for the same seed.
final class FrameSource {
    private var random: SeededGenerator
    /// Beginnings of the frames of all protocols.
    private static let heads: [[UInt8]] = [
        ColmiPacket.stepsRequest(daysAgo: 0).bytes, ColmiPacket(0x43, [0xf0, 3, 1]).bytes,
        ColmiPacket(0x43, [0x26, 0x05, 0x20, 0x18, 0, 3, 0x10, 0, 0x20, 1, 0x30, 0]).bytes,
        ColmiPacket(0x43, [0xff]).bytes,
        ColmiPacket(0x03, [80]).bytes, ColmiPacket(0x01).bytes, ColmiPacket(0xc3).bytes,
        ColmiPacket(0x73, [0x12, 0, 1, 0]).bytes,
        Array("\r\n{\"t\":\"actfetch\",\"state\":\"start\"}\r\n".utf8),
        Array("{\"t\":\"act\",\"ts\":1779278400000,\"stp\":312,\"hrm\":61,\"mov\":1,\"act\":\"WALKING\"}\r\n".utf8),
        Array("{\"t\":\"actfetch\",\"state\":\"end\",\"count\":1}\r\n".utf8), Array("Uncaught Error\r\n".utf8),
        ColmiPacket(0x48, [0, 0x14, 0x19]).bytes, ColmiPacket(0xc8, [0xee]).bytes,
        [0xe8, 0x03, 0x00, 0xf4, 0x01, 0x00, 0x2a, 0x00, 0x00],
        [0xb2, 0x07, 0xea, 5, 20, 8, 4, 0xd2], [0xb2, 0xfd, 0xd6], [0xa3], [0xa2, 70],
        LefunFrame(0x13, [0, 1, 1, 26, 5, 20, 8, 0, 1, 0, 0, 0, 0, 0]).bytes(0x5a),
        LefunFrame(0x04, [0, 26, 5, 20, 15, 0, 0]).bytes(0x5a),
        LefunFrame(0x12, [0, 26, 5, 20] + .big(256, 4) + .big(0, 8)).bytes(0x5a),
        LefunFrame(0x13, [UInt8](repeating: 0, count: 14)).bytes(0x5a),
        [8, 3, 1, 7, 0xea, 7, 5, 20, 0, 0, 15], [8, 3, 2, 1, 0],
        [8, 3, 3, 10, 0xa0, 0x0f, 0, 0, 0, 0xff, 0xff, 0, 0, 0], [8, 0xee, 3, 0],
        [0xfe, 0xea, 0x10, 10, 0x59, 0, 0x10, 0x27, 0, 0], [0x10, 0x27, 0, 0x10, 0x27, 0, 0, 0, 0],
        [0xfe, 0xea, 0x10, 15, 0x33, 1, 0x10, 0x27, 0, 0x58, 0x1b, 0, 1, 0, 0],
        [0xfe, 0xea, 0x10, 15, 0x33, 2, 0x10, 0x27, 0, 0x58, 0x1b, 0, 1, 0, 0],
        CRP.frame(2, 0x0d, [1] + .little(48 * 100, 4)),
        CRP.frame(2, 0x12, [1] + [[UInt8]](repeating: .little(100, 2), count: 48).joined()),
        CRP.frame(2, 0x0d, [0] + .little(1_000, 4)), CRP.frame(2, 0x12, [7] + [UInt8](repeating: 0xff, count: 96)),
        YCBTFrame(5, 2, [1, 0, 1, 0, 0, 0, 14, 0, 0, 0]).bytes,
        YCBTFrame(5, 0x11, .little(832_604_400, 4) + .little(832_605_300, 4) + [0x80, 2, 0, 0, 0, 0]).bytes,
        YCBTFrame(5, 0x80, [1, 0, 14, 0, 0, 0]).bytes, YCBTFrame(1, 0, [0]).bytes,
        YCBTFrame(2, 0, [1, 2, 3, 4, 5, 6]).bytes,
        Jring.packet(0x03, .little(1_779_289_200, 4) + .little(300, 4)),
        Jring.packet(0x10, .little(1_779_285_600, 4) + Array(repeating: 20, count: 15)),
        Jring.packet(0x10, .little(1_779_321_600 - 900, 4)), Jring.packet(0x01), Jring.packet(0x90),
        [0, 0x11, 0x90, 1, 0, 0, 0], casioLog, Array(casioLog.prefix(182)), Array(casioLog[182..<364]),
        Array(casioLog[364...]),
        FitProFrames.request(0x15, 2, [0x34, 0xb4, 0, 1] + .big(0x0c85_00fa, 4) + .big(48 << 21, 4)),
        FitProFrames.request(0x15, 2, [0x34, 0xb4, 0, 0]),
        FitProFrames.request(0x15, 0x0c, [0x34, 0xb4] + .big(200, 4) + .big(0, 5)),
        FitProFrames.request(0x20, 2, [1]), [0xdc, 0, 5, 0x12, 1, 0, 9, 1],
        [0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 5, 0], [5, 0x10, 0x27, 0, 0, 0x10, 0x27, 0, 0],
        [0, 6, 2, 0, 0, 0, 0, 0, 0, 0, 0],
        [0x10, 0x27, 0, 0], [0xea, 0x07, 5, 20, 15, 0, 0, 3, 0, 0], [0, 0, 0, 0x20],
    ]

    /// 15:00 on the day of these tests, 10,000 steps.
    private static let casioLog: [UInt8] =
        [0x26, 5, 0x20, 0x15, 0, 0] + Array(repeating: [0xfe, 0xff], count: 184).flatMap(\.self)
        + .little(10_000, 4) + .little(4_000, 4) + Array(repeating: 0, count: 14) + [0, 0, 1, 0]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// With a right checksum a changed packet reaches the decoder.
    private static func withChecksum(_ frame: [UInt8]) -> [UInt8] {
        if frame.count == 16 { return ColmiPacket(frame[0], Array(frame[1..<15])).bytes }
        if frame.count >= 4, frame[0] == 0x5a {
            return LefunFrame(frame[2], Array(frame[3..<frame.count - 1])).bytes(0x5a)
        }
        // Groups 1 to 5, and a length of all bytes.
        if frame.count >= 6, (1...5).contains(frame[0]), frame.little(2, 2) == frame.count {
            return YCBTFrame(frame[0], frame[1], Array(frame[4..<frame.count - 2])).bytes
        }
        return frame
    }

    func next() -> [UInt8] {
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            return (0..<Int.random(in: 0...600, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        case 1: return []
        case 2:
            return Array(
                (Self.heads.randomElement(using: &random) ?? []).prefix(Int.random(in: 0...20, using: &random)))
        case 3, 4:
            var frame = Self.heads.randomElement(using: &random) ?? []
            if !frame.isEmpty {
                frame[Int.random(in: 0..<frame.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            return Self.withChecksum(frame)
        default: return Self.heads.randomElement(using: &random) ?? []
        }
    }

    func burst() -> [[UInt8]]? {
        guard Int.random(in: 0..<20, using: &random) > 0 else { return nil }
        let count = Int.random(in: 0..<200, using: &random) == 0 ? 20_000 : Int.random(in: 0...40, using: &random)
        // Making a frame takes longer than reading it: a long burst repeats some.
        let frames = (0..<min(count, 100)).map { _ in next() }
        return (0..<count).map { frames[$0 % frames.count] }
    }
}
