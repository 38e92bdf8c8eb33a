import StepDomain
import Synchronization
import TestSupport
import Testing

@testable import StepServices

@Suite(.timeLimit(.minutes(5))) struct ReplayingTests {
    private let ring = Pedometer(
        id: 1, user: 1, model: "colmi", address: "30:34:42:00:00:01", addressType: "public", name: "ring",
        clock: ClockState(settings: [.init(at: Timestamp(9), utcOffset: 0)]),
        cursor: PedometerCursor(readThrough: Timestamp(999)))

    /// Moves the cursor to the time of the first frame; a frame `[0]` is not understood, `[1]` is of a counter, and
    /// `[2]` sets the clock.
    private final class Decoder: FrameDecoder {
        let began = Mutex<[Pedometer]>([])

        func decode(_ frames: [RawFrame], of pedometer: Pedometer, localTime: LocalTime) -> (
            batches: [SampleBatch], clock: ClockState.Setting?
        )? {
            began.withLock { $0.append(pedometer) }
            let first = frames[0]
            if first.bytes == [0] { return nil }
            let counter = first.bytes == [1] ? CounterReading(at: first.at, value: 5, utcOffset: 0) : nil
            let cursor = PedometerCursor(readThrough: first.at, counter: counter)
            let setting = ClockState.Setting(at: first.at, utcOffset: 3600)
            return ([SampleBatch(samples: [], cursor: cursor)], first.bytes == [2] ? setting : nil)
        }
    }

    private func reading(
        _ time: Int, _ bytes: [UInt8]?, _ outcome: SyncRecord.Outcome = .complete, _ counts: MergeCounts = .init()
    ) -> StoredReading {
        let sync = SyncRecord(id: Int64(time), pedometer: 1, start: Timestamp(time), outcome: outcome, counts: counts)
        return StoredReading(
            sync: sync, frames: bytes.map { [RawFrame(.received, at: Timestamp(time), bytes: $0)] } ?? [])
    }

    private func replay(_ readings: StoredReading...) -> (result: PedometerReplay, began: [Pedometer]) {
        let decoder = Decoder()
        var replay = ReplayedPedometer(ring, decoder, .fixed(0))
        for reading in readings { replay.add(reading) }
        return (replay.result, decoder.began.withLock { $0 })
    }

    @Test func `each reading begins where the one before has ended`() {
        let (result, began) = replay(reading(10, [2]), reading(20, nil, .failed), reading(30, [7]))
        #expect(began.map(\.cursor.readThrough) == [nil, Timestamp(10)])
        #expect(began.map(\.clock.settings.count) == [0, 1], "also with the clock as it was then")
        #expect(result.readings.map(\.sync) == [10, 30] && result.kept == 0 && result.withoutFrames == 0)
    }

    @Test func `after a reading of slots that is not understood, the next one goes on from its time`() {
        let (result, began) = replay(
            reading(10, [7]), reading(20, [0]), reading(25, [0], .failed), reading(30, [7]),
            reading(40, nil, .complete, MergeCounts(added: 1, frames: 3)), reading(50, [7]))
        #expect(began.map(\.cursor.readThrough?.seconds) == [nil, 10, 20, 20, 40])
        #expect(result.readings.map(\.sync) == [10, 30, 50] && result.kept == 2 && result.withoutFrames == 1)
    }

    @Test func `after a reading of a counter that is not understood, no difference is known`() {
        let (result, _) = replay(reading(10, [1]), reading(20, [0]), reading(30, [1]))
        #expect(result.readings.map(\.sync) == [10] && result.kept == 2)
        let live = replay(reading(10, [1]), reading(20, nil, .complete, MergeCounts(added: 1)), reading(30, [1]))
        #expect(live.result.readings.map(\.sync) == [10] && live.result.kept == 1)
    }
}
