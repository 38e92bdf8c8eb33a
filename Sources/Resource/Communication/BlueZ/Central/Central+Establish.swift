internal import DBus

extension Central {
    /// Finds and connects, trying again what may pass.
    func establish(
        _ address: DeviceAddress, on adapter: AdapterRecord, _ limits: ConnectionLimits
    ) async throws(BluetoothError) -> Link {
        let known = await daemon.cache.device(address, on: adapter.path)
        var policy = RetryPolicy(limits: limits, isPaired: known?.isPaired ?? false)
        // Connecting blindly to what is out of range takes the kernel 20 s and more; listening tells sooner. A paired
        // one may advertise to this machine only, which no scan shows.
        let isNear = known.map { $0.isConnected || $0.isHeard || $0.isPaired } ?? false
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
                // An adapter that is off or gone has a better explanation than this one.
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
        case .afterDiscovery: try await hear(address, on: adapter, limits)
        case .whileDiscovering:
            return try await attemptWhileDiscovering(address, on: adapter, limits, isContested: isContested)
        }
        await holdDiscovery(adapter.path)
        let result: Result<Link, ConnectFailure>
        do throws(BluetoothError) {
            result = try await attempt(address, on: adapter.path, limits, isContested: isContested)
        } catch {
            await releaseDiscovery(adapter.path)
            throw error
        }
        await releaseDiscovery(adapter.path)
        return result
    }

    /// Listens until the peripheral is heard.
    private func hear(
        _ address: DeviceAddress, on adapter: AdapterRecord, _ limits: ConnectionLimits
    ) async throws(BluetoothError) {
        let heard = Signal<Void>()
        try await listen(ScanFilter(address: address), on: adapter, limit: limits.scan) { _ in
            heard.send(())
            return true
        }
        guard heard.isSent else { throw .peripheralNotFound(address.description, seconds: limits.scan.inSeconds) }
    }

    /// BlueZ drops what it only saw in discovery, sooner or later after that ends. Where that comes before the
    /// connection, discovery has to go on.
    private func attemptWhileDiscovering(
        _ address: DeviceAddress, on adapter: AdapterRecord, _ limits: ConnectionLimits, isContested: Bool
    ) async throws(BluetoothError) -> Result<Link, ConnectFailure> {
        let id = await joinDiscovery(adapter, ScanFilter(address: address)) { _ in }
        let result: Result<Link, ConnectFailure>
        do throws(BluetoothError) {
            try await daemon.wait(limit: limits.scan, doing: "") { [path = adapter.path] cache -> Result<Void, BluetoothError>? in
                guard let device = cache.device(address, on: path) else { return nil }
                return device.isHeard || device.isConnected ? .success(()) : nil
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

/// How an attempt to connect begins.
enum Approach: Hashable {
    /// At once: BlueZ knows the peripheral.
    case direct
    /// When it was heard, and discovery was stopped again.
    case afterDiscovery
    /// When it was heard, discovery going on.
    case whileDiscovering
}
