public import DBus

/// A fake `org.freedesktop.ModemManager1` on a private bus, controlled by a test.
///
/// It checks arguments and answers calls as the real one does (read in 1.20.4): it marks a message as sent after the
/// modem has confirmed it, and never before.
public actor FakeModemManager: DBusObject {
    /// What happens to a message that is to be sent.
    public enum Sending: Sendable {
        /// It is sent.
        case succeed
        /// It is not sent, and the caller gets this error.
        case fail(_ name: String, _ message: String)
        /// It is sent, but the caller gets this error.
        case succeedWithError(_ name: String, _ message: String)
        /// The caller gets no answer.
        case hang
        /// ModemManager ends before the modem has received anything.
        case die
        /// The modem sends it, and ModemManager ends before it can answer.
        case succeedAndDie
    }

    public let bus: DBusConnection
    /// By the numbers of their paths.
    public private(set) var modems: [Int: FakeModem] = [:]
    /// By their paths, in the order in which they were made.
    public internal(set) var messages: [(path: String, message: FakeMessage)] = []
    /// The messages that were really sent, in order.
    public private(set) var delivered: [FakeMessage] = []
    /// Interface and method of every call except those of `Properties` and `ObjectManager`.
    public internal(set) var calls: [String] = []
    var sending: [Sending] = []
    var refusals: [String: (name: String, message: String)] = [:]
    var held: [DBusMethodCall] = []
    var watchers: [CheckedContinuation<Void, Never>] = []
    var nextMessage = 0

    static let root: ObjectPath = "/org/freedesktop/ModemManager1"

    private init(bus: DBusConnection) {
        self.bus = bus
    }

    /// Starts with one modem, number 0, that is registered.
    public static func start(_ address: String, modems: [Int: FakeModem] = [0: FakeModem()]) async throws
        -> FakeModemManager
    {
        let fake = FakeModemManager(bus: try await DBusConnection.open(.address(address)))
        await fake.set(modems)
        await fake.bus.export(fake, at: root, subtree: true)
        try await fake.bus.requestName("org.freedesktop.ModemManager1")
        return fake
    }

    /// Leaves the bus.
    public func stop() async {
        held = []
        // The bus notices a closed connection some time later; after the answer to this call the name is free.
        try? await bus.releaseName("org.freedesktop.ModemManager1")
        await bus.close()
    }

    // MARK: What a test sets

    public func set(_ modems: [Int: FakeModem]) { self.modems = modems }
    public func add(_ message: FakeMessage) { _ = keep(message) }

    /// What happens to the next messages; the last value applies to all that follow.
    public func onSend(_ sending: Sending...) { self.sending = sending }

    /// Answers a method, such as `Create`, with an error.
    public func refuse(_ member: String, _ name: String, _ message: String) { refusals[member] = (name, message) }

    /// Returns when there is a call to send a message that has got no answer.
    public func hanging() async {
        if !held.isEmpty { return }
        await withCheckedContinuation { watchers.append($0) }
    }

    /// The modem sends the messages without an answer, and ModemManager marks them as sent and answers the calls.
    public func finishHanging() async {
        for call in held {
            if let path = call.message.path { deliver(path, noted: true) }
            await call.reply()
        }
        held = []
    }

    // MARK: State

    func keep(_ message: FakeMessage) -> ObjectPath {
        let path = Self.root.appending("SMS").appending(String(nextMessage))
        nextMessage += 1
        messages.append((path.string, message))
        return path
    }

    func deliver(_ path: ObjectPath, noted: Bool) {
        guard let index = index(of: path) else { return }
        delivered.append(messages[index].message)
        if noted { messages[index].message.state = 5 }
    }

    func index(of path: ObjectPath) -> Int? { messages.firstIndex { $0.path == path.string } }

    func modem(at path: ObjectPath) -> FakeModem? {
        path.parent == Self.root.appending("Modem") ? Int(path.lastElement).flatMap { modems[$0] } : nil
    }

    var managedObjects: DBusValue {
        var objects: [DBusValue: DBusValue] = [:]
        for (number, modem) in modems {
            var interfaces: [DBusValue: DBusValue] = [.string(MessagingInterfaces.modem): .properties(modem.properties)]
            if modem.hasMessaging {
                let paths = messages.compactMap { ObjectPath($0.path) }
                interfaces[.string(MessagingInterfaces.messaging)] = .properties([
                    "Messages": .objectPaths(paths),
                    "SupportedStorages": .array(element: "u", [.uint32(1), .uint32(2)]),
                    "DefaultStorage": .uint32(2),
                ])
            }
            let path = Self.root.appending("Modem").appending(String(number))
            objects[.objectPath(path)] = .dictionary(key: "s", value: "a{sv}", interfaces)
        }
        return .dictionary(key: "o", value: "a{sa{sv}}", objects)
    }
}

// MARK: The calls of clients

extension FakeModemManager {
    private static let core = "org.freedesktop.ModemManager1.Error.Core."

    public func receive(_ call: DBusMethodCall) async {
        let message = call.message
        guard let path = message.path, let interface = message.interface, let member = message.member else {
            return await call.fail("org.freedesktop.DBus.Error.UnknownMethod", "an interface is missing")
        }
        guard let expected = MessagingInterfaces.methods[interface]?[member] else {
            return await call.fail("org.freedesktop.DBus.Error.UnknownMethod", "No such method “\(member)”")
        }
        guard message.signature == expected else {
            return await call.fail(
                "org.freedesktop.DBus.Error.InvalidArgs",
                "Type of message, “(\(message.signature))”, does not match expected type “(\(expected))”")
        }
        if interface != MessagingInterfaces.properties, interface != MessagingInterfaces.objectManager {
            calls.append("\(interface).\(member)")
        }
        if let refusal = refusals[member] { return await call.fail(refusal.name, refusal.message) }
        await answer(call, path, interface, member)
    }

    private func answer(_ call: DBusMethodCall, _ path: ObjectPath, _ interface: String, _ member: String) async {
        switch (interface, member) {
        case (MessagingInterfaces.objectManager, _) where path == Self.root: await call.reply([managedObjects])
        case (MessagingInterfaces.properties, "GetAll"): await getAll(call, path)
        case (MessagingInterfaces.messaging, _) where modem(at: path)?.hasMessaging == true:
            await messaging(call, path, member)
        case (MessagingInterfaces.message, "Send") where index(of: path) != nil: await send(call, path)
        default: await call.fail("org.freedesktop.DBus.Error.UnknownMethod", "Object does not exist at path “\(path)”")
        }
    }

    private func getAll(_ call: DBusMethodCall, _ path: ObjectPath) async {
        let interface = call.message.body.first?.stringValue
        if interface == MessagingInterfaces.modem, let modem = modem(at: path) {
            return await call.reply([.properties(modem.properties)])
        }
        if interface == MessagingInterfaces.message, let index = index(of: path) {
            return await call.reply([.properties(messages[index].message.properties)])
        }
        await call.fail("org.freedesktop.DBus.Error.UnknownMethod", "Object does not exist at path “\(path)”")
    }

    private func messaging(_ call: DBusMethodCall, _ path: ObjectPath, _ member: String) async {
        guard let state = modem(at: path)?.state, state.rawValue >= FakeModem.State.enabled.rawValue else {
            return await call.fail(
                Self.core + "WrongState", "Cannot \(member.lowercased()) SMS: device not yet enabled")
        }
        switch member {
        case "List": await call.reply([.objectPaths(messages.compactMap { ObjectPath($0.path) })])
        case "Create": await create(call)
        default:
            guard let named = call.message.body.first?.pathValue, let index = index(of: named) else {
                return await call.fail(Self.core + "NotFound", "No SMS found with path")
            }
            messages.remove(at: index)
            await call.reply()
        }
    }

    private func create(_ call: DBusMethodCall) async {
        let properties = call.message.body.first?.propertiesValue ?? [:]
        // The real one does not accept other properties or other types either.
        guard case .string(let text)? = properties["text"], case .string(let number)? = properties["number"],
            properties.count == 2
        else {
            return await call.fail(
                Self.core + "InvalidArgs", "Cannot create SMS: mandatory parameter 'number' is missing")
        }
        await call.reply([.objectPath(keep(FakeMessage(text: text, number: number)))])
    }

    private func send(_ call: DBusMethodCall, _ path: ObjectPath) async {
        let what = sending.count > 1 ? sending.removeFirst() : sending.first ?? .succeed
        switch what {
        case .succeed:
            deliver(path, noted: true)
            await call.reply()
        case .fail(let name, let message): await call.fail(name, message)
        case .succeedWithError(let name, let message):
            deliver(path, noted: false)
            await call.fail(name, message)
        case .hang:
            held.append(call)
            for watcher in watchers { watcher.resume() }
            watchers = []
        case .die: await bus.close()
        case .succeedAndDie:
            deliver(path, noted: false)
            await bus.close()
        }
    }
}
