internal import DBus
internal import Support

/// A Bluetooth adapter of the machine, as `bluetoothd` knows it.
public struct Adapter: Sendable, Hashable {
    /// The kernel's name, such as `hci0`.
    public let name: String
    /// Its own address.
    public let address: DeviceAddress?
    /// The name that it shows to others.
    public let alias: String
    /// Whether it is switched on.
    public let isPowered: Bool
    /// Whether any program is scanning on it.
    public let isDiscovering: Bool

    /// An adapter with these properties.
    public init(name: String, address: DeviceAddress?, alias: String, isPowered: Bool, isDiscovering: Bool) {
        self.name = name
        self.address = address
        self.alias = alias
        self.isPowered = isPowered
        self.isDiscovering = isDiscovering
    }
}

extension Central {
    /// Switches an adapter off and on. Some adapters receive nothing any more after days or weeks, until that is done.
    ///
    /// BlueZ ends all links and scans of an adapter that is switched off. So nothing is done while a device is
    /// connected to it, or while another program scans.
    ///
    /// - Returns: false if nothing was done.
    /// - Throws: as `adapter(_:)`, `cancelled`, `unexpected`, `timedOut`. It is switched on again after an error and
    ///   after cancellation.
    public func restartAdapter(_ name: String? = nil) async throws(BluetoothError) -> Bool {
        let adapter = try await usableAdapter(name)
        do throws(BluetoothError) {
            // BlueZ may still be ending this program's own scan.
            try await daemon.wait(limit: .seconds(3), doing: "waiting for the end of the scan") { cache in
                cache.adapter(adapter.path)?.isDiscovering == true ? nil : .success(())
            }
        } catch {
            guard case .timedOut = error else { throw error }
            return false
        }
        guard await !daemon.cache.devices(on: adapter.path).contains(where: \.isConnected) else { return false }
        let daemon = daemon
        try await uncancelled {
            do throws(BluetoothError) {
                try await daemon.setPowered(false, adapter)
                // Some controllers need a moment.
                try? await daemon.clock.sleep(for: .seconds(1))
                try await daemon.setPowered(true, adapter)
                return Result<Void, BluetoothError>.success(())
            } catch {
                try? await daemon.setPowered(true, adapter)
                return .failure(error)
            }
        }.get()
        try Self.throwIfCancelled()
        return true
    }
}

extension Daemon {
    /// Switches an adapter on or off, and waits until it is.
    fileprivate nonisolated func setPowered(_ on: Bool, _ adapter: AdapterRecord) async throws(BluetoothError) {
        let operation = "switching \(adapter.name) \(on ? "on" : "off")"
        do throws(DBusError) {
            _ = try await call(
                adapter.path, StandardInterface.properties, "Set",
                [.string(BlueZName.adapter), .string("Powered"), .variant(.boolean(on))],
                limit: .seconds(10))
        } catch {
            throw BluetoothError(error, doing: operation)
        }
        try await wait(limit: .seconds(10), doing: operation) { cache in
            cache.adapter(adapter.path)?.isPowered == on ? .success(()) : nil
        }
    }
}
