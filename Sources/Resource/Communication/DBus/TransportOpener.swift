internal import CDBus
internal import Dispatch
internal import Support
internal import Synchronization

/// Opens a connection on a separate thread, because libdbus blocks while it connects and authenticates, without a limit
/// for a peer that accepts the connection and then sends nothing.
final class TransportOpener: Sendable {
    private typealias Outcome = Result<DBusTransport, DBusError>

    private enum State {
        case idle
        case waiting(CheckedContinuation<Outcome, Never>)
        /// Known before a caller waited.
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
    static func open(_ address: String, limit: Duration) async throws(DBusError) -> DBusTransport {
        let opener = TransportOpener(address, limit)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in opener.begin(continuation) }
        } onCancel: {
            opener.finish(.failure(.cancelled(call: "connecting to \(address.escapedForMessages)", wasSent: false)))
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
        // Separate queues: blocking calls must not occupy threads that run Swift's tasks.
        DispatchQueue(label: "DBus opening").async {
            self.finish(Handshake.perform(self.address, until: deadline, limit: self.limit))
        }
        // Connecting itself cannot be interrupted (for example with a full backlog), but the wait for it can.
        DispatchQueue(label: "DBus opening, limit").asyncAfter(deadline: deadline + .milliseconds(100)) {
            self.finish(.failure(Handshake.noAnswer(self.address, self.limit)))
        }
    }

    /// The first outcome counts; a connection that comes too late is closed by releasing it.
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

/// Connects, authenticates and sends Hello, blocking the calling thread for each.
enum Handshake {
    /// Once per process, before any other call of libdbus.
    private static let prepared: Void = {
        dbus_threads_init_default()
        // The program decides about SIGPIPE; libdbus writes with MSG_NOSIGNAL anyway.
        dbus_connection_set_change_sigpipe(0)
    }()

    static func perform(_ address: String, until deadline: DispatchTime, limit: Duration) -> Result<
        DBusTransport, DBusError
    > {
        if let problem = cdbus_problem() {
            return .failure(.cannotConnect(address: address.escapedForMessages, reason: String(cString: problem)))
        }
        _ = prepared
        guard !address.isEmpty, !address.utf8.contains(0) else {
            return .failure(.cannotConnect(address: address.escapedForMessages, reason: "this is not a D-Bus address"))
        }
        var error = CDBus.DBusError()
        dbus_error_init(&error)
        defer { dbus_error_free(&error) }
        guard let connection = dbus_connection_open_private(address, &error) else {
            let reason = error.message.map { String(cString: $0) } ?? "unknown reason"
            return .failure(.cannotConnect(address: address.escapedForMessages, reason: reason.escapedForMessages))
        }
        dbus_connection_set_exit_on_disconnect(connection, 0)
        switch hello(connection, until: deadline) {
        case .name(let name):
            return .success(DBusTransport(owning: connection, uniqueName: name))
        case let failure:
            dbus_connection_close(connection)
            dbus_connection_unref(connection)
            return .failure(self.error(failure, address, limit))
        }
    }

    static func noAnswer(_ address: String, _ limit: Duration) -> DBusError {
        .cannotConnect(
            address: address.escapedForMessages,
            reason: "no answer within \(brief(limit.seconds)) s; is it a D-Bus socket, and is the bus running?")
    }

    private enum Greeting {
        case name(String)
        case refused(String)
        case hungUp
        case noAnswer
    }

    private static func hello(_ connection: OpaquePointer, until deadline: DispatchTime) -> Greeting {
        var serial: UInt32 = 0
        guard
            let outgoing = try? OutgoingMessage.call(BusDriver.name, BusDriver.path, BusDriver.interface, "Hello", []),
            dbus_connection_send(connection, outgoing.message, &serial) != 0
        else { return .refused("out of memory") }
        while true {
            let now = DispatchTime.now()
            guard now < deadline else { return .noAnswer }
            let milliseconds = (deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000 + 1
            dbus_connection_read_write(connection, Int32(clamping: milliseconds))
            while let message = dbus_connection_pop_message(connection).map(ReceivedMessage.init(owning:)) {
                guard message.replySerial == serial else { continue }
                switch message.result() {
                case .success(let values):
                    guard let name = values.first?.stringValue else {
                        return .refused("the answer to Hello holds no name")
                    }
                    return .name(name)
                case .failure(let error):
                    return .refused(error.description.escapedForMessages)
                }
            }
            if dbus_connection_get_is_connected(connection) == 0 { return .hungUp }
        }
    }

    private static func error(_ greeting: Greeting, _ address: String, _ limit: Duration) -> DBusError {
        let shown = address.escapedForMessages
        return switch greeting {
        case .refused(let reason): .cannotConnect(address: shown, reason: reason)
        case .noAnswer: noAnswer(address, limit)
        case .hungUp, .name:
            .cannotConnect(
                address: shown,
                reason: "the connection was ended during the greeting; the other end is not a bus, or refuses this user"
            )
        }
    }
}
