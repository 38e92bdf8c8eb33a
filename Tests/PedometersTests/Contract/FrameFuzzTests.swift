import BlueZ
import StepDomain
import TestSupport
import Testing

@testable import Pedometers

/// 200,000 frames over all models, or a million: random ones, changed ones of the protocols, truncated ones, and
/// bursts. The same in every run.
///
/// `Tests/Fuzzing` searches for inputs by coverage, for as long as it is let run.
@Suite(.timeLimit(.minutes(10)), .cpuBound) struct FrameFuzzTests {
    private static let now = Timestamp(Day("2026-05-20")!.daysSince1970 * 86_400 + 15 * 3_600)
    private static let address = DeviceAddress("C0:DE:00:00:00:07")!
    private static let total = Endurance.rounds(200_000, year: 1_000_000)
    private static let quota = total / PedometerRegistry.models.count + 1

    @Test(arguments: PedometerRegistry.models.map { $0.key })
    func `no frame makes a model crash, run for ever or invent steps`(key: String) throws {
        let model = try PedometerRegistry.model(key)
        var (frames, seed) = (0, UInt64(1_000))
        while frames < Self.quota {
            seed += 1
            if let model = model as? any LinkedPedometerModel.Type {
                frames += try Self.play(model, seed: seed)
            } else if let model = model as? any AdvertisedPedometerModel.Type {
                frames += try Self.hear(model, seed: seed)
            }
            try #require(seed < 200_000, "\(frames) frames only")
        }
        #expect(frames >= Self.quota)
    }

    private static func context(_ model: any PedometerModel.Type, _ random: inout SeededGenerator) -> SessionContext {
        var cursor = PedometerCursor()
        if Bool.random(using: &random) {
            let at = now - Int.random(in: -90_000...900_000, using: &random)
            cursor = PedometerCursor(
                readThrough: at, utcOffset: 7_200,
                counter: CounterReading(at: at, value: Int.random(in: 0...70_000, using: &random), utcOffset: 7_200))
        }
        return SessionContext(pedometer: .sample(model, cursor: cursor), localTime: .fixed(7_200))
    }

    /// Frames that are drawn again and again: to make each one anew would take most of the time.
    private static let pool: [[UInt8]] = (0..<UInt64(8)).flatMap { seed in
        let source = FrameSource(seed: seed)
        return (0..<1_024).map { _ in source.next() }
    }

    /// Marsaglia's xorshift64: numbers of `SystemRandomNumberGenerator` and their ranges cost more than a session does
    /// with a frame.
    private struct Draw {
        var state: UInt64

        mutating func callAsFunction(below limit: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(limit))
        }

        mutating func frame() -> [UInt8] { pool[self(below: pool.count)] }
        /// Mostly an answer of some frames; now and then more than any answer has.
        mutating func burst() -> Int { self(below: 30) == 0 ? 20_000 : self(below: 60) }
    }

    /// - Returns: the number of frames that the session, and one that follows live steps, received.
    private static func play(_ model: any LinkedPedometerModel.Type, seed: UInt64) throws -> Int {
        var (random, draw) = (SeededGenerator(seed: seed), Draw(state: seed))
        let context = context(model, &random)
        var session = try seed % 5 == 0 ? model.probe(context) : model.session(context)
        // Frames that drip in keep a session waiting, if they extend its wait.
        let secondsPerFrame = seed % 7 == 0 ? 1 : 0
        let bounds = BatchBounds(model)
        var (event, moment, left, received, actions) = (SessionEvent.started, now, 0, 0, 0)
        loop: while true {
            actions += 1
            // A macro here would take longer than the session.
            if actions == 200_000 || moment - now > 60_000 {
                Issue.record("a session without end, seed \(seed)")
                return received
            }
            switch session.next(after: event, at: moment) {
            case .subscribe, .subscribeAll: event = .done
            case .write, .stream:
                left = draw.burst()
                event = .done
            case .writeIfPresent: event = draw(below: 4) == 0 ? .absent : .done
            case .readIfPresent where draw(below: 4) == 0: event = .absent
            case .read, .readIfPresent: event = .value(draw.frame())
            case .receive(let seconds):
                event = left > 0 ? .value(draw.frame()) : .silence
                if left > 0 { left -= 1 } else { moment = moment + Int(seconds) }
            case .deliver(let batch, _):
                let possible = (now - 410 * 86_400)...(moment + 90_000)
                let impossible = batch.samples.first { $0.steps < 0 || $0.length <= 0 || !possible.contains($0.start) }
                #expect(impossible == nil, "seed \(seed)")
                if let fault = bounds.fault(in: batch, at: moment, since: now) {
                    Issue.record("\(fault), seed \(seed)")
                }
                event = .done
            case .finish, .fail: break loop
            }
            if case .value = event {
                received += 1
                moment = moment + secondsPerFrame
                // A link can end at any moment.
                if draw(below: 2_000) == 0 { event = .linkLost }
            }
            if event == .linkLost {
                guard case .deliver(let batch, _) = session.next(after: event, at: moment) else { break }
                if let fault = bounds.fault(in: batch, at: moment, since: now) {
                    Issue.record("\(fault), seed \(seed)")
                }
                break
            }
        }
        guard var live = try model.live(context.pedometer, known: 100) else { return received }
        for _ in 0..<500 {
            guard let steps = live.steps(after: draw.frame()), !(0...maximumStepsOfADay).contains(steps) else {
                continue
            }
            Issue.record("\(steps) live steps, seed \(seed)")
        }
        return received + 500
    }

    /// - Returns: the number of advertisements.
    private static func hear(_ model: any AdvertisedPedometerModel.Type, seed: UInt64) throws -> Int {
        var (random, draw) = (SeededGenerator(seed: seed), Draw(state: seed))
        let context = context(model, &random)
        for _ in 0..<500 {
            // The right type and length, and the right length, as often as not.
            var (own, data) = (draw.frame(), draw.frame())
            if draw(below: 2) == 0 { own = [2] + Array(repeating: UInt8(draw(below: 256)), count: 23) }
            if draw(below: 2) == 0 { data = Array((data + [0, 0, 0, 0]).prefix(4)) }
            let discovery = Discovery(
                address: address, manufacturerData: [MiBand.company: own], serviceData: [MiBand.service: data])
            guard let reading = model.reading(in: discovery) else { continue }
            let batch = model.batch(reading, context, at: now)
            guard !batch.samples.allSatisfy({ (0...maximumStepsOfADay).contains($0.steps) && $0.length > 0 }) else {
                continue
            }
            Issue.record("\(batch.samples), seed \(seed)")
        }
        return 500
    }
}
