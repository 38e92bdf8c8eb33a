internal import CDBus
internal import Dispatch
internal import Synchronization

/// Opens a connection on a thread of its own, because libdbus connects and authenticates by waiting, with no limit that would
/// hold for a peer that accepts and then says nothing.
final class LinkOpener: Sendable {
    private typealias Outcome = Result<Link, DBusError>

    private enum State {
        case idle
        case waiting(CheckedContinuation<Outcome, Never>)
        /// Known before anybody waited.
        case early(Outcome)
        case over
    }

    private let state = Mutex(State.idle)
    private let address: String
    private let limit: Duration

    private init(_ address: String, _ limit: Duration) {
        self.address = address
        self.limit = limit
    }

    /// - Throws: `DBusError.cannotConnect`, or `.cancelled`.
    static func open(_ address: String, limit: Duration) async throws(DBusError) -> Link {
        let opener = LinkOpener(address, limit)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in opener.begin(continuation) }
        } onCancel: {
            opener.finish(.failure(.cancelled(call: "connecting to \(address.escapedForMessages)")))
        }
        return try outcome.get()
    }

    private func begin(_ continuation: CheckedContinuation<Outcome, Never>) {
        let early: Outcome? = state.withLock { state in
            if case .early(let outcome) = state {
                state = .over
                return outcome
            }
            state = .waiting(continuation)
            return nil
        }
        if let early { return continuation.resume(returning: early) }
        let deadline = DispatchTime.now() + limit.dispatchInterval
        // Queues of their own: what blocks must not take a thread from those that run Swift's tasks.
        DispatchQueue(label: "DBus opening").async {
            self.finish(Handshake.perform(self.address, until: deadline, limit: self.limit))
        }
        // Connecting itself cannot be interrupted (a full backlog, say); whoever waits for it can.
        DispatchQueue(label: "DBus opening, limit").asyncAfter(deadline: deadline + .milliseconds(100)) {
            self.finish(.failure(Handshake.noAnswer(self.address, self.limit)))
        }
    }

    /// The first outcome counts; a connection that comes too late is closed by letting go of it.
    private func finish(_ outcome: Outcome) {
        let waiting: CheckedContinuation<Outcome, Never>? = state.withLock { state in
            switch state {
            case .idle:
                state = .early(outcome)
                return nil
            case .waiting(let continuation):
                state = .over
                return continuation
            case .early, .over:
                return nil
            }
        }
        waiting?.resume(returning: outcome)
    }
}
