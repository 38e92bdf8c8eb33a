import StepDomain
internal import Synchronization

/// The values of a counter while a watch is connected to it.
///
/// A restart or a midnight sets the counter to zero, and nobody can read what it had counted since the last sync: the
/// last value before that is kept, to be stored as a reading.
final class LiveValues: Sendable {
    private struct State {
        var kept: [CounterReading] = []
        var last: CounterReading?
    }

    /// Resets in one connection; more are a fault.
    private static let most = 100
    private let state = Mutex(State())

    func add(_ reading: CounterReading) {
        state.withLock { state in
            if let last = state.last, reading.value < last.value, state.kept.count < Self.most {
                state.kept.append(last)
            }
            state.last = reading
        }
    }

    /// - Parameter withLast: whether the last value is among them; it is not needed if the counter is read now.
    func take(withLast: Bool) -> [CounterReading] {
        state.withLock { $0.kept + (withLast ? [$0.last].compactMap(\.self) : []) }
    }
}

extension PedometerReader {
    /// Delivers values that a pedometer has reported live, as if it were read.
    func deliver(_ values: [CounterReading], of pedometer: Pedometer, to receiver: any ReadingReceiver) async {
        var current = pedometer
        do {
            for value in values {
                guard let batch = batch(of: value, from: current) else { continue }
                try await receiver.merge(batch, of: pedometer)
                current.cursor = batch.cursor ?? current.cursor
            }
            await receiver.end(of: pedometer, .success(ReadReport()))
        } catch {
            await receiver.end(of: pedometer, .failure(error))
        }
    }
}

/// Whether a watch is about to end: no sync follows.
final class WatchEnd: Sendable {
    private let flag = Mutex(false)

    var hasBegun: Bool { flag.withLock { $0 } }

    func begin() { flag.withLock { $0 = true } }
}
