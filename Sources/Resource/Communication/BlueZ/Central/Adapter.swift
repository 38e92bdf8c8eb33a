internal import Cleanup
internal import DBus

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
    /// BlueZ ends all links and scans of an adapter that is switched off. So nothing is done while a device is connected to it, or while
    /// another program scans.
    ///
    /// - Returns: false if nothing was done.
    /// - Throws: as `adapter(_:)`, `cancelled`, `unexpected`, `timedOut`. It is switched on again after an error and after cancellation.
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
                adapter.path, BlueZName.properties, "Set", [.string(BlueZName.adapter), .string("Powered"), .variant(.boolean(on))],
                limit: .seconds(10))
        } catch {
            throw BluetoothError(error, doing: operation)
        }
        try await wait(limit: .seconds(10), doing: operation) { cache in
            cache.adapter(adapter.path)?.isPowered == on ? .success(()) : nil
        }
    }
}

/// Waits for an adapter that is just coming up: when an adapter is plugged in, or the machine starts, programs may begin before
/// `bluetoothd` has found it and switched it on.
///
/// It checks repeatedly, each time over a new connection: until `bluetoothd` runs there is nothing that could signal a change.
public struct AdapterWait: Sendable {
    /// The time after which it stops checking.
    public var limit: Duration
    /// The time between two checks.
    public var pause: Duration
    private let clock: any Clock<Duration>

    public init(limit: Duration = .seconds(15), pause: Duration = .seconds(1), clock: any Clock<Duration> = ContinuousClock()) {
        self.limit = limit
        self.pause = pause
        self.clock = clock
    }

    /// Returns when an adapter can be used, when none will come up, or when the limit is over. The error is then reported by the caller
    /// that needs the adapter.
    ///
    /// - Parameters:
    ///   - adapter: such as `hci1`; nil for any.
    ///   - central: opened for each check and closed at its end.
    public func callAsFunction(_ adapter: String?, _ central: @Sendable () async throws -> Central) async {
        await wait(clock, adapter, central)
    }

    private func wait<C: Clock<Duration>>(_ clock: C, _ adapter: String?, _ central: () async throws -> Central) async {
        let deadline = clock.now.advanced(by: limit)
        while await mayComeUp(adapter, central) {
            // A bus may need some time to start bluetoothd.
            guard clock.now.advanced(by: pause) <= deadline, (try? await clock.sleep(for: pause)) != nil else { return }
        }
    }

    /// Whether no adapter can be used now, but one may come up soon.
    private func mayComeUp(_ adapter: String?, _ central: () async throws -> Central) async -> Bool {
        do {
            _ = try await central().closing { try await $0.adapter(adapter) }
            return false
        } catch {
            return (error as? BluetoothError)?.mayPassByItself ?? false
        }
    }
}

extension BluetoothError {
    /// A block, and a missing permission, remain until a user removes them.
    fileprivate var mayPassByItself: Bool {
        switch self {
        case .noAdapter, .adapterDown, .daemonNotRunning, .adapterLost: true
        default: false
        }
    }
}
