internal import CDBus
internal import Dispatch

/// Connects, authenticates and says Hello, waiting for each on the calling thread.
enum Handshake {
    /// Once in a process, before anything else of libdbus.
    private static let prepared: Void = {
        dbus_threads_init_default()
        // What happens on SIGPIPE is the program's business; libdbus writes with MSG_NOSIGNAL anyway.
        dbus_connection_set_change_sigpipe(0)
    }()

    static func perform(_ address: String, until deadline: DispatchTime, limit: Duration) -> Result<Link, DBusError> {
        _ = prepared
        guard !address.isEmpty, !address.utf8.contains(0) else {
            return .failure(.cannotConnect(address: address.escapedForMessages, reason: "this is no D-Bus address"))
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
            return .success(Link(owning: connection, uniqueName: name))
        case let failure:
            dbus_connection_close(connection)
            dbus_connection_unref(connection)
            return .failure(self.error(failure, address, limit))
        }
    }

    static func noAnswer(_ address: String, _ limit: Duration) -> DBusError {
        .cannotConnect(
            address: address.escapedForMessages,
            reason: "no answer within \(limit.seconds.plainText) s; is it a D-Bus socket, and is the bus running?")
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
                    guard let name = values.first?.stringValue else { return .refused("the answer to Hello holds no name") }
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
                reason: "the connection was ended during the greeting; the other end is no bus, or does not admit this user")
        }
    }
}
