internal import Support

/// Connecting: the search before it, retries, and the release of the link.
extension Central {
    /// Connects, runs `body`, and disconnects in every case: return, error and cancellation.
    ///
    /// The peripheral is searched for first, unless it is connected, heard or paired already; discovery is stopped
    /// before connecting. Transient failures are retried, up to `limits.attempts` attempts. A link that was up before,
    /// and is in use by another program, is shared and left up. Cancellation disconnects at once, whatever `body` is
    /// doing.
    ///
    /// - Parameters:
    ///   - address: the peripheral's address.
    ///   - adapter: such as `hci0`; by default the first one that is switched on.
    ///   - limits: how long each step may take, and the number of attempts.
    ///   - isInRange: connects without a search: for a peripheral that a search has just found.
    ///   - recovers: whether BlueZ may be made to remove a peripheral without a bond that it neither connects to nor
    ///     disconnects.
    ///   - pairing: with a delegate, a peripheral that is not paired yet is paired before `body` runs.
    ///   - isolation: the actor on which `body` runs; by default that of the caller.
    ///   - body: must not keep the peripheral after it returns: every operation fails with `linkLost` then.
    /// - Throws: what `body` throws, or `BluetoothError`: `peripheralNotFound`, `connectFailed`, `pairingFailed`,
    ///   `busy` if this central is connected to it already, or the adapter's errors as `adapter(_:)`.
    @discardableResult
    public func withPeripheral<R>(
        _ address: DeviceAddress, adapter: String? = nil, limits: ConnectionLimits = ConnectionLimits(),
        isInRange: Bool = false, recovers: Bool = false, pairing: (any PairingDelegate)? = nil,
        isolation: isolated (any Actor)? = #isolation, _ body: (Peripheral) async throws -> R
    ) async throws -> R {
        let link = try await connect(
            address, adapter: adapter, limits: limits, isInRange: isInRange, recovers: recovers, pairing: pairing)
        let peripheral = Peripheral(link: link, central: self) { [self] in Task { await self.beginRelease(link) } }
        return try await cleaningUp({ await release(link) }) {
            try await withTaskCancellationHandler {
                try await body(peripheral)
            } onCancel: {
                peripheral.disconnect()
            }
        }
    }

    func connect(
        _ address: DeviceAddress, adapter name: String?, limits: ConnectionLimits, isInRange: Bool = false,
        recovers: Bool = false, pairing: (any PairingDelegate)?
    ) async throws(BluetoothError) -> Link {
        guard inUse.insert(address).inserted else { throw .busy("\(address) is in use by this program already") }
        await daemon.pin([address])
        let link: Link
        do throws(BluetoothError) {
            // After a restart of bluetoothd, its objects are not known yet.
            try await daemon.ready()
            let adapter = try await usableAdapter(await bondedAdapter(of: address, wanted: name))
            link = try await establish(address, on: adapter, limits, isInRange: isInRange, recovers: recovers)
            linksInUse.insert(link.id)
        } catch {
            inUse.remove(address)
            await daemon.unpin([address])
            throw error
        }
        guard let pairing else { return link }
        do throws(BluetoothError) {
            try await pair(link, pairing)
            return link
        } catch {
            // Ends the use of the address, too.
            await release(link)
            throw error
        }
    }

    /// If there are several adapters, the one that the peripheral is connected or bonded to: a bond is not valid for
    /// another adapter.
    func bondedAdapter(of address: DeviceAddress, wanted name: String?) async -> String? {
        if let name { return name }
        let cache = await daemon.cache
        return cache.adapters.first { adapter in
            guard adapter.isPowered, let device = cache.device(address, on: adapter.path) else { return false }
            return device.isConnected || device.isPaired
        }?.name
    }

    /// Disconnects. Returns when that is done, even if the task was cancelled.
    func release(_ link: Link) async {
        await beginRelease(link)?.value
        releases[link.id] = nil
        linksInUse.remove(link.id)
    }

    /// Begins to disconnect, once per link. Nil if the link was released before.
    @discardableResult
    func beginRelease(_ link: Link) -> Task<Void, Never>? {
        if let running = releases[link.id] { return running }
        guard linksInUse.contains(link.id) else { return nil }
        let task = Task { await self.tearDown(link) }
        releases[link.id] = task
        return task
    }

    private func tearDown(_ link: Link) async {
        let subscriptions = await daemon.subscriptions(of: link.id)
        // A link that has ended is over: one that is up now is another program's.
        let hasEnded = await daemon.endOfLink(link.id) != nil
        await daemon.releaseLink(link.id)
        if hasEnded {
            owned.remove(link.device)
            undisconnected.remove(link.device)
        } else if link.use == .own {
            await disconnect(link.device)
        }
        link.timer.stop()
        let daemon = daemon
        await uncancelled {
            // After the disconnection this sends no packet. Without it, BlueZ would subscribe again by itself with the
            // next connection, even one of another program, and report the characteristic as in use meanwhile.
            for path in subscriptions { await daemon.stopNotify(path) }
        }
        inUse.remove(link.address)
        await daemon.unpin([link.address])
    }
}

extension Central {
    /// Finds and connects, and retries transient failures.
    func establish(
        _ address: DeviceAddress, on adapter: AdapterRecord, _ limits: ConnectionLimits, isInRange: Bool = false,
        recovers: Bool = false
    ) async throws(BluetoothError) -> Link {
        let known = await daemon.cache.device(address, on: adapter.path)
        let isPhantom = known.map { $0.isConnected && undisconnected.contains($0.path) } ?? false
        var policy = RetryPolicy(
            limits: limits, isPaired: known?.isPaired ?? false, recovers: recovers, isPhantom: isPhantom)
        // A connection attempt to a peripheral that is out of range takes the kernel 20 s and more; listening is
        // faster. A paired one may advertise to this machine only, which no scan shows.
        let isNear = isInRange || (known.map { $0.isConnected || $0.isDiscovered || $0.isPaired } ?? false)
        var approach: Approach = isNear ? .direct : .afterDiscovery
        var isContested = false
        while true {
            try Self.throwIfCancelled()
            let stopwatch = Stopwatch(clock)
            let failure: ConnectFailure
            switch try await self.approach(approach, address, on: adapter, limits, isContested: isContested) {
            case .success(let link): return link
            case .failure(let reason): failure = reason
            }
            isContested = isContested || failure.reason == .busy
            switch policy.next(after: failure, took: stopwatch.elapsed()) {
            case .giveUp(let failure):
                // If the adapter is off or gone, report that instead of this error.
                _ = try await usableAdapter(adapter.name)
                throw .connectFailed(address.description, reason: failure)
            case .again(let wait, let next):
                approach = next
                if wait > .zero { try? await clock.sleep(for: wait) }
            }
        }
    }

    private func approach(
        _ approach: Approach, _ address: DeviceAddress, on adapter: AdapterRecord, _ limits: ConnectionLimits,
        isContested: Bool
    ) async throws(BluetoothError) -> Result<Link, ConnectFailure> {
        switch approach {
        case .direct: break
        case .afterDiscovery: try await waitForAdvertisement(of: address, on: adapter, limits)
        case .afterDisconnecting:
            // Another program's attempt may have succeeded meanwhile.
            if let device = await daemon.cache.device(address, on: adapter.path), !device.isConnected {
                await disconnect(device.path)
            }
        case .afterRemoving:
            try await remove(address, on: adapter.path)
            try await waitForAdvertisement(of: address, on: adapter, limits)
        case .whileDiscovering:
            return try await attemptWhileDiscovering(address, on: adapter, limits, isContested: isContested)
        }
        await holdDiscovery(adapter.path)
        return try await cleaningUp({ await releaseDiscovery(adapter.path) }) { () async throws(BluetoothError) in
            try await attempt(address, on: adapter.path, limits, isContested: isContested)
        }
    }

    /// Listens until the peripheral is heard.
    private func waitForAdvertisement(
        of address: DeviceAddress, on adapter: AdapterRecord, _ limits: ConnectionLimits
    ) async throws(BluetoothError) {
        let discovered = OneShot<Void>()
        try await listen(ScanFilter(address: address), on: adapter, limit: limits.scan) { _ in
            discovered.send(())
            return true
        }
        guard discovered.isSent else { throw .peripheralNotFound(address.description, seconds: limits.scan.inSeconds) }
    }

    /// Some time after discovery ends, BlueZ drops devices that it only saw in discovery. If that happens before the
    /// connection, discovery has to continue.
    private func attemptWhileDiscovering(
        _ address: DeviceAddress, on adapter: AdapterRecord, _ limits: ConnectionLimits, isContested: Bool
    ) async throws(BluetoothError) -> Result<Link, ConnectFailure> {
        let failed = OneShot<BluetoothError>()
        let id = await joinDiscovery(adapter, ScanFilter(address: address)) { failed.send($0) }
        let result: Result<Link, ConnectFailure>
        do throws(BluetoothError) {
            if failed.isSent, let error = await failed.value { throw error }
            try await daemon.wait(limit: limits.scan, doing: "") {
                [path = adapter.path] cache -> Result<Void, BluetoothError>? in
                // With the adapter, or a bluetoothd that restarts, the discovery has ended.
                if let end = cache.end(ofAdapter: path) { return .failure(end) }
                guard let device = cache.device(address, on: path) else { return nil }
                return device.isDiscovered || device.isConnected ? .success(()) : nil
            }
            result = try await attempt(address, on: adapter.path, limits, isContested: isContested)
        } catch {
            await leaveDiscovery(adapter.path, id)
            guard case .timedOut = error else { throw error }
            throw .peripheralNotFound(address.description, seconds: limits.scan.inSeconds)
        }
        await leaveDiscovery(adapter.path, id)
        return result
    }
}
