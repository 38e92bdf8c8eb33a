internal import Dispatch
internal import Synchronization

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
/// Calls, signals and exported objects all go through one serial queue: messages are handled in the order in which they
/// arrive, and a signal emitted before a reply arrives before it.
///
/// The connection stays open as long as something holds a reference to it, waits for a call on it, or holds one of its
/// `DBusSignals`. An exported object that itself holds the connection keeps it open until `unexport` or `close`.
public actor DBusConnection {
    /// The name that the bus gave to this connection, such as `:1.42`.
    public nonisolated let uniqueName: String

    nonisolated let executor: QueueExecutor
    /// The connection's own serial queue.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Nil once closed.
    var transport: DBusTransport?
    var pending = PendingCalls<WaitingCall>()
    var deadlineTimer: (any DispatchSourceTimer)?
    /// When `deadlineTimer` fires next, in nanoseconds of uptime.
    var armedDeadline = UInt64.max
    var router = SignalRouter()
    var matches = MatchCounts()
    var exports = ExportTable()
    var keyOrder: KeyOrder?

    private init(_ transport: DBusTransport) {
        self.transport = transport
        uniqueName = transport.uniqueName
        executor = QueueExecutor(label: "DBus \(transport.uniqueName)")
    }

    /// Connects to a bus.
    /// - Parameters:
    ///   - address: the bus to connect to.
    ///   - timeout: how long connecting, authentication and greeting may take together.
    /// - Throws: `DBusError.cannotConnect` with the reason, or `.cancelled`.
    public static func open(
        _ address: DBusAddress, timeout: Duration = .seconds(10)
    ) async throws(DBusError) -> DBusConnection {
        let text = try address.resolved()
        let connection = DBusConnection(try await TransportOpener.open(text, limit: timeout))
        guard await connection.start() else {
            throw .cannotConnect(address: text.escapedForMessages, reason: "too many open files")
        }
        return connection
    }

    /// Ends the connection: waiting calls fail with `DBusError.disconnected`, streams of signals finish, exported
    /// objects are released. Closing again does nothing.
    public func close() {
        guard let transport else { return }
        self.transport = nil
        transport.close()
        deadlineTimer?.cancel()
        deadlineTimer = nil
        for call in pending.takeAll() { call.finish(.failure(.disconnected)) }
        for stream in router.removeAll() { stream.finish() }
        matches = MatchCounts()
        for export in exports.removeAll() { export.end() }
    }

    /// Sets the order of dictionary entries in replies and signals from now on.
    package func orderDictionaries(by order: @escaping KeyOrder) { keyOrder = order }

    /// False after `close`, and after the bus went away.
    public var isOpen: Bool { transport != nil }

    private func start() -> Bool {
        let watched = transport?.start(on: executor.queue) { [weak self] in
            self?.assumeIsolated { $0.transfer() }
        }
        guard watched == true else {
            close()
            return false
        }
        // Messages that arrived with the greeting were read already, and do not trigger the event source.
        transfer()
        return true
    }

    /// Runs `body` on this actor later, in the order of these and all other jobs. May be called from any thread.
    nonisolated func enqueue(_ body: @escaping @Sendable (isolated DBusConnection) -> Void) {
        executor.queue.async { self.assumeIsolated(body) }
    }
}

extension DBusConnection {
    /// Calls a method and waits for the reply.
    /// - Parameters:
    ///   - destination: a bus name, well-known or unique. A service that does not run is started if the bus can start
    ///     it.
    ///   - path: the object that is called.
    ///   - interface: the interface of the method, such as `org.freedesktop.DBus.Properties`.
    ///   - member: the method's name.
    ///   - arguments: values of exactly the types that the method takes.
    ///   - timeout: how long to wait for the reply.
    /// - Returns: the values of the reply; none for a method without results.
    /// - Throws: `DBusError`: `.remote` for an error reply, `.timedOut`, `.cancelled` when the calling task was
    ///   cancelled, `.disconnected` when the connection is or gets closed, `.invalidMessage` when it cannot be sent. A
    ///   reply that comes later is dropped.
    public func call(
        _ destination: String, _ path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: [DBusValue] = [], timeout: Duration = .seconds(25)
    ) async throws(DBusError) -> [DBusValue] {
        let outgoing = try OutgoingMessage.call(destination, path, interface, member, arguments)
        let title = WaitingCall.Title(path: path, interface: interface, member: member)
        return try await reply(to: outgoing, title, timeout).get()
    }

    /// Calls a method without asking for a reply: the caller does not learn whether it succeeded.
    /// - Throws: `DBusError.invalidMessage`, `.disconnected`.
    public func send(
        _ destination: String, _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue] = []
    ) throws(DBusError) {
        try post(try OutgoingMessage.call(destination, path, interface, member, arguments, noReply: true))
    }

    /// Sends a call and waits for its reply.
    ///
    /// The message is sent and the continuation stored without any `await` in between. Calling an async method in
    /// between would break this: in a task with an executor preference that call suspends, and the reply could be
    /// handled before a task waits for it.
    private func reply(
        to outgoing: borrowing OutgoingMessage, _ title: WaitingCall.Title, _ timeout: Duration
    ) async -> Result<[DBusValue], DBusError> {
        let sent = SentSerial()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let call = WaitingCall(title: title, timeout: timeout, continuation: continuation)
                do throws(DBusError) {
                    guard let transport else { throw .disconnected }
                    if Task.isCancelled { throw .cancelled(call: title.description, wasSent: false) }
                    let serial = try transport.send(outgoing)
                    sent.serial.store(serial, ordering: .relaxed)
                    let deadline = DispatchTime.now().uptimeNanoseconds + timeout.nanoseconds
                    pending.add(call, serial: serial, deadline: deadline)
                    arm(deadline)
                } catch {
                    call.finish(.failure(error))
                }
            }
        } onCancel: {
            enqueue { $0.cancelCall(sent.serial.load(ordering: .relaxed)) }
        }
    }

    /// - Parameter serial: 0 if the call was not sent.
    private func cancelCall(_ serial: UInt32) {
        guard let call = pending.take(serial) else { return }
        call.finish(.failure(.cancelled(call: call.title.description, wasSent: true)))
    }

    /// Makes the one timer of the connection fire at `deadline` at the latest.
    private func arm(_ deadline: UInt64) {
        guard deadline < armedDeadline else { return }
        armedDeadline = deadline
        let timer = deadlineTimer ?? makeTimer()
        timer.schedule(deadline: DispatchTime(uptimeNanoseconds: deadline), leeway: .milliseconds(1))
    }

    private func makeTimer() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: executor.queue)
        timer.setEventHandler { [weak self] in
            self?.assumeIsolated { $0.expireCalls() }
        }
        timer.activate()
        deadlineTimer = timer
        return timer
    }

    /// A reply does not disarm the timer: that costs more than one firing without effect.
    private func expireCalls() {
        armedDeadline = .max
        for call in pending.takeExpired(at: DispatchTime.now().uptimeNanoseconds) {
            call.finish(.failure(.timedOut(call: call.title.description, seconds: call.timeout.seconds)))
        }
        if let next = pending.nextDeadline { arm(next) }
    }
}

/// The serial of a call once it was sent, 0 before. Used only in jobs of the connection's queue.
private final class SentSerial: Sendable {
    let serial = Atomic<UInt32>(0)
}

extension DBusConnection {
    private static let doNotQueue: UInt32 = 4
    private static let primaryOwner = 1
    private static let alreadyOwner = 4

    /// Takes a well-known bus name, such as `org.bluez`. Taking one that this connection has already does nothing.
    /// - Throws: `DBusError.nameTaken` if another connection owns it; `.remote` if the bus does not allow it.
    public func requestName(_ name: String) async throws(DBusError) {
        try Names.requireBusName(name)
        let answer = try await call(
            BusDriver.name, BusDriver.path, BusDriver.interface, "RequestName",
            [.string(name), .uint32(Self.doNotQueue)])
        guard let code = answer.first?.intValue, code == Self.primaryOwner || code == Self.alreadyOwner else {
            throw .nameTaken(name)
        }
    }

    /// Releases a name. Does nothing if this connection does not own it.
    public func releaseName(_ name: String) async throws(DBusError) {
        try Names.requireBusName(name)
        _ = try await call(BusDriver.name, BusDriver.path, BusDriver.interface, "ReleaseName", [.string(name)])
    }

    /// The unique name of the connection that owns `name` now; nil if none does.
    public func owner(of name: String) async throws(DBusError) -> String? {
        try Names.requireBusName(name)
        do throws(DBusError) {
            return try await call(BusDriver.name, BusDriver.path, BusDriver.interface, "GetNameOwner", [.string(name)])
                .first?.stringValue
        } catch {
            guard error.remoteName == StandardError.nameHasNoOwner else { throw error }
            return nil
        }
    }
}

extension DBusConnection {
    /// How often the socket is read in one run, each time about 2 KiB, before other jobs of the actor run.
    private static let readsAtOnce = 64

    /// Moves bytes, and handles every message that is complete.
    func transfer() {
        for _ in 0..<Self.readsAtOnce {
            guard let transport else { return }
            transport.transfer()
            while let message = transport.nextMessage() { handle(message) }
            guard transport.isConnected else { return close() }
            guard transport.hasInput else { return }
        }
    }

    /// Sends a message without waiting for a reply.
    func post(_ outgoing: borrowing OutgoingMessage) throws(DBusError) {
        guard let transport else { throw .disconnected }
        _ = try transport.send(outgoing)
    }

    private func handle(_ message: borrowing ReceivedMessage) {
        switch message.kind {
        case .methodReturn, .error: receiveReply(message)
        case .signal: receiveSignal(message)
        case .methodCall: receiveCall(message)
        case nil: break
        }
    }

    private func receiveReply(_ message: borrowing ReceivedMessage) {
        // No call waits for it: it came after a timeout or a cancellation, or answers a call that was never made.
        guard let call = pending.take(message.replySerial) else { return }
        call.finish(message.result())
    }
}

/// The bus itself, as a peer.
package enum BusDriver {
    package static let name = "org.freedesktop.DBus"
    package static let path = ObjectPath(unchecked: "/org/freedesktop/DBus")
    package static let interface = "org.freedesktop.DBus"
}
