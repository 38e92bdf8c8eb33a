public import DBus

/// A fake `org.freedesktop.ModemManager1` on a private bus, controlled by a test.
///
/// It checks arguments and answers calls as the real one does (read in 1.20.4): it marks a message as sent after the modem has
/// confirmed it, and never before.
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
    public static func start(_ address: String, modems: [Int: FakeModem] = [0: FakeModem()]) async throws -> FakeModemManager {
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
                    "Messages": .objectPaths(paths), "SupportedStorages": .array(element: "u", [.uint32(1), .uint32(2)]),
                    "DefaultStorage": .uint32(2),
                ])
            }
            let path = Self.root.appending("Modem").appending(String(number))
            objects[.objectPath(path)] = .dictionary(key: "s", value: "a{sv}", interfaces)
        }
        return .dictionary(key: "o", value: "a{sa{sv}}", objects)
    }
}
