import DBus
import SimulatedBlueZ

/// A program that uses BlueZ, reduced to its calls and the signals that it receives.
struct BusClient: Sendable {
    let connection: DBusConnection
    let log = SignalLog()

    static let adapter: ObjectPath = "/org/bluez/hci0"

    init(_ stack: SimulatedBlueZ) async throws {
        connection = try await DBusConnection.open(.address(stack.address))
        let signals = try await connection.signals(MatchRule(sender: "org.bluez"))
        Task { [log] in for await signal in signals { await log.add(signal) } }
    }

    /// The object path of a peripheral.
    static func path(_ peripheral: some SimulatedPeripheral) -> ObjectPath {
        adapter.appending("dev_" + peripheral.address.replacing(":", with: "_"))
    }

    /// - Parameter interface: without `org.bluez.`
    @discardableResult
    func call(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue] = []
    ) async throws(DBusError) -> [DBusValue] {
        let name = interface.contains(".") ? interface : "org.bluez." + interface
        return try await connection.call("org.bluez", path, name, member, arguments)
    }

    /// The error of a call that must fail: name and text.
    func failure(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue] = []
    ) async throws -> String {
        do throws(DBusError) {
            let values = try await call(path, interface, member, arguments)
            return "succeeded: \(values)"
        } catch {
            guard case .remote(let name, let message) = error else { throw error }
            return name + ": " + message
        }
    }

    func get(_ property: String, _ interface: String, _ path: ObjectPath) async throws -> DBusValue? {
        let arguments: [DBusValue] = [.string("org.bluez." + interface), .string(property)]
        guard
            case .variant(let value)? = try await call(path, "org.freedesktop.DBus.Properties", "Get", arguments).first
        else { return nil }
        return value
    }

    func set(_ property: String, _ value: DBusValue, _ interface: String, _ path: ObjectPath) async throws(DBusError) {
        try await call(
            path, "org.freedesktop.DBus.Properties", "Set",
            [.string("org.bluez." + interface), .string(property), .variant(value)])
    }

    /// All objects: interfaces and properties by path.
    func objects() async throws -> [ObjectPath: [String: [String: DBusValue]]] {
        let reply = try await call(.root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        var objects: [ObjectPath: [String: [String: DBusValue]]] = [:]
        for (path, interfaces) in reply.first?.dictionaryValue ?? [:] {
            guard let path = path.pathValue else { continue }
            for (name, properties) in interfaces.dictionaryValue ?? [:] {
                objects[path, default: [:]][name.stringValue ?? ""] = properties.propertiesValue
            }
        }
        return objects
    }

    // MARK: Combined steps

    /// Runs discovery until the peripheral is found.
    func discover(_ peripheral: some SimulatedPeripheral) async throws {
        try await call(Self.adapter, "Adapter1", "StartDiscovery")
        let path = Self.path(peripheral)
        _ = await log.first { $0.adds(path) }
    }

    /// Connects and waits for the services.
    func connect(_ peripheral: some SimulatedPeripheral) async throws {
        let path = Self.path(peripheral)
        if try await objects()[path] == nil { try await discover(peripheral) }
        let start = await log.count
        try await call(path, "Device1", "Connect")
        _ = await log.first(from: start) { $0.change(of: "ServicesResolved", at: path)?.boolValue == true }
    }

    func characteristic(_ id: CharacteristicID, of peripheral: some SimulatedPeripheral) async throws -> ObjectPath? {
        try await objects().first { path, interfaces in
            path.isInside(Self.path(peripheral))
                && interfaces["org.bluez.GattCharacteristic1"]?["UUID"]?.stringValue == id.characteristic.text
        }?.key
    }

    func close() async { await connection.close() }
}

/// Runs a test with a stack and a client of it; both are closed afterwards.
func withStack(
    _ peripherals: [any SimulatedPeripheral], timing: Timing = .immediate, quirks: Quirks = Quirks(),
    _ body: (SimulatedBlueZ, BusClient) async throws -> Void
) async throws {
    let stack = try await SimulatedBlueZ.start(peripherals: peripherals, timing: timing, quirks: quirks)
    let client: BusClient
    do {
        client = try await BusClient(stack)
        try await body(stack, client)
    } catch {
        await stack.stop()
        throw error
    }
    await client.close()
    await stack.stop()
}

extension AsyncSequence where Element == SimulationEvent, Failure == Never {
    /// Waits for an event; false when the stack ended before.
    @discardableResult
    func waits(for event: SimulationEvent) async -> Bool {
        for await happened in self where happened == event { return true }
        return false
    }
}
