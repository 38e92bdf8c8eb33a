public import DBus

/// A BLE central: finds peripherals through BlueZ, connects to them, reads, writes and listens.
///
/// It owns one bus connection. What it began (scans, connections, subscriptions, its pairing agent) it ends on every
/// way out, cancellation included. Adapters are left as they were: never switched on or off.
///
/// ```swift
/// let central = try await Central.open()
/// for try await found in await central.scan(ScanFilter(services: ["180d"]), limit: .seconds(10)) {
///     print(found.address, found.name ?? "")
/// }
/// ```
public actor Central {
    let daemon: Daemon
    let agent: PairingAgent
    var discoveries: [ObjectPath: DiscoveryControl] = [:]
    var settling: [ObjectPath: Task<Void, Never>] = [:]
    var scans: [Int: @Sendable (BluetoothError) -> Void] = [:]
    var inUse: Set<DeviceAddress> = []
    /// Devices whose link is ours to cut, or is being made by us.
    var owned: Set<ObjectPath> = []
    var nextID = 0

    init(daemon: Daemon) {
        self.daemon = daemon
        agent = PairingAgent(daemon: daemon)
    }

    /// Opens a central over the `bluetoothd` on a bus; the bus starts it if it can.
    ///
    /// - Parameters:
    ///   - bus: `.system` is where BlueZ lives.
    ///   - clock: measures all limits and waits.
    ///   - machine: tells why there is no adapter. By default this machine on its own system bus, and nothing on any
    ///     other bus, where the machine's state says nothing.
    /// - Throws: what is missing: `noKernelSupport`, `noAdapter`, `adapterBlocked`, `noBus`, `daemonNotRunning`,
    ///   `accessDenied`.
    public static func open(
        _ bus: DBusAddress = .system, clock: any Clock<Duration> = ContinuousClock(), machine: MachineProbe? = nil
    ) async throws(BluetoothError) -> Central {
        let machine = machine ?? (isOwnSystemBus(bus) ? .live : nil)
        return Central(daemon: try await Daemon.open(bus, clock: clock, machine: machine))
    }

    /// Stops scans, disconnects, and closes the bus connection. Whoever waits for something gets an error. Idempotent.
    public func close() async {
        for fail in scans.values { fail(.cancelled) }
        for adapter in Array(discoveries.keys) { await endDiscovery(adapter) }
        // BlueZ keeps links, and attempts to make one, beyond the client that wanted them.
        for device in owned { await disconnect(device) }
        await daemon.close()
    }

    var clock: any Clock<Duration> { daemon.clock }

    func makeID() -> Int {
        nextID += 1
        return nextID
    }
}
