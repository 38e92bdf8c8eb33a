internal import DBus
internal import Support
internal import Synchronization

/// Scans and searches, and the discovery that they share.
extension Central {
    /// Scans for LE peripherals in range.
    ///
    /// A peripheral is reported when it is first heard and when one of its properties changes (name, services, data,
    /// signal strength). Peripherals that BlueZ only has in its store are not reported; connected ones are, since they
    /// are near although silent. Several scans may run at the same time, also on one adapter; they pause while a
    /// connection is set up, and that time does not count towards `limit`.
    ///
    /// The stream ends after `limit`. The scan also ends, with discovery stopped and the filter removed, when the
    /// stream is cancelled or dropped. It throws `BluetoothError` when no adapter can be used, or the adapter goes
    /// away. If the stream is not read, the oldest of 4,096 entries are lost.
    public func scan(
        _ filter: ScanFilter = ScanFilter(), adapter: String? = nil, limit: Duration
    ) -> AsyncThrowingStream<Discovery, any Error> {
        let (stream, continuation) = AsyncThrowingStream<Discovery, any Error>.makeStream(
            bufferingPolicy: .bufferingNewest(4096))
        let task = Task {
            do {
                let adapter = try await self.usableAdapter(adapter)
                try await self.listen(filter, on: adapter, limit: limit) { discovery in
                    continuation.yield(discovery)
                    return false
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Scans until `isEnough` returns true, the time is over, or the task is cancelled. Discovery has ended on return.
    ///
    /// Time in which discovery is held does not count: setting up a connection to a device out of range takes as long
    /// as a whole scan.
    ///
    /// - Parameter begun: called once BlueZ has started the scan.
    func listen(
        _ filter: ScanFilter, on adapter: AdapterRecord, limit: Duration,
        begun: () async -> Void = {}, isEnough: @escaping @Sendable (Discovery) -> Bool
    ) async throws(BluetoothError) {
        let events = await daemon.deviceEvents(on: adapter.path, of: filter.address.map { [$0] })
        let failed = OneShot<BluetoothError>()
        let id = await joinDiscovery(adapter, filter) { failed.send($0) }
        var error: BluetoothError?
        if failed.isSent {
            error = await failed.value
        } else {
            await begun()
            error =
                await limited(by: { try await self.sleep(limit, whileListeningOn: adapter.path) }) {
                    () async -> BluetoothError? in
                    await withTaskGroup(of: BluetoothError?.self) { group in
                        group.addTask { await failed.value }
                        group.addTask { await Self.read(events, filter, adapter.name, isEnough) }
                        defer { group.cancelAll() }
                        return await group.next() ?? nil
                    }
                } ?? nil
        }
        await uncancelled { await self.leaveDiscovery(adapter.path, id) }
        if let error { throw await explain(error, adapter) }
        try Self.throwIfCancelled()
    }

    /// Sleeps until discovery could run for `limit`.
    private func sleep(_ limit: Duration, whileListeningOn adapter: ObjectPath) async throws {
        var held = heldTimes[adapter]?.total ?? .zero
        var left = limit
        while left > .zero {
            try await clock.sleep(for: left)
            let now = heldTimes[adapter]?.total ?? .zero
            (left, held) = (now - held, now)
        }
    }

    /// Nil if `isEnough` was true, or the task was cancelled.
    private static func read(
        _ events: AsyncStream<DeviceEvent>, _ filter: ScanFilter, _ adapter: String,
        _ isEnough: @Sendable (Discovery) -> Bool
    ) async -> BluetoothError? {
        var state = ScanState(filter: filter, adapter: adapter)
        for await event in events {
            if case .adapter(let record) = event {
                guard let record else { return .adapterLost(adapter) }
                guard record.isPowered else { return .adapterDown(adapter) }
            } else if let discovery = state.take(event), isEnough(discovery) {
                return nil
            }
        }
        return Task.isCancelled ? nil : .noBus("the connection to the bus was lost")
    }

    /// If an adapter is gone or down because `bluetoothd` ended, or a switch was used, the error says so.
    func explain(_ error: BluetoothError, _ adapter: AdapterRecord) async -> BluetoothError {
        switch error {
        case .adapterLost: return await daemon.cache.owner == nil ? .daemonNotRunning : error
        case .adapterDown:
            let record = await daemon.cache.adapter(adapter.path)
            return Self.fault(adapter.name, known: record, machine: daemon.machine?.read())
        default: return error
        }
    }
}

/// The result of a search for several peripherals.
public struct SearchResult: Sendable {
    /// The peripherals that are in range: mostly one. Empty if none was heard within the time.
    public var found: Set<DeviceAddress> = []
    /// Other peripherals that were heard, if the search was not restricted to those it looked for; at most
    /// `othersLimit`.
    public var others: [DeviceAddress: Discovery] = [:]
    /// How long it listened for other peripherals, too.
    public var unrestrictedTime: Duration = .zero

    /// Far more than can be in range in one room; each costs memory.
    static let othersLimit = 500

    /// Most devices advertise at least every two seconds: if none was heard in this time, none is in range or the
    /// adapter receives nothing.
    public static let timeToDiscoverAnything: Duration = .seconds(10)

    /// The state before a search: nothing was heard.
    public init() {}
}

extension Central {
    /// How long a search for one peripheral makes BlueZ report that one alone, so that this program does not have to
    /// handle the signals of all others. Most peripherals advertise at least every two seconds. After that time all are
    /// reported: a peripheral whose address has changed is among them.
    static let exclusiveSearch: Duration = .seconds(5)

    /// Searches for several peripherals with one scan. Returns as soon as one of them is in range. Discovery has ended
    /// by then, so that the caller can connect with `withPeripheral(isInRange: true)`.
    ///
    /// - Parameters:
    ///   - addresses: the addresses of the peripherals that are searched for.
    ///   - adapter: such as `hci0`; by default the first one that is switched on.
    ///   - limit: the time after which the result is empty.
    /// - Throws: the adapter's errors as `adapter(_:)`, or `cancelled`.
    public func search(
        for addresses: Set<DeviceAddress>, adapter: String? = nil, limit: Duration
    ) async throws(BluetoothError) -> SearchResult {
        let adapter = try await usableAdapter(adapter)
        let result = Mutex(SearchResult())
        @Sendable func take(_ discovery: Discovery) -> Bool {
            result.withLock { result in
                if addresses.contains(discovery.address) {
                    result.found.insert(discovery.address)
                    return true
                }
                guard discovery.wasHeard else { return false }
                if result.others[discovery.address] != nil || result.others.count < SearchResult.othersLimit {
                    result.others[discovery.address] = discovery
                }
                return false
            }
        }
        var left = limit
        if addresses.count == 1 {
            let exclusive = min(left, Self.exclusiveSearch)
            try await listen(ScanFilter(address: addresses.first), on: adapter, limit: exclusive, isEnough: take)
            left -= exclusive
        }
        if result.withLock({ $0.found.isEmpty }), left > .zero {
            try await listen(ScanFilter(), on: adapter, limit: left, isEnough: take)
            result.withLock { $0.unrestrictedTime = left }
        }
        return result.withLock { $0 }
    }

    /// What BlueZ has stored about a peripheral, which may be out of range: on the adapter that is connected to it or
    /// has a bond with it, if there is one. Nil if it has no object for it.
    public func storedPeripheral(_ address: DeviceAddress, adapter: String? = nil) async throws(BluetoothError)
        -> Discovery?
    {
        try await daemon.ready()
        let adapter = try await usableAdapter(await bondedAdapter(of: address, wanted: adapter))
        return await daemon.cache.device(address, on: adapter.path)?.discovery(adapter: adapter.name)
    }
}

extension Central {
    /// Adds a scan that needs discovery. `fail` is called when discovery is not possible, now or later.
    func joinDiscovery(
        _ adapter: AdapterRecord, _ filter: ScanFilter, fail: @escaping @Sendable (BluetoothError) -> Void
    ) async -> Int {
        let id = makeID()
        scans[id] = fail
        discoveries[adapter.path, default: DiscoveryControl()].join(id, filter, isShared: adapter.isDiscovering)
        await settleDiscovery(adapter.path)
        return id
    }

    func leaveDiscovery(_ adapter: ObjectPath, _ id: Int) async {
        scans[id] = nil
        discoveries[adapter]?.leave(id)
        await settleDiscovery(adapter)
    }

    /// Stops discovery while a connection is set up.
    func holdDiscovery(_ adapter: ObjectPath) async {
        discoveries[adapter, default: DiscoveryControl()].hold()
        heldTimes[adapter, default: HeldTime()].begin(clock)
        await settleDiscovery(adapter)
    }

    func releaseDiscovery(_ adapter: ObjectPath) async {
        discoveries[adapter]?.release()
        if discoveries[adapter]?.isHeld != true { heldTimes[adapter]?.end() }
        await settleDiscovery(adapter)
    }

    func endDiscovery(_ adapter: ObjectPath) async {
        for id in Array(scans.keys) { discoveries[adapter]?.leave(id) }
        await settleDiscovery(adapter)
    }

    /// Takes steps until BlueZ's state is the wanted one. One such loop runs per adapter. It runs to its end even if a
    /// task is cancelled, so that a discovery that was just being started is stopped as well.
    private func settleDiscovery(_ adapter: ObjectPath) async {
        if let running = settling[adapter] { return await running.value }
        guard discoveries[adapter]?.next != nil else { return }
        let task = Task {
            while let step = self.discoveries[adapter]?.next {
                do throws(BluetoothError) {
                    try await self.take(step, adapter)
                    self.discoveries[adapter]?.didTake(step)
                } catch {
                    for id in self.discoveries[adapter]?.didFail(step) ?? [] { self.scans[id]?(error) }
                }
            }
            self.settling[adapter] = nil
        }
        settling[adapter] = task
        await task.value
    }

    private func take(_ step: DiscoveryControl.Step, _ adapter: ObjectPath) async throws(BluetoothError) {
        let (member, arguments): (String, [DBusValue]) =
            switch step {
            case .setFilter(let filter): ("SetDiscoveryFilter", [filter.value])
            case .clearFilter: ("SetDiscoveryFilter", [.properties([:])])
            case .start: ("StartDiscovery", [])
            case .stop: ("StopDiscovery", [])
            }
        // BlueZ answers InProgress while it starts or stops discovery for another client, or still does for this one,
        // and Failed when the controller was busy connecting: both pass.
        var waits: [Duration] = [.milliseconds(200), .milliseconds(500), .seconds(1), .seconds(2)]
        while true {
            do throws(DBusError) {
                _ = try await daemon.call(adapter, BlueZName.adapter, member, arguments, limit: .seconds(10))
                return
            } catch {
                let mayPass = ["org.bluez.Error.InProgress", "org.bluez.Error.Failed"].contains(error.remoteName)
                guard mayPass, step != .clearFilter, !waits.isEmpty,
                    // "No discovery started": there is nothing to stop.
                    !(step == .stop && error.remoteName == "org.bluez.Error.Failed")
                else {
                    await undo(step, error, adapter)
                    throw await discoveryError(error, adapter)
                }
                try? await clock.sleep(for: waits.removeFirst())
            }
        }
    }

    /// BlueZ can carry out a start that it did not answer in time, and then refuses every other one of this connection:
    /// "Every client can only start one discovery" (BlueZ, `src/adapter.c`). Until it has carried it out, it refuses to
    /// stop it with InProgress.
    private func undo(_ step: DiscoveryControl.Step, _ error: DBusError, _ adapter: ObjectPath) async {
        let isLate = if case .timedOut = error { true } else { false }
        guard step == .start, isLate || error.remoteName == "org.bluez.Error.InProgress" else { return }
        for attempt in 1...Self.attemptsToUndo {
            do throws(DBusError) {
                _ = try await daemon.call(adapter, BlueZName.adapter, "StopDiscovery", limit: .seconds(5))
                return
            } catch {
                guard error.remoteName == "org.bluez.Error.InProgress" else { return }
                // A central that closes leaves the rest to the end of its connection.
                if isClosing || attempt == Self.attemptsToUndo { return }
                try? await clock.sleep(for: .seconds(2))
            }
        }
    }

    /// With the pauses between them about as long as the kernel waits for a controller.
    private static let attemptsToUndo = 5

    private func discoveryError(_ error: DBusError, _ path: ObjectPath) async -> BluetoothError {
        let name = path.lastElement
        switch error.remoteName {
        case "org.bluez.Error.NotReady":
            return Self.fault(name, known: await daemon.cache.adapter(path), machine: daemon.machine?.read())
        case _ where error.kind == .unknownObject: return .adapterLost(name)
        case "org.bluez.Error.InProgress":
            return .adapterStuck(name, reason: "a scan start or stop is in progress and does not end")
        default: break
        }
        switch BluetoothError(error, doing: "scanning on \(name)") {
        case .timedOut(_, let seconds): return .adapterStuck(name, reason: "no answer within \(Int(seconds)) s")
        case .unexpected(let answer): return .adapterStuck(name, reason: answer)
        case let other: return other
        }
    }
}
