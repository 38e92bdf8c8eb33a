import DBus
public import PrivateBus

/// org.bluez on its own bus, with simulated peripherals in range: for manual trials and tests.
///
/// It follows bluetoothd 5.66 as Debian 12 ships it: objects, properties, order of signals, error names and texts. A
/// program that connects to `address` (by `DBUS_SYSTEM_BUS_ADDRESS`, for instance) sees no difference.
public actor SimulatedBlueZ {
    /// The D-Bus address of the bus: `unix:path=…`.
    public nonisolated let address: String
    /// The bus; a test may end it to simulate the loss of the bus.
    public nonisolated let bus: PrivateBus
    let daemon: SimulatedDaemon
    private var presence: Presence?

    /// Starts a bus, and BlueZ with one adapter (or those given) on it.
    /// - Parameters:
    ///   - peripherals: all are in range; their addresses must differ.
    ///   - adapters: names with their own addresses, as `hci0`.
    ///   - isClosed: the bus denies access to BlueZ, as its policy does for users without permission.
    /// - Throws: `PrivateBusError` if no bus can be started, `DBusError` if the bus cannot be reached.
    public static func start(
        peripherals: [any SimulatedPeripheral] = [], timing: Timing = .realistic, quirks: Quirks = Quirks(),
        adapters: [String: String] = ["hci0": "00:1A:7D:DA:71:01"], isClosed: Bool = false
    ) async throws -> SimulatedBlueZ {
        let bus = try await PrivateBus.start(closedNames: isClosed ? ["org.bluez"] : [])
        let daemon = SimulatedDaemon(timing: timing, quirks: quirks)
        await daemon.perform { daemon in
            for (name, address) in adapters {
                let adapter = Adapter(name: name, address: address)
                daemon.adapters[adapter.path] = adapter
            }
            for peripheral in peripherals { daemon.peripherals[peripheral.address] = peripheral }
        }
        do {
            return SimulatedBlueZ(bus, daemon, try await Presence.begin(on: bus.address, daemon))
        } catch {
            bus.stop()
            throw error
        }
    }

    private init(_ bus: PrivateBus, _ daemon: SimulatedDaemon, _ presence: Presence) {
        self.bus = bus
        address = bus.address
        self.daemon = daemon
        self.presence = presence
    }

    /// Ends BlueZ and the bus, and leaves no files or processes. A second call does nothing.
    public func stop() async {
        await leaveBus()
        await daemon.perform { $0.shutDown() }
        bus.stop()
    }

    // MARK: The daemon

    /// Ends bluetoothd: its name and all its objects disappear, links are lost. Bonds and known devices remain on its
    /// disk.
    public func leaveBus() async {
        guard let presence else { return }
        self.presence = nil
        // In this order: calls that the daemon has not answered stay unanswered, as when a process is killed.
        await presence.end()
        await daemon.perform { $0.halt() }
    }

    /// Starts bluetoothd again.
    public func returnToBus() async throws {
        guard presence == nil else { return }
        presence = try await Presence.begin(on: address, daemon)
    }

    /// Restarts bluetoothd.
    public func restart() async throws {
        await leaveBus()
        try await returnToBus()
    }
}

/// Actions of tests and demonstrations on the machine and the radio.
extension SimulatedBlueZ {
    /// Switches a fault on. Several faults combine; counting of occurrences starts now.
    /// - Parameter address: the address of the peripheral.
    public func inject(_ fault: Fault, for address: String) async {
        await daemon.perform { daemon in
            daemon.faults[address, default: InjectedFaults()].add(fault)
            daemon.receptionChanged(for: address)
        }
    }

    /// Switches off a fault that was injected before.
    public func remove(_ fault: Fault, for address: String) async {
        await daemon.perform { daemon in
            daemon.faults[address]?.remove(fault)
            daemon.receptionChanged(for: address)
        }
    }

    /// Switches off all faults of a peripheral, or of all peripherals if nil.
    public func clearFaults(for address: String? = nil) async {
        await daemon.perform { daemon in
            for known in address.map({ [$0] }) ?? daemon.faults.keys.sorted() {
                daemon.faults[known] = nil
                daemon.receptionChanged(for: known)
            }
        }
    }

    /// Breaks the link to a peripheral now.
    public func drop(_ address: String) async {
        await daemon.perform { daemon in
            for device in daemon.devices.values where device.address == address { daemon.dropLink(device.path) }
        }
    }

    /// Brings another peripheral into range.
    public func add(_ peripheral: any SimulatedPeripheral) async {
        await daemon.perform { daemon in
            daemon.peripherals[peripheral.address] = peripheral
            daemon.receptionChanged(for: peripheral.address)
        }
    }

    /// Makes the peripheral send its advertisement once more, for instance because it changed.
    public func advertise(_ address: String) async { await daemon.perform { $0.advertise(address) } }

    /// Switches an adapter on or off, as the desktop's switch does.
    public func setPowered(_ on: Bool, adapter: String = "hci0") async {
        await daemon.perform { $0.setPowered(on, Adapter(name: adapter, address: "").path) }
    }

    /// Pulls an adapter out.
    public func unplug(_ adapter: String = "hci0") async {
        await daemon.perform { $0.unplug(Adapter(name: adapter, address: "").path) }
    }

    /// Plugs an adapter in again.
    public func plug(_ adapter: String = "hci0") async {
        await daemon.perform { $0.plug(Adapter(name: adapter, address: "").path) }
    }

    // MARK: Inspection

    /// All events so far and all later ones, until the stack is stopped.
    public nonisolated var events: AsyncStream<SimulationEvent> { daemon.events.stream() }

    /// All events so far.
    public nonisolated var history: [SimulationEvent] { daemon.events.all }

    /// What is open at this moment. After a program has cleaned up, all of it is empty.
    public struct Snapshot: Sendable, Hashable {
        /// Names of adapters with a discovery session.
        public var discovering: Set<String> = []
        /// Addresses of connected peripherals.
        public var connected: Set<String> = []
        public var bonded: Set<String> = []
        /// Number of notify sessions and acquired sockets.
        public var subscriptions = 0
        public var hasAgent = false
        /// Number of monitors of advertisements.
        public var monitors = 0

        public init() {}
    }

    public var snapshot: Snapshot {
        get async {
            await daemon.perform { daemon in
                var snapshot = Snapshot()
                for (path, adapter) in daemon.adapters where adapter.isDiscovering {
                    snapshot.discovering.insert(path.string.replacing("/org/bluez/", with: ""))
                }
                snapshot.monitors = daemon.adapters.values.map(\.monitors.count).reduce(0, +)
                for device in daemon.devices.values {
                    if device.link != nil { snapshot.connected.insert(device.address) }
                    if device.isBonded { snapshot.bonded.insert(device.address) }
                    snapshot.subscriptions += device.sessions.values.map(\.count).reduce(0, +)
                    snapshot.subscriptions += device.notifySockets.count + device.writeSockets.count
                }
                snapshot.hasAgent = daemon.agents.defaultAgent != nil
                return snapshot
            }
        }
    }
}

extension SimulatedDaemon {
    /// A fault was added or removed: the reception of the peripheral changes.
    func receptionChanged(for address: String) {
        advertise(address)
        guard faults[address]?.isOutOfRange == true else { return }
        for device in devices.values where device.address == address {
            guard let link = device.link else { continue }
            after(timing.supervision) { daemon in
                guard daemon.devices[device.path]?.link?.number == link.number,
                    daemon.faults[address]?.isOutOfRange == true
                else { return }
                daemon.dropLink(device.path)
            }
        }
    }
}

/// One period of org.bluez on the bus, from taking the name to releasing it.
struct Presence: Sendable {
    private let connection: DBusConnection
    private let outbox: Outbox
    private let tasks: [Task<Void, Never>]
    private let delivery: Task<Void, Never>

    static func begin(on address: String, _ daemon: SimulatedDaemon) async throws(DBusError) -> Presence {
        let connection = try await DBusConnection.open(.address(address))
        do {
            return try await begin(on: connection, daemon)
        } catch {
            await connection.close()
            throw error
        }
    }

    private static func begin(on connection: DBusConnection, _ daemon: SimulatedDaemon) async throws(DBusError)
        -> Presence
    {
        let leaving = try await connection.signals(
            MatchRule(sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged"))
        let outbox = Outbox()
        await daemon.perform { $0.tree.order }.apply(to: connection)
        await daemon.perform { $0.start(outbox) }
        await connection.export(Reception(daemon: daemon), at: .root, subtree: true, on: daemon.executor)
        try await connection.requestName("org.bluez")
        let departures = Task(executorPreference: daemon.executor) {
            for await signal in leaving {
                let names = signal.body.compactMap(\.stringValue)
                guard names.count == 3, names[0].hasPrefix(":"), names[2].isEmpty else { continue }
                await daemon.perform { $0.clientLeft(names[0]) }
            }
        }
        let delivery = Task(executorPreference: daemon.executor) {
            await outbox.deliver(to: connection, on: daemon.executor)
        }
        return Presence(connection: connection, outbox: outbox, tasks: [departures], delivery: delivery)
    }

    /// Sends the remaining messages and leaves the bus.
    func end() async {
        outbox.close()
        await delivery.value
        // The bus notices a closed connection with a delay; when this call is answered, the name is free.
        try? await connection.releaseName("org.bluez")
        await connection.close()
        for task in tasks { task.cancel() }
    }
}

/// Receives calls and passes them to the daemon in their order.
private struct Reception: DBusObject {
    let daemon: SimulatedDaemon

    func receive(_ call: DBusMethodCall) async {
        await daemon.perform { $0.receive(call) }
    }
}
