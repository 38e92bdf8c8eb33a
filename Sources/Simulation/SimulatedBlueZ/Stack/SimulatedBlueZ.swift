import DBus
public import PrivateBus

/// org.bluez on a bus of its own, with simulated peripherals in range: for trying out and for tests.
///
/// It follows bluetoothd 5.66 as Debian 12 ships it: objects, properties, order of signals, error names and texts. A
/// program that is pointed at `address` (by `DBUS_SYSTEM_BUS_ADDRESS`, for instance) cannot tell the difference.
public actor SimulatedBlueZ {
    /// The D-Bus address of the bus: `unix:path=…`.
    public nonisolated let address: String
    /// The bus; a test may end it to see what happens when the bus goes away.
    public nonisolated let bus: PrivateBus
    let daemon: Daemon
    private var presence: Presence?

    /// Starts a bus, and BlueZ with one adapter (or those given) on it.
    /// - Parameters:
    ///   - peripherals: all in range; their addresses must differ.
    ///   - adapters: names with their own addresses, as `hci0`.
    ///   - isClosed: the bus lets nobody talk to BlueZ, as its policy does with users who may not.
    /// - Throws: `PrivateBusError` when no bus can be started, `DBusError` when it cannot be talked to.
    public static func start(
        peripherals: [any SimulatedPeripheral] = [], timing: Timing = .realistic, quirks: Quirks = Quirks(),
        adapters: [String: String] = ["hci0": "00:1A:7D:DA:71:01"], isClosed: Bool = false
    ) async throws -> SimulatedBlueZ {
        let bus = try await PrivateBus.start(closedNames: isClosed ? ["org.bluez"] : [])
        let daemon = Daemon(timing: timing, quirks: quirks)
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

    private init(_ bus: PrivateBus, _ daemon: Daemon, _ presence: Presence) {
        self.bus = bus
        address = bus.address
        self.daemon = daemon
        self.presence = presence
    }

    /// Ends BlueZ and the bus. Nothing is left behind; a second time does nothing.
    public func stop() async {
        await leaveBus()
        await daemon.perform { $0.shutDown() }
        bus.stop()
    }

    // MARK: The daemon

    /// bluetoothd ends: its name and all its objects are gone, links are lost. Bonds and known devices stay on its disk.
    public func leaveBus() async {
        guard let presence else { return }
        self.presence = nil
        // In this order: calls that the daemon has not answered are never answered, as when a process dies.
        await presence.end()
        await daemon.perform { $0.halt() }
    }

    /// bluetoothd starts again.
    public func returnToBus() async throws {
        guard presence == nil else { return }
        presence = try await Presence.begin(on: address, daemon)
    }

    /// bluetoothd is restarted.
    public func restart() async throws {
        await leaveBus()
        try await returnToBus()
    }
}
