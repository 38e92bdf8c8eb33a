import BlueZ
import DBus
import Testing

/// `org.bluez` as scripted by a test: objects that the test changes, and scripts for each method.
///
/// A call without a script fails the test.
actor FakeBlueZ: DBusObject {
    typealias Properties = [String: DBusValue]
    typealias Script = @Sendable (FakeBlueZ, DBusMethodCall) async -> Void

    let bus: DBusConnection
    private(set) var objects: [ObjectPath: [String: Properties]] = [:]
    /// Members in the order in which they were called, for all paths; GetManagedObjects left out.
    private(set) var calls: [String] = []
    private var scripts: [String: [Script]] = [:]
    private var watchers: [CheckedContinuation<Void, Never>] = []
    /// Kept so that they stay unanswered until the test answers.
    private var held: [String: DBusMethodCall] = [:]

    init(bus: DBusConnection) {
        self.bus = bus
        for member in ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "StartNotify", "StopNotify"] {
            scripts[member] = [Self.agree]
        }
        for member in ["RegisterAgent", "UnregisterAgent"] { scripts[member] = [Self.agree] }
        scripts["Disconnect"] = [Self.disconnect]
    }

    /// - Parameter objects: present before the name is on the bus.
    static func start(_ address: String, objects: [ObjectPath: [String: Properties]] = [:]) async throws -> FakeBlueZ {
        let fake = FakeBlueZ(bus: try await DBusConnection.open(.address(address)))
        await fake.set(objects)
        await fake.bus.export(fake, at: "/", subtree: true)
        try await fake.bus.requestName("org.bluez")
        return fake
    }

    // MARK: Calls from the test

    /// Sets the answers to a member: one script after the other; the last one is then repeated.
    func on(_ member: String, _ scripts: Script...) {
        self.scripts[member] = scripts
    }

    func set(_ objects: [ObjectPath: [String: Properties]]) {
        self.objects.merge(objects) { _, new in new }
    }

    /// Adds the objects and emits InterfacesAdded.
    func add(_ objects: [ObjectPath: [String: Properties]]) async throws {
        for (path, interfaces) in objects {
            self.objects[path, default: [:]].merge(interfaces) { _, new in new }
            try await bus.emit(
                "/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded",
                [.objectPath(path), Self.value(interfaces)])
        }
    }

    func remove(_ path: ObjectPath) async throws {
        guard let interfaces = objects.removeValue(forKey: path) else { return }
        try await bus.emit(
            "/", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved",
            [.objectPath(path), .strings(Array(interfaces.keys))])
    }

    func change(_ path: ObjectPath, _ interface: String, _ properties: Properties, invalidated: [String] = [])
        async throws
    {
        objects[path]?[interface]?.merge(properties) { _, new in new }
        for name in invalidated { objects[path]?[interface]?[name] = nil }
        try await bus.emit(
            path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
            [.string(interface), .properties(properties), .strings(invalidated)])
    }

    func device(_ properties: Properties, at path: ObjectPath = Sample.device) async throws {
        try await change(path, "org.bluez.Device1", properties)
    }

    func notify(_ value: [UInt8], at path: ObjectPath = Sample.counter) async throws {
        try await change(path, "org.bluez.GattCharacteristic1", ["Value": .bytes(value)])
    }

    func hold(_ call: DBusMethodCall) {
        held[call.message.member ?? ""] = call
    }

    func release(_ member: String) -> DBusMethodCall? {
        held.removeValue(forKey: member)
    }

    private func anyCall() async {
        await withCheckedContinuation { watchers.append($0) }
    }

    /// Returns when `isWanted` holds for the calls so far; it is evaluated after every call.
    func until(_ isWanted: @Sendable ([String]) -> Bool) async {
        while !isWanted(calls) { await anyCall() }
    }

    func forgetCalls() { calls = [] }

    // MARK: Calls from the central

    func receive(_ call: DBusMethodCall) async {
        let member = call.message.member ?? ""
        if member == "GetManagedObjects" { return await answerManagedObjects(call) }
        calls.append(member)
        guard let script = next(member) else {
            Issue.record("\(member) was called and not scripted")
            return await call.fail("org.freedesktop.DBus.Error.UnknownMethod", "not scripted")
        }
        await script(self, call)
        let waiting = watchers
        watchers = []
        for watcher in waiting { watcher.resume() }
    }

    private func answerManagedObjects(_ call: DBusMethodCall) async {
        if let script = next("GetManagedObjects") { return await script(self, call) }
        var values: [DBusValue: DBusValue] = [:]
        for (path, interfaces) in objects { values[.objectPath(path)] = Self.value(interfaces) }
        await call.reply([.dictionary(key: "o", value: "a{sa{sv}}", values)])
    }

    private func next(_ member: String) -> Script? {
        guard let waiting = scripts[member], let first = waiting.first else { return nil }
        if waiting.count > 1 { scripts[member]?.removeFirst() }
        return first
    }

    private static func value(_ interfaces: [String: Properties]) -> DBusValue {
        var values: [DBusValue: DBusValue] = [:]
        for (name, properties) in interfaces { values[.string(name)] = .properties(properties) }
        return .dictionary(key: "s", value: "a{sv}", values)
    }
}

/// Scripted behaviour of BlueZ.
extension FakeBlueZ {
    static let agree: Script = { _, call in await call.reply() }

    /// Does not answer; the test may answer later.
    static let hang: Script = { fake, call in await fake.hold(call) }

    static func fail(_ name: String, _ message: String) -> Script {
        { _, call in await call.fail(name, message) }
    }

    /// How BlueZ reports nearly all failures over the air.
    static let linkFails = fail("org.bluez.Error.Failed", "le-connection-abort-by-local")

    /// The link comes up and the services are known, as with a peripheral that BlueZ knows.
    static let connect: Script = { fake, call in
        await doing {
            try await fake.device(["Connected": .boolean(true)])
            await call.reply()
            try await fake.add(Sample.gatt)
            try await fake.device(["ServicesResolved": .boolean(true)])
        }
    }

    /// The link comes up, and nothing more.
    static let connectOnly: Script = { fake, call in
        await doing {
            try await fake.device(["Connected": .boolean(true)])
            await call.reply()
        }
    }

    static let disconnect: Script = { fake, call in
        await doing {
            try await fake.drop()
            await call.reply()
        }
    }

    /// The peripheral is heard as soon as discovery runs.
    static func hear(_ path: ObjectPath = Sample.device, _ properties: Properties = Sample.deviceProperties(rssi: -60))
        -> Script
    {
        { fake, call in
            await doing {
                await call.reply()
                try await fake.add([path: ["org.bluez.Device1": properties]])
            }
        }
    }

    static func reply(_ values: DBusValue...) -> Script {
        { _, call in await call.reply(values) }
    }

    /// The link is lost.
    func drop() async throws {
        try await device(["ServicesResolved": .boolean(false), "Connected": .boolean(false)])
    }

    private static func doing(_ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            Issue.record(error)
        }
    }
}
