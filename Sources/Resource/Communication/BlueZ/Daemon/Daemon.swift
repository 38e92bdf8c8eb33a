internal import Cleanup
internal import DBus

/// `bluetoothd` over one bus connection: its objects, kept up to date, and calls to it.
///
/// One match rule (all signals of `org.bluez`) feeds everything: the cache, tasks that wait for a state, scans, and notifications. Signals
/// are applied in the order of arrival, and all waiting tasks are checked after each one, so that no intermediate state is missed.
actor Daemon {
    nonisolated let bus: DBusConnection
    nonisolated let clock: any Clock<Duration>
    /// Nil on a bus that is not the machine's own: there, the state of kernel and switches is irrelevant.
    nonisolated let machine: MachineProbe?

    var cache = ObjectCache()
    /// Set when the bus connection ended; nothing works from then on.
    var end: BluetoothError?
    var pumps: [Task<Void, Never>] = []
    var nextID = 0
    /// Whether signals were dropped since the objects were last read.
    var isStale = false
    /// How often the owner of BlueZ's name has changed.
    var ownerChanges = 0
    var recovery: Task<Void, Never>?
    /// The number of tasks that wait for each address; see `want(_:)`.
    var wants: [DeviceAddress: Int] = [:]

    var waiters: [Int: Waiter] = [:]
    var observers: [Int: DeviceObserver] = [:]
    var links: [Int: LinkWatch] = [:]
    let notifications = NotificationRoutes()

    private init(bus: DBusConnection, clock: any Clock<Duration>, machine: MachineProbe?) {
        self.bus = bus
        self.clock = clock
        self.machine = machine
    }

    deinit {
        // Without a call of `close`, too, the signals must not be read any longer.
        for pump in pumps { pump.cancel() }
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

    /// Ends all waiting and the connection. BlueZ releases everything that it keeps for this client (discovery, subscriptions, agent) when
    /// the connection ends.
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
            signals = try await bus.signals(MatchRule(sender: BlueZName.service)) { [notifications] in notifications.deliver($0) }
            owners = try await bus.signals(
                MatchRule(
                    sender: BlueZName.bus, path: BlueZName.busPath, interface: BlueZName.bus,
                    member: "NameOwnerChanged", arg0: BlueZName.service))
        } catch {
            throw BluetoothError(error, doing: "subscribing to the signals of BlueZ")
        }
        pumps.append(
            Task { [weak self] in
                var wereMissed = false
                for await signal in signals {
                    await self?.receive(signal)
                    if signals.takeMissed() > 0 {
                        wereMissed = true
                        await self?.notificationsWereMissed()
                    }
                    if wereMissed, signals.isDrained {
                        wereMissed = false
                        await self?.signalsWereMissed()
                    }
                }
                await self?.stop(.noBus("the connection to the bus was lost"))
            })
        pumps.append(
            Task { [weak self] in
                for await change in owners { await self?.ownerChanged(change) }
            })
    }

    /// No more signals will arrive: all waiting tasks receive the reason.
    func stop(_ reason: BluetoothError) {
        guard end == nil else { return }
        end = reason
        for pump in pumps { pump.cancel() }
        pumps = []
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

/// Why a link ended.
enum LinkEnd: Sendable, Hashable {
    case dropped
    case adapterGone(String)
    case daemonGone
    /// This program released it.
    case released
    case busGone(BluetoothError)

    func error(during operation: String) -> BluetoothError {
        switch self {
        case .dropped: .linkLost(during: operation)
        case .adapterGone(let name): .adapterLost(name)
        case .daemonGone: .daemonNotRunning
        case .released: .linkLost(during: "\(operation) after its end")
        case .busGone(let error): error
        }
    }
}

/// A connection that is watched. It ends only once: a link that another program sets up later is a different one.
struct LinkWatch {
    let device: ObjectPath
    let adapter: ObjectPath
    let generation: Int
    let timer: LinkTimer
    var end: LinkEnd?
    var waiting: [Int: CheckedContinuation<LinkEnd?, Never>] = [:]
    /// Characteristics that are subscribed to, or are being.
    var subscriptions: [ObjectPath: Readers] = [:]
}

/// The readers of one characteristic, who share one subscription.
struct Readers: Sendable {
    var count = 1
    /// The call of StartNotify.
    let start: Task<Result<Void, BluetoothError>, Never>
}

extension Daemon {
    /// Begins to watch a connected device. Nil if it is no longer connected.
    func watchLink(_ device: ObjectPath, adapter: ObjectPath, _ timer: LinkTimer) -> Int? {
        guard cache.device(device)?.isConnected == true else { return nil }
        let id = makeID()
        links[id] = LinkWatch(device: device, adapter: adapter, generation: cache.generation, timer: timer)
        return id
    }

    func endOfLink(_ id: Int) -> LinkEnd? {
        guard let link = links[id] else { return .released }
        return link.end
    }

    /// Why a link ended. An adapter that is switched off loses its links first, and its own change is signalled a moment later.
    func reason(_ id: Int, _ end: LinkEnd) async -> LinkEnd {
        guard end == .dropped, let link = links[id], link.generation == cache.generation else { return end }
        let adapter = link.adapter
        let isGone = try? await wait(limit: .milliseconds(300), doing: "") { cache -> Result<Bool, BluetoothError>? in
            cache.adapter(adapter)?.isPowered == true ? nil : .success(true)
        }
        guard isGone == true else { return end }
        return cache.owner == nil ? .daemonGone : .adapterGone(adapter.lastElement)
    }

    /// Waits for the end of a link. Nil when the task is cancelled first.
    func waitForEndOfLink(_ id: Int) async -> LinkEnd? {
        let waiter = makeID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard let link = links[id] else { return continuation.resume(returning: .released) }
                if link.end != nil || Task.isCancelled { return continuation.resume(returning: link.end) }
                links[id]?.waiting[waiter] = continuation
            }
        } onCancel: {
            Task { await self.stopWaitingForEnd(of: id, waiter) }
        }
    }

    private func stopWaitingForEnd(of id: Int, _ waiter: Int) {
        links[id]?.waiting.removeValue(forKey: waiter)?.resume(returning: nil)
    }

    func releaseLink(_ id: Int) {
        endLink(id, .released)
        links[id] = nil
    }

    /// Subscribes for one more reader. All readers of a characteristic share one subscription; if it fails, it fails for all of them.
    ///
    /// Must be called after `listen`: the end of a link finishes the queues that listen at that time, and is an error from then on.
    ///
    /// - Parameter start: calls StartNotify.
    func subscribe(
        _ id: Int, _ path: ObjectPath, doing operation: String, _ start: @escaping @Sendable () async -> Result<Void, BluetoothError>
    ) async throws(BluetoothError) {
        while true {
            if let end = endOfLink(id) { throw await reason(id, end).error(during: operation) }
            let task: Task<Result<Void, BluetoothError>, Never>
            let isShared: Bool
            if let running = links[id]?.subscriptions[path]?.start {
                links[id]?.subscriptions[path]?.count += 1
                task = running
                isShared = true
            } else {
                task = Task { await start() }
                links[id]?.subscriptions[path] = Readers(start: task)
                isShared = false
            }
            let result = await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                if !isShared { task.cancel() }
            }
            guard case .failure(let error) = result else { return }
            if links[id]?.subscriptions[path]?.start == task { links[id]?.subscriptions[path] = nil }
            if Task.isCancelled { throw .cancelled }
            // The reader that had called StartNotify was cancelled: that is no reason for this one to fail.
            guard error == .cancelled, isShared else { throw error }
        }
    }

    /// Whether StopNotify has to be called.
    func endSubscription(_ id: Int, _ path: ObjectPath) -> Bool {
        guard let readers = links[id]?.subscriptions[path]?.count else { return false }
        if readers > 1 {
            links[id]?.subscriptions[path]?.count = readers - 1
        } else {
            links[id]?.subscriptions[path] = nil
        }
        return readers == 1
    }

    func subscriptions(of id: Int) -> [ObjectPath] {
        links[id].map { Array($0.subscriptions.keys) } ?? []
    }

    func settleLinks() {
        for (id, link) in links where link.end == nil {
            if let end {
                endLink(id, .busGone(end))
            } else if link.generation != cache.generation {
                endLink(id, .daemonGone)
            } else if cache.device(link.device)?.isConnected != true {
                // An adapter that is switched off or pulled out loses its links.
                let adapter = cache.adapter(link.adapter)
                endLink(id, adapter?.isPowered == true ? .dropped : .adapterGone(link.adapter.lastElement))
            }
        }
    }

    private func endLink(_ id: Int, _ end: LinkEnd) {
        guard var link = links[id], link.end == nil else { return }
        link.end = end
        // A link that this program releases is still up.
        if end != .released { link.timer.stop() }
        let waiting = link.waiting
        link.waiting = [:]
        links[id] = link
        for continuation in waiting.values { continuation.resume(returning: end) }
        for queue in notifications.queues(inside: link.device) { queue.finish(end) }
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
