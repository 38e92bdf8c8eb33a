internal import DBus

extension Central {
    /// Pairs with a peripheral and keeps the bond; returns at once if it is paired already. Connected for that, it is
    /// disconnected again.
    ///
    /// - Throws: `pairingFailed` with the reason, or what `withPeripheral` throws.
    public func pair(
        _ address: DeviceAddress, adapter: String? = nil, limits: ConnectionLimits = ConnectionLimits(),
        delegate: any PairingDelegate
    ) async throws(BluetoothError) {
        let link = try await connect(address, adapter: adapter, limits: limits, pairing: delegate)
        await release(link)
    }

    /// Makes BlueZ forget a peripheral: its bond and everything it remembers of it. On the peripheral the bond stays.
    ///
    /// - Returns: whether BlueZ knew it.
    @discardableResult
    public func remove(_ address: DeviceAddress, adapter name: String? = nil) async throws(BluetoothError) -> Bool {
        guard !inUse.contains(address) else { throw .busy("\(address) is in use by this program") }
        try await daemon.ready()
        let cache = await daemon.cache
        var wasKnown = false
        for adapter in cache.adapters where name == nil || adapter.name == name {
            guard let device = cache.device(address, on: adapter.path) else { continue }
            do throws(DBusError) {
                _ = try await daemon.call(
                    adapter.path, BlueZName.adapter, "RemoveDevice", [.objectPath(device.path)], limit: .seconds(10))
                wasKnown = true
            } catch {
                if error.remoteName == "org.bluez.Error.DoesNotExist" { continue }
                throw BluetoothError(error, doing: "removing \(address)")
            }
            try await daemon.wait(limit: .seconds(5), doing: "removing \(address)") { cache in
                cache.device(device.path) == nil ? .success(()) : nil
            }
        }
        return wasKnown
    }

    func pair(_ link: Link, _ delegate: any PairingDelegate) async throws(BluetoothError) {
        let daemon = daemon
        if await daemon.cache.device(link.device)?.isPaired == true { return }
        try await agent.serving(link.device, link.address, delegate) { () async -> Result<Void, BluetoothError> in
            do throws(DBusError) {
                _ = try await daemon.call(link.device, BlueZName.device, "Pair", limit: link.limits.pairing)
                return .success(())
            } catch {
                if error.isOurs {
                    await uncancelled {
                        _ = try? await daemon.call(link.device, BlueZName.device, "CancelPairing", limit: .seconds(5))
                    }
                }
                if error.remoteName == "org.bluez.Error.AlreadyExists" { return .success(()) }
                return .failure(Self.pairingError(error, link.peripheral))
            }
        }
        if let end = await daemon.endOfLink(link.id) { throw end.error(during: "pairing with \(link.peripheral)") }
    }

    /// The one place where the errors of `Device1.Pair` are known (`doc/org.bluez.Device.rst`).
    static func pairingError(_ error: DBusError, _ peripheral: String) -> BluetoothError {
        guard case .remote(let name, let message) = error else {
            return BluetoothError(error, doing: "pairing with \(peripheral)")
        }
        let reason: String
        switch name {
        case "org.bluez.Error.AuthenticationCanceled": reason = "it was cancelled"
        case "org.bluez.Error.AuthenticationFailed": reason = "the two sides do not agree on the keys"
        case "org.bluez.Error.AuthenticationRejected": reason = "it was refused"
        case "org.bluez.Error.AuthenticationTimeout": reason = "there was no answer in time"
        case "org.bluez.Error.ConnectionAttemptFailed": reason = "the connection failed"
        case "org.bluez.Error.Failed", "org.bluez.Error.InvalidArguments": reason = message
        default: return BluetoothError(error, doing: "pairing with \(peripheral)")
        }
        return .pairingFailed(peripheral, reason: reason)
    }
}

extension DBusError {
    /// Whether the call ended here, so that BlueZ may still be at it.
    var isOurs: Bool {
        switch self {
        case .timedOut, .cancelled: true
        default: false
        }
    }
}
