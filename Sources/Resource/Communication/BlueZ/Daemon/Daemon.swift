internal import DBus

/// `bluetoothd` over one bus connection: its objects, kept up to date, and calls to it.
///
/// One match rule (all signals of `org.bluez`) feeds everything: the cache, those who wait for a state, scans, and
/// notifications. Signals are applied in the order of arrival, each followed by all who wait, so that no state in
/// between is missed.
actor Daemon {
    nonisolated let bus: DBusConnection
    nonisolated let clock: any Clock<Duration>
    /// Nil on a bus that is not the machine's own: there, kernel and switches say nothing about it.
    nonisolated let machine: MachineProbe?

    var cache = ObjectCache()
    /// Set when the bus connection ended; nothing works from then on.
    var end: BluetoothError?
    var pumps: [Task<Void, Never>] = []
    var nextID = 0

    var waiters: [Int: Waiter] = [:]
    var observers: [Int: DeviceObserver] = [:]
    var links: [Int: LinkWatch] = [:]
    var queues: [ObjectPath: [Int: NotificationQueue]] = [:]

    private init(bus: DBusConnection, clock: any Clock<Duration>, machine: MachineProbe?) {
        self.bus = bus
        self.clock = clock
        self.machine = machine
    }

    deinit {
        // Without a close, too, the signals must not go on being read for nobody.
        for pump in pumps { pump.cancel() }
    }

    /// Connects to the bus, subscribes, and loads the objects.
    static func open(
        _ address: DBusAddress, clock: any Clock<Duration>, machine: MachineProbe?
    ) async throws(BluetoothError) -> Daemon {
        let bus: DBusConnection
        do {
            bus = try await DBusConnection.open(address)
        } catch {
            // Without a kernel that speaks Bluetooth a bus would not help either.
            if machine?.read().hasKernelSupport == false { throw .noKernelSupport }
            throw BluetoothError(error, doing: "connecting to the bus")
        }
        let daemon = Daemon(bus: bus, clock: clock, machine: machine)
        do {
            try await daemon.subscribe()
            try await daemon.ready()
        } catch {
            await daemon.close()
            throw error
        }
        return daemon
    }

    /// Ends all waiting and the connection. Whatever BlueZ keeps for this client (discovery, subscriptions, agent)
    /// it gives up by itself when the connection ends.
    func close() async {
        stop(.cancelled)
        await bus.close()
    }

    func makeID() -> Int {
        nextID += 1
        return nextID
    }

    /// Subscribes first, so that nothing that happens during the snapshot is missed.
    private func subscribe() async throws(BluetoothError) {
        let signals: DBusSignals
        let owners: DBusSignals
        do {
            signals = try await bus.signals(MatchRule(sender: BlueZName.service))
            owners = try await bus.signals(
                MatchRule(
                    sender: BlueZName.bus, path: BlueZName.busPath, interface: BlueZName.bus,
                    member: "NameOwnerChanged", arg0: BlueZName.service))
        } catch {
            throw BluetoothError(error, doing: "subscribing to the signals of BlueZ")
        }
        pumps.append(
            Task { [weak self] in
                for await signal in signals { await self?.receive(signal) }
                await self?.stop(.noBus("the bus went away"))
            })
        pumps.append(
            Task { [weak self] in
                for await change in owners { await self?.ownerChanged(change) }
            })
    }

    /// Nothing more will come: everybody who waits is told why.
    func stop(_ reason: BluetoothError) {
        guard end == nil else { return }
        end = reason
        for pump in pumps { pump.cancel() }
        pumps = []
        cache.setOwner(nil)
        let waiting = waiters
        waiters = [:]
        for waiter in waiting.values { waiter.fail(reason) }
        settleLinks()
        for observer in observers.values { observer.continuation.finish() }
        observers = [:]
    }
}
