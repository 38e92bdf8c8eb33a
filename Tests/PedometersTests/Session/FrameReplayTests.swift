import BlueZ
import StepDomain
import TestSupport
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct FrameReplayTests {
    private let time = Timestamp(1_779_284_400)

    private func frame(_ direction: RawFrame.Direction, _ bytes: [UInt8], after seconds: Int = 0) -> RawFrame {
        RawFrame(direction, at: time + seconds, bytes: bytes)
    }

    private func decode(_ frames: [RawFrame], of model: any PedometerModel.Type) -> [SampleBatch]? {
        FrameReplay().decode(frames, of: .sample(model), localTime: .fixed(7_200))?.batches
    }

    @Test func `frames answer what was asked for, in their order`() {
        var tape = FrameTape([
            frame(.sent, [1]), frame(.received, [2], after: 1), frame(.received, [3], after: 2),
            frame(.sent, [4], after: 9),
        ])
        let address = GATTAddress("fff0", "fff1")
        #expect(tape.now == time && tape.event(after: .subscribe(address)) == .done)
        #expect(tape.event(after: .write([9], to: address, response: false)) == nil)
        #expect(tape.event(after: .receive(seconds: 1)) == .silence, "nothing comes before the request")
        #expect(tape.event(after: .write([1], to: address, response: false)) == .done)
        #expect(tape.event(after: .receive(seconds: 1)) == .value([2]) && tape.now == time + 1)
        #expect(tape.event(after: .read(address)) == .value([3]))
        #expect(tape.event(after: .read(address)) == nil && tape.event(after: .readIfPresent(address)) == .absent)
        #expect(tape.later == [time + 9, time + 8] && !tape.isAtEnd)
        #expect(tape.event(after: .writeIfPresent([5], to: address)) == .absent)
        #expect(tape.event(after: .stream([4], to: address)) == .done && tape.isAtEnd)
        #expect(tape.uptime == .seconds(10))
    }

    @Test func `a request that is not the one of today, and a model without a session, are not decoded`() {
        #expect(decode([frame(.sent, [0xff, 1, 2, 3]), frame(.received, [1])], of: Colmi.self) == nil)
        #expect(decode([frame(.received, [1, 2, 3])], of: MiBand.self) == nil)
        var unknown = Pedometer.sample(Colmi.self)
        unknown.model = "x"
        #expect(FrameReplay().decode([frame(.sent, [1])], of: unknown, localTime: .fixed(0)) == nil)
    }

    @Test func `random frames end`() {
        var random = SeededGenerator(seed: 7)
        for model in PedometerRegistry.models {
            for _ in 0..<20 {
                let frames = (0..<60).map { index in
                    let bytes = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                        UInt8.random(in: 0...255, using: &random)
                    }
                    return frame(Bool.random(using: &random) ? .sent : .received, bytes, after: index)
                }
                _ = decode(frames, of: model)
            }
        }
    }
}
