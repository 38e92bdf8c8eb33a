public import DBus
internal import Support

/// A BLE central: finds peripherals through BlueZ, connects to them, reads, writes and receives notifications.
///
/// It owns one bus connection. It ends everything that it began (scans, connections, subscriptions, its pairing agent)
/// in every case, including cancellation. Adapters are left as they were: only `restartAdapter` switches one off, and
/// on again.
///
/// ```swift
/// try await Central.withCentral { central in
///     for try await found in await central.scan(ScanFilter(services: ["180d"]), limit: .seconds(10)) {
///         print(found.address, found.name ?? "")
///     }
/// }
/// ```
public actor Central {
    let daemon: Daemon
    let agent: PairingAgent
    var discoveries: [ObjectPath: DiscoveryControl] = [:]
    var settling: [ObjectPath: Task<Void, Never>] = [:]
    var heldTimes: [ObjectPath: HeldTime] = [:]
    var scans: [Int: @Sendable (BluetoothError) -> Void] = [:]
    var inUse: Set<DeviceAddress> = []
    /// Devices whose link this central has to disconnect, or is setting up.
    var owned: Set<ObjectPath> = []
    /// No link is made any longer.
    private(set) var isClosing = false
    /// Devices that BlueZ showed as connected after `Disconnect`.
    var undisconnected: Set<ObjectPath> = []
    /// Links that were not released yet, and those that are being released.
    var linksInUse: Set<Int> = []
    var releases: [Int: Task<Void, Never>] = [:]
    var nextID = 0

    init(daemon: Daemon) {
        self.daemon = daemon
        agent = PairingAgent(daemon: daemon)
    }

    /// Opens a central over the `bluetoothd` on a bus; the bus starts it if it can.
    ///
    /// - Parameters:
    ///   - bus: BlueZ is on `.system`.
    ///   - clock: measures all limits and waits.
    ///   - machine: the state of the kernel and of the radio switches, if the program can read them: it explains why
    ///     there is no adapter, which `bluetoothd` does not know. Only for the machine's own system bus. Without it,
    ///     errors are those that BlueZ knows.
    /// - Throws: the part that is missing: `noAdapter`, `adapterDown`, `noBus`, `daemonNotRunning`, `accessDenied`;
    ///   with `machine` also `noKernelSupport` and `adapterBlocked`.
    public static func open(
        _ bus: DBusAddress = .system, clock: any Clock<Duration> = ContinuousClock(), machine: MachineProbe? = nil
    ) async throws(BluetoothError) -> Central {
        Central(daemon: try await Daemon.open(bus, clock: clock, machine: machine))
    }

    /// Opens a central, runs `body`, and closes it in every case.
    ///
    /// - Throws: as `open`, and what `body` throws.
    public static func withCentral<R>(
        _ bus: DBusAddress = .system, clock: any Clock<Duration> = ContinuousClock(), machine: MachineProbe? = nil,
        isolation: isolated (any Actor)? = #isolation, _ body: (Central) async throws -> R
    ) async throws -> R {
        try await open(bus, clock: clock, machine: machine).closing(after: body)
    }

    /// Runs `body`, and closes this central in every case.
    ///
    /// - Throws: what `body` throws.
    public func closing<R>(
        isolation: isolated (any Actor)? = #isolation, after body: (Central) async throws -> R
    ) async throws -> R {
        try await cleaningUp({ await close() }, after: { try await body(self) })
    }

    /// Stops scans, disconnects, and closes the bus connection. Waiting tasks get an error. Idempotent.
    public func close() async {
        isClosing = true
        for fail in scans.values { fail(.cancelled) }
        for adapter in Array(discoveries.keys) { await endDiscovery(adapter) }
        // BlueZ keeps links, and attempts to set one up, after the client that requested them has ended.
        while let device = owned.first { await disconnect(device) }
        await daemon.close()
    }

    var clock: any Clock<Duration> { daemon.clock }

    func makeID() -> Int {
        nextID += 1
        return nextID
    }
}

extension Central {
    /// All adapters that `bluetoothd` knows, switched on or not.
    public func adapters() async throws(BluetoothError) -> [Adapter] {
        try await daemon.ready()
        return await daemon.cache.adapters.map(\.adapter)
    }

    /// The named adapter, or the first one that is switched on.
    ///
    /// - Throws: why it cannot be used: `noKernelSupport`, `noAdapter`, `adapterBlocked`, `adapterDown`.
    public func adapter(_ name: String? = nil) async throws(BluetoothError) -> Adapter {
        try await usableAdapter(name).adapter
    }

    func usableAdapter(_ name: String?) async throws(BluetoothError) -> AdapterRecord {
        try await daemon.ready()
        @Sendable func usable(_ cache: ObjectCache) -> AdapterRecord? {
            cache.adapters.first { (name == nil || $0.name == name) && $0.isPowered }
        }
        let cache = await daemon.cache
        if let adapter = usable(cache) { return adapter }

        let known = cache.adapters.first { name == nil || $0.name == name }
        let machine = daemon.machine?.read()
        if let machine, machine.fault(adapter: name) == nil {
            // The adapter is up in the kernel: a bluetoothd that was just started will report that soon.
            if let adapter = try? await daemon.wait(
                limit: .seconds(3), doing: "waiting for the adapter", { usable($0).map { .success($0) } })
            {
                return adapter
            }
        }
        try Self.throwIfCancelled()
        throw Self.fault(name, known: known, machine: machine)
    }

    /// Why an adapter cannot be used. The state from `bluetoothd` takes precedence over that of the kernel: a hardened
    /// service gets no socket to ask the kernel.
    static func fault(_ name: String?, known: AdapterRecord?, machine: MachineState?) -> BluetoothError {
        if let known {
            if let block = machine?.block(on: known.name) { return block }
            return known.isBlocked ? .adapterBlocked(known.name, hard: false) : .adapterDown(known.name)
        }
        return machine?.missing(name) ?? .noAdapter(name)
    }

    static func throwIfCancelled() throws(BluetoothError) {
        if Task.isCancelled { throw .cancelled }
    }
}

extension Central {
    /// Reads one characteristic: finds the peripheral, connects, reads, disconnects.
    ///
    /// - Throws: `peripheralNotFound`, `connectFailed`, `serviceNotFound`, `characteristicNotFound`, `readFailed`, or
    ///   any other `BluetoothError`.
    public func readValue(
        peripheral address: DeviceAddress, service: BluetoothUUID, characteristic: BluetoothUUID,
        adapter: String? = nil, limits: ConnectionLimits = ConnectionLimits()
    ) async throws(BluetoothError) -> [UInt8] {
        let link = try await connect(address, adapter: adapter, limits: limits, pairing: nil)
        return try await cleaningUp({ await release(link) }) { () async throws(BluetoothError) in
            try await Peripheral(link: link).read(characteristic, of: service)
        }
    }

    /// Writes one characteristic: finds the peripheral, connects, writes, disconnects.
    ///
    /// - Parameters:
    ///   - bytes: the value.
    ///   - address: the peripheral's address.
    ///   - service: the UUID of the characteristic's service.
    ///   - characteristic: its UUID.
    ///   - response: whether the peripheral acknowledges. Without a response it is not known whether it received the
    ///     value.
    ///   - adapter: such as `hci0`; by default the first one that is switched on.
    ///   - limits: how long each step may take, and the number of attempts.
    /// - Throws: as `readValue`, with `writeFailed`.
    public func writeValue(
        _ bytes: [UInt8], peripheral address: DeviceAddress, service: BluetoothUUID, characteristic: BluetoothUUID,
        response: Bool = true, adapter: String? = nil, limits: ConnectionLimits = ConnectionLimits()
    ) async throws(BluetoothError) {
        let link = try await connect(address, adapter: adapter, limits: limits, pairing: nil)
        try await cleaningUp({ await release(link) }) { () async throws(BluetoothError) in
            try await Peripheral(link: link).write(bytes, to: characteristic, of: service, response: response)
        }
    }

    /// Scans for the first peripheral that a filter matches.
    ///
    /// - Parameters:
    ///   - filter: what is searched for.
    ///   - description: the same in words, for the error's text.
    ///   - adapter: such as `hci0`; by default the first one that is switched on.
    ///   - limit: how long to scan.
    /// - Throws: `peripheralNotFound` after `limit`.
    public func find(
        _ filter: ScanFilter, described description: String = "a device that matches the search",
        adapter: String? = nil,
        limit: Duration
    ) async throws(BluetoothError) -> Discovery {
        let adapter = try await usableAdapter(adapter)
        let found = OneShot<Discovery>()
        try await listen(filter, on: adapter, limit: limit) { discovery in
            found.send(discovery)
            return true
        }
        guard found.isSent, let discovery = await found.value else {
            throw .peripheralNotFound(description, seconds: limit.inSeconds)
        }
        return discovery
    }
}
