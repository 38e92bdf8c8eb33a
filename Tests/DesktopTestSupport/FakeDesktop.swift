public import DBus

/// A session's notification server, with the capabilities that a test sets; it records the notices that it shows.
public actor FakeDesktop: DBusObject {
    public struct Shown: Hashable, Sendable {
        public var program: String
        public var icon: String
        public var summary: String
        public var body: String
        public var hints: [String: DBusValue]
    }

    private let bus: DBusConnection
    private let capabilities: [String]
    /// In the order of the calls.
    public private(set) var shown: [Shown] = []
    private var refusal: (name: String, from: Int)?
    /// The calls to answer later. While nil, it answers immediately.
    private var unanswered: [(DBusMethodCall, Int)]?

    public static let name = "org.freedesktop.Notifications"

    private init(_ bus: DBusConnection, _ capabilities: [String]) {
        self.bus = bus
        self.capabilities = capabilities
    }

    /// Registers its name on a bus.
    public static func start(_ address: String, capabilities: [String] = ["body", "body-markup"]) async throws
        -> FakeDesktop
    {
        let bus = try await DBusConnection.open(.address(address))
        let desktop = FakeDesktop(bus, capabilities)
        await bus.export(desktop, at: "/org/freedesktop/Notifications")
        try await bus.requestName(name)
        return desktop
    }

    public func stop() async { await bus.close() }

    /// Refuses with this error from the notice of this number on; nil accepts all again.
    public func refuse(_ error: String?, from number: Int = 1) { refusal = error.map { ($0, number) } }

    /// From now on it shows notices but does not answer, until `answer` is called.
    public func dawdle() { unanswered = unanswered ?? [] }

    /// Answers the calls that wait, and all later ones.
    public func answer() async {
        let late = unanswered ?? []
        unanswered = nil
        for (call, number) in late { await call.reply([.uint32(UInt32(number))]) }
    }

    /// Returns once it has shown `count` notices.
    public func until(_ count: Int) async throws {
        while shown.count < count {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    public func receive(_ call: DBusMethodCall) async {
        guard call.message.interface == Self.name else {
            return await call.fail("org.freedesktop.DBus.Error.UnknownInterface", "")
        }
        switch call.message.member {
        case "GetCapabilities": await call.reply([.array(element: "s", capabilities.map { .string($0) })])
        case "Notify": await notify(call)
        default: await call.fail("org.freedesktop.DBus.Error.UnknownMethod", "")
        }
    }

    private func notify(_ call: DBusMethodCall) async {
        guard call.message.signature == "susssasa{sv}i" else {
            return await call.fail("org.freedesktop.DBus.Error.InvalidArgs", "")
        }
        if let refusal, shown.count + 1 >= refusal.from { return await call.fail(refusal.name, "no") }
        let body = call.message.body
        shown.append(
            Shown(
                program: body[0].stringValue ?? "", icon: body[2].stringValue ?? "", summary: body[3].stringValue ?? "",
                body: body[4].stringValue ?? "", hints: body[6].propertiesValue ?? [:]))
        if unanswered == nil {
            await call.reply([.uint32(UInt32(shown.count))])
        } else {
            unanswered?.append((call, shown.count))
        }
    }
}
