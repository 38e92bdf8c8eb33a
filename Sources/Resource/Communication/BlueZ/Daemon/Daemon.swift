internal import DBus
internal import Support

/// `bluetoothd` over one bus connection: its objects, kept up to date, and calls to it.
///
/// One match rule (all signals of `org.bluez`) feeds everything: the cache, tasks that wait for a state, scans, and
/// notifications. Signals are applied in the order of arrival, and all waiting tasks are checked after each one, so
/// that no intermediate state is missed.
actor Daemon {
    nonisolated let bus: DBusConnection
    nonisolated let clock: any Clock<Duration>
    /// Nil on a bus that is not the machine's own: there, the state of kernel and switches is irrelevant.
    nonisolated let machine: MachineProbe?

    var cache = ObjectCache()
    /// Set when the bus connection ended; nothing works from then on.
    var end: BluetoothError?
    var signalTasks: [Task<Void, Never>] = []
    var nextID = 0
    /// Whether signals were dropped since the objects were last read.
    var isStale = false
    /// How often the owner of BlueZ's name has changed.
    var ownerChanges = 0
    var recovery: Task<Void, Never>?
    /// The number of tasks that wait for each address; see `pin(_:)`.
    var pinCounts: [DeviceAddress: Int] = [:]

    var waiters: [Int: Waiter] = [:]
    var observers: [Int: DeviceObserver] = [:]
    var links: [Int: LinkWatch] = [:]
    /// The last call of StopNotify for a characteristic, until BlueZ has answered it.
    var stopping: [ObjectPath: Task<Void, Never>] = [:]
    let notifications = NotificationRoutes()

    private init(bus: DBusConnection, clock: any Clock<Duration>, machine: MachineProbe?) {
        self.bus = bus
        self.clock = clock
        self.machine = machine
    }

    deinit {
        // The signals must not be read any longer, even if `close` was not called.
        for task in signalTasks { task.cancel() }
        recovery?.cancel()
    }

    /// Connects to the bus, subscribes, and loads the objects.
    static func open(
        _ address: DBusAddress, clock: any Clock<Duration>, machine: MachineProbe?
    ) async throws(BluetoothError) -> Daemon {
        let bus: DBusConnection
        do {
            bus = try await DBusConnection.open(address)
        } catch {
            // If the kernel does not support Bluetooth, a bus does not help.
            if machine?.read().hasKernelSupport == false { throw .noKernelSupport }
            throw BluetoothError(error, doing: "connecting to the bus")
        }
        let daemon = Daemon(bus: bus, clock: clock, machine: machine)
        try await cleaningUpOnFailure({ await daemon.close() }) { () async throws(BluetoothError) in
            try await daemon.subscribe()
            try await daemon.ready()
        }
        return daemon
    }

    /// Ends all waiting and the connection. BlueZ releases everything that it keeps for this client (discovery,
    /// subscriptions, agent) when the connection ends.
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
            signals = try await bus.signals(MatchRule(sender: BlueZName.service)) { [notifications] in
                notifications.deliver($0)
            }
            owners = try await bus.signals(
                MatchRule(
                    sender: BusDriver.name, path: BusDriver.path, interface: BusDriver.interface,
                    member: "NameOwnerChanged", arg0: BlueZName.service))
        } catch {
            throw BluetoothError(error, doing: "subscribing to the signals of BlueZ")
        }
        signalTasks.append(
            Task { [weak self] in
                var missed = MissedSignals()
                for await signal in signals {
                    await self?.receive(signal)
                    let isStale = missed.next(missed: signals.takeMissed(), isDrained: signals.isDrained)
                    if isStale { await self?.signalsWereMissed() }
                }
                await self?.stop(.noBus("the connection to the bus was lost"))
            })
        signalTasks.append(
            Task { [weak self] in
                for await change in owners { await self?.ownerChanged(change) }
            })
    }

    /// No more signals will arrive: all waiting tasks receive the reason.
    func stop(_ reason: BluetoothError) {
        guard end == nil else { return }
        end = reason
        for task in signalTasks { task.cancel() }
        signalTasks = []
        recovery?.cancel()
        cache.setOwner(nil)
        let waiting = waiters
        waiters = [:]
        for waiter in waiting.values { waiter.fail(reason) }
        settleLinks()
        for observer in observers.values { observer.continuation.finish() }
        observers = [:]
    }
}

extension Daemon {
    /// A task that waits for a state of the cache.
    struct Waiter {
        /// Whether it was decided; the waiting task continues then.
        let poll: (ObjectCache) -> Bool
        let fail: (BluetoothError) -> Void
    }

    /// Waits until `check` decides. It is called now and after every single change.
    func wait<T: Sendable>(
        limit: Duration, doing operation: String,
        _ check: @escaping @Sendable (ObjectCache) -> Result<T, BluetoothError>?
    ) async throws(BluetoothError) -> T {
        if let end { throw end }
        if let result = check(cache) { return try result.get() }
        if Task.isCancelled { throw .cancelled }

        let id = makeID()
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        let result: Result<T, BluetoothError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Checked again: in a task with an executor preference this point may follow a suspension.
                if let end { return continuation.resume(returning: .failure(end)) }
                if let result = check(cache) { return continuation.resume(returning: result) }
                if Task.isCancelled { return continuation.resume(returning: .failure(.cancelled)) }
                timer = Task { [clock] in
                    guard (try? await clock.sleep(for: limit)) != nil else { return }
                    self.fail(id, .timedOut(operation: operation, seconds: limit.inSeconds))
                }
                waiters[id] = Waiter(
                    poll: { cache in
                        guard let result = check(cache) else { return false }
                        continuation.resume(returning: result)
                        return true
                    },
                    fail: { continuation.resume(returning: .failure($0)) })
            }
        } onCancel: {
            Task { await self.fail(id, .cancelled) }
        }
        return try result.get()
    }

    private func fail(_ id: Int, _ error: BluetoothError) {
        waiters.removeValue(forKey: id)?.fail(error)
    }
}

extension Daemon {
    /// A call to BlueZ that may take `limit` by the injected clock. D-Bus' own limit is longer.
    nonisolated func call(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue] = [], limit: Duration
    ) async throws(DBusError) -> [DBusValue] {
        let result = await limited(limit, clock) { [bus] () async -> Result<[DBusValue], DBusError> in
            do throws(DBusError) {
                return .success(
                    try await bus.call(
                        BlueZName.service, path, interface, member, arguments, timeout: limit + .seconds(30)))
            } catch {
                return .failure(error)
            }
        }
        guard let result else { throw .timedOut(call: member, seconds: limit.inSeconds) }
        return try result.get()
    }
}

/// Decides when the state is read again after signals were dropped: only after the signals that arrived before were
/// applied, because they would replace what was read.
struct MissedSignals {
    /// Signals that were applied since the first one was dropped; nil if none was.
    private var applied: Int?

    /// - Parameters:
    ///   - missed: signals that were dropped since the last call, which was one signal earlier.
    ///   - isDrained: whether no signal waits. During a long flood there is always one; but after as many signals as
    ///     can wait, all earlier ones were applied.
    /// - Returns: whether to read the state again now.
    mutating func next(missed: Int, isDrained: Bool) -> Bool {
        if let count = applied { applied = count + 1 } else if missed > 0 { applied = 0 }
        guard let applied, isDrained || applied >= DBusSignals.Buffering.standardCount else { return false }
        self.applied = nil
        return true
    }
}
