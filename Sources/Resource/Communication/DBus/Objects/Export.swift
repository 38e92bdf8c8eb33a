internal import Synchronization

/// An exported object, with the calls that wait for it.
final class Export: Sendable {
    /// Calls that may wait while the object is busy; beyond that they are refused.
    static let maximumWaiting = 1024

    let includesSubtree: Bool
    private let calls: AsyncStream<DBusMethodCall>.Continuation
    private let state = State()

    init(_ object: any DBusObject, includesSubtree: Bool) {
        self.includesSubtree = includesSubtree
        let (stream, continuation) = AsyncStream.makeStream(
            of: DBusMethodCall.self, bufferingPolicy: .bufferingOldest(Self.maximumWaiting))
        calls = continuation
        // The task does not hold the export, so that letting go of that ends it. It is not cancelled: an object may
        // well be unexported by one of its own methods, which then still has to finish.
        Task { [state] in
            for await call in stream {
                if state.isEnded.load(ordering: .acquiring) {
                    await call.fail(StandardError.unknownObject, "the object is gone")
                } else {
                    await object.receive(call)
                }
            }
        }
    }

    deinit {
        end()
    }

    func deliver(_ call: DBusMethodCall) {
        if case .dropped = calls.yield(call) {
            Task { await call.fail(StandardError.limitsExceeded, "too many calls are waiting") }
        }
    }

    /// Calls that still wait are answered with an error.
    func end() {
        state.isEnded.store(true, ordering: .releasing)
        calls.finish()
    }

    private final class State: Sendable {
        let isEnded = Atomic(false)
    }
}
