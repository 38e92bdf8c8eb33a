public import DBus

/// systemd and logind as far as istep uses them, on a private bus.
public actor FakeSystemd: DBusObject {
    public struct Unit: Sendable {
        public var isInstalled = true
        public var fileState = "disabled"
        public var activeState = "inactive"
        /// Properties of the interface of its kind.
        public var own: [String: DBusValue] = [:]
        /// How a job for it ends; nil if it does not.
        public var jobResult: String? = "done"

        public init() {}
    }

    private let bus: DBusConnection
    public private(set) var units: [String: Unit]
    public private(set) var calls: [String] = []
    /// Answer of every call that changes something, by error name.
    private var refusal: String?
    private var linger: Bool?
    private var nextJob = 1

    /// - Parameter linger: the answer of logind; nil for a user that it does not know.
    public static func start(_ address: String, units: [String: Unit], linger: Bool? = nil) async throws -> FakeSystemd
    {
        let fake = FakeSystemd(try await DBusConnection.open(.address(address)), units, linger)
        await fake.bus.export(fake, at: "/", subtree: true)
        try await fake.bus.requestName("org.freedesktop.systemd1")
        try await fake.bus.requestName("org.freedesktop.login1")
        return fake
    }

    /// Disabled units with these names.
    public static func installed(_ names: [String]) -> [String: Unit] {
        Dictionary(uniqueKeysWithValues: names.map { ($0, Unit()) })
    }

    private init(_ bus: DBusConnection, _ units: [String: Unit], _ linger: Bool?) {
        self.bus = bus
        self.units = units
        self.linger = linger
    }

    public func refuse(with error: String?) { refusal = error }

    public func set(_ name: String, _ change: @Sendable (inout Unit) -> Void) {
        var unit = units[name] ?? Unit()
        change(&unit)
        units[name] = unit
    }

    public func close() async { await bus.close() }

    public func receive(_ call: DBusMethodCall) async {
        let message = call.message
        calls.append(message.member ?? "")
        let words = message.body.first?.arrayValue?.compactMap(\.stringValue) ?? message.body.compactMap(\.stringValue)
        switch message.member {
        case "LoadUnit": await call.reply([.objectPath(Self.path(of: words[0]))])
        case "GetAll": await properties(call, of: message.path?.lastElement ?? "", words[0])
        case "Subscribe", "Unsubscribe", "Reload": await call.reply()
        case "EnableUnitFiles": await change(call, words) { $0.fileState = "enabled" }
        case "DisableUnitFiles": await change(call, words) { $0.fileState = "disabled" }
        case "StartUnit": await job(call, words[0], "active")
        case "StopUnit": await job(call, words[0], "inactive")
        case "GetUser":
            if linger == nil {
                return await call.fail("org.freedesktop.login1.NoSuchUser", "not logged in or lingering")
            }
            await call.reply([.objectPath("/org/freedesktop/login1/user/self")])
        case "Get": await call.reply([.variant(.boolean(linger ?? false))])
        default: await call.fail("org.freedesktop.DBus.Error.UnknownMethod", "\(message.member ?? "")")
        }
    }

    private func properties(_ call: DBusMethodCall, of element: String, _ interface: String) async {
        let name = Self.name(element)
        guard let unit = units[name], unit.isInstalled else {
            if interface != "org.freedesktop.systemd1.Unit" {
                return await call.fail("org.freedesktop.DBus.Error.UnknownInterface", "Unknown interface \(interface).")
            }
            return await call.reply([
                .properties(["LoadState": .string("not-found"), "ActiveState": .string("inactive")])
            ])
        }
        guard interface == "org.freedesktop.systemd1.Unit" else { return await call.reply([.properties(unit.own)]) }
        await call.reply([
            .properties([
                "LoadState": .string("loaded"), "UnitFileState": .string(unit.fileState),
                "ActiveState": .string(unit.activeState),
            ])
        ])
    }

    private func change(_ call: DBusMethodCall, _ names: [String], _ change: (inout Unit) -> Void) async {
        if let refusal { return await call.fail(refusal, "Access denied") }
        for name in names where units[name] != nil { change(&units[name]!) }
        let none = DBusValue.array(element: "(sss)", [])
        await call.reply(call.message.member == "EnableUnitFiles" ? [.boolean(true), none] : [none])
    }

    private func job(_ call: DBusMethodCall, _ name: String, _ state: String) async {
        if let refusal { return await call.fail(refusal, "Access denied") }
        guard let unit = units[name] else {
            return await call.fail("org.freedesktop.systemd1.NoSuchUnit", "Unit \(name) not found.")
        }
        if unit.jobResult == "done" { units[name]?.activeState = state }
        let job = ObjectPath("/org/freedesktop/systemd1/job/\(nextJob)")!
        nextJob += 1
        // systemd also reports other jobs, and answers before the job ends.
        await call.reply([.objectPath(job)])
        let ends: [(path: String, result: String?)] = [
            ("/org/freedesktop/systemd1/job/900", "failed"), (job.string, unit.jobResult),
        ]
        for (path, result) in ends {
            guard let result else { continue }
            try? await bus.emit(
                "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager", "JobRemoved",
                [.uint32(1), .objectPath(ObjectPath(path)!), .string(name), .string(result)])
        }
    }

    /// systemd's escaping of a name in a path: `_2d` for what is no letter or digit.
    private static func path(of name: String) -> ObjectPath {
        let escaped = name.utf8.map { byte -> String in
            let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
            let digits = String(byte, radix: 16)
            return isPlain ? String(UnicodeScalar(byte)) : "_" + (digits.count == 1 ? "0" : "") + digits
        }
        return ObjectPath("/org/freedesktop/systemd1/unit/" + escaped.joined())!
    }

    private static func name(_ element: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(element.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "_"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                rest = rest.dropFirst(2)
                bytes.append(value)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
