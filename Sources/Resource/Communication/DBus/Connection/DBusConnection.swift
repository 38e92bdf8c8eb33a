internal import Dispatch

/// A connection to a message bus.
///
/// ```swift
/// let bus = try await DBusConnection.open(.system)
/// let objects = try await bus.call("org.bluez", "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
/// let changes = try await bus.signals(
///     MatchRule(sender: "org.bluez", interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged"))
/// for await change in changes { print(change.path, change.body) }
/// ```
///
/// Calls, signals and exported objects all go through one serial queue: what arrives in some order is handled in that order, and a
/// signal emitted before a reply arrives before it.
///
/// The connection lives as long as somebody holds it, waits for a call on it, or holds one of its `DBusSignals`. An exported object
/// that itself holds the connection keeps it alive until `unexport` or `close`.
public actor DBusConnection {
    /// The name that the bus gave to this connection, such as `:1.42`.
    public nonisolated let uniqueName: String

    nonisolated let executor: QueueExecutor
    /// The connection's own serial queue.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Nil once closed.
    var link: Link?
    var pending = PendingCalls<WaitingCall>()
    var deadlineTimer: (any DispatchSourceTimer)?
    /// When `deadlineTimer` fires next, in nanoseconds of uptime.
    var armedDeadline = UInt64.max
    var router = SignalRouter()
    var matches = MatchCounts()
    var exports = ExportTable()

    private init(_ link: Link) {
        self.link = link
        uniqueName = link.uniqueName
        executor = QueueExecutor(label: "DBus \(link.uniqueName)")
    }

    /// Connects to a bus.
    /// - Parameters:
    ///   - address: which bus.
    ///   - timeout: how long connecting, authentication and greeting may take together.
    /// - Throws: `DBusError.cannotConnect` with the reason, or `.cancelled`.
    public static func open(
        _ address: DBusAddress, timeout: Duration = .seconds(10)
    ) async throws(DBusError) -> DBusConnection {
        let text = try address.resolved()
        let connection = DBusConnection(try await LinkOpener.open(text, limit: timeout))
        guard await connection.start() else {
            throw .cannotConnect(address: text.escapedForMessages, reason: "too many open files")
        }
        return connection
    }

    /// Ends the connection: waiting calls fail with `DBusError.disconnected`, streams of signals finish, exported objects are let go.
    /// Closing again does nothing.
    public func close() {
        guard let link else { return }
        self.link = nil
        link.close()
        deadlineTimer?.cancel()
        deadlineTimer = nil
        for call in pending.takeAll() { call.finish(.failure(.disconnected)) }
        for stream in router.removeAll() { stream.finish() }
        matches = MatchCounts()
        for export in exports.removeAll() { export.end() }
    }

    /// False after `close`, and after the bus went away.
    public var isOpen: Bool { link != nil }

    private func start() -> Bool {
        let watched = link?.start(on: executor.queue) { [weak self] in
            self?.assumeIsolated { $0.transfer() }
        }
        guard watched == true else {
            close()
            return false
        }
        // What came along with the greeting was read already, and wakes nobody.
        transfer()
        return true
    }

    /// Runs `body` on this actor some time later, in the order of these and all other jobs, from any thread.
    nonisolated func enqueue(_ body: @escaping @Sendable (isolated DBusConnection) -> Void) {
        executor.queue.async { self.assumeIsolated(body) }
    }
}
