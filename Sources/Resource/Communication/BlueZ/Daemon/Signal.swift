internal import Synchronization

/// A value that comes at most once, for at most one who waits.
final class Signal<Value: Sendable>: Sendable {
    private let stream: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation
    private let sent = Atomic(false)

    init() {
        (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingOldest(1))
    }

    var isSent: Bool { sent.load(ordering: .acquiring) }

    func send(_ value: Value) {
        sent.store(true, ordering: .releasing)
        continuation.yield(value)
        continuation.finish()
    }

    /// Nil when the waiting task is cancelled first.
    var value: Value? {
        get async { await stream.first { _ in true } }
    }
}
