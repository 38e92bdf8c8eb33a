internal import DBus
internal import Support
internal import Synchronization

/// Listening on one adapter.
extension PresenceMonitor {
    /// One period of listening on an adapter: until it fails, BlueZ releases the monitor, or the task is cancelled.
    struct Round: Sendable {
        enum End: Sendable, Hashable { case released, cancelled }

        let presence: PresenceMonitor
        let adapter: AdapterRecord
        let targets: Targets
        let number: Int

        private var central: Central { presence.central }
        private var daemon: Daemon { presence.central.daemon }

        /// - Throws: why the adapter cannot be listened on any longer.
        func run(mayMonitor: Bool) async throws(BluetoothError) -> End {
            let events = await daemon.deviceEvents(on: adapter.path)
            let application = mayMonitor ? await register() : nil
            let mode: Mode = application == nil ? .scans : .monitor
            if application != nil { await presence.begin(mode, isProven: false) }
            let result = await withTaskGroup(of: Result<End, BluetoothError>.self) { group in
                group.addTask { await read(events, mode) }
                group.addTask { await scan(mode) }
                if let application { group.addTask { await read(application) } }
                let first = await group.next() ?? .success(.cancelled)
                group.cancelAll()
                return first
            }
            if let application { await uncancelled { await unregister(application) } }
            switch result {
            case .success(let end): return end
            case .failure(let error): throw await central.explain(error, adapter)
            }
        }

        private func discovered(_ device: DeviceRecord, _ mode: Mode) async {
            await presence.begin(mode, isProven: true)
            near(device)
        }

        /// The peripheral was not heard, but is near.
        private func near(_ device: DeviceRecord) {
            if let address = target(device.discovery(adapter: adapter.name)) {
                presence.continuation.yield(.discovered(address))
            }
        }

        /// The address that is looked for, if this is its peripheral.
        private func target(_ discovery: Discovery) -> DeviceAddress? {
            if targets.addresses.contains(discovery.address) { return discovery.address }
            guard !targets.byData.isEmpty, let identity = presence.identity(discovery) else { return nil }
            return targets.byData.contains(identity) ? identity : nil
        }

        // MARK: Signals of BlueZ

        private func read(_ events: AsyncStream<DeviceEvent>, _ mode: Mode) async -> Result<End, BluetoothError> {
            var isDiscovering = adapter.isDiscovering
            for await event in events {
                switch event {
                case .adapter(let record):
                    guard let record else { return .failure(.adapterLost(adapter.name)) }
                    guard record.isPowered else { return .failure(.adapterDown(adapter.name)) }
                    isDiscovering = record.isDiscovering
                // A signal strength stays after a monitor has ended: only while a program scans does it show that the
                // peripheral is present.
                case .known(let device):
                    if device.isDiscovered, isDiscovering {
                        await discovered(device, mode)
                    } else if device.isConnected {
                        near(device)
                    }
                case .added(let device):
                    if device.isDiscovered {
                        await discovered(device, mode)
                    } else if device.isConnected {
                        near(device)
                    }
                case .changed(let device, let names):
                    if !names.isDisjoint(with: ScanState.fromAdvertisements) {
                        await discovered(device, mode)
                    } else if names.contains("Connected"), device.isConnected {
                        near(device)
                    }
                case .removed: break
                }
            }
            return Task.isCancelled ? .success(.cancelled) : .failure(.noBus("the connection to the bus was lost"))
        }

        // MARK: Monitoring

        /// Nil if BlueZ has no monitors, or accepts none.
        private func register() async -> MonitorApplication? {
            let cache = await daemon.cache
            let manager = cache.properties(adapter.path, BlueZName.monitorManager)
            guard manager?["SupportedMonitorTypes"]?.arrayValue?.contains(.string("or_patterns")) == true else {
                return nil
            }
            let patterns = targets.addresses.sorted().map {
                AdvertisementPattern.patterns(of: cache.device($0, on: adapter.path))
            }
            let application = MonitorApplication(daemon: daemon, number: number, patterns)
            await daemon.bus.export(application, at: application.root, subtree: true)
            do throws(DBusError) {
                _ = try await call("RegisterMonitor", application)
                return application
            } catch {
                await uncancelled { await unregister(application) }
                return nil
            }
        }

        private func unregister(_ application: MonitorApplication) async {
            // If the adapter is gone, the monitor is gone too.
            _ = try? await call("UnregisterMonitor", application)
            await daemon.bus.unexport(application.root)
        }

        private func call(_ member: String, _ application: MonitorApplication) async throws(DBusError) -> [DBusValue] {
            try await daemon.call(
                adapter.path, BlueZName.monitorManager, member, [.objectPath(application.root)], limit: .seconds(10))
        }

        private func read(_ application: MonitorApplication) async -> Result<End, BluetoothError> {
            for await event in application.events {
                switch event {
                case .found(let path): await found(path)
                case .released: return .success(.released)
                }
            }
            return .success(.cancelled)
        }

        /// BlueZ may announce the object a moment after it reports that the device was found; until then only its
        /// address is known.
        private func found(_ path: ObjectPath) async {
            if let device = await daemon.cache.device(path) { return await discovered(device, .monitor) }
            guard let address = Self.address(path) else { return }
            await presence.begin(.monitor, isProven: true)
            if targets.addresses.contains(address) { presence.continuation.yield(.discovered(address)) }
        }

        /// BlueZ names devices by their address: `…/dev_C0_DE_00_00_00_01`.
        private static func address(_ device: ObjectPath) -> DeviceAddress? {
            let name = device.lastElement
            guard name.hasPrefix("dev_") else { return nil }
            return DeviceAddress(String(name.dropFirst(4).map { $0 == "_" ? ":" : $0 }))
        }

        // MARK: Scanning

        private func scan(_ mode: Mode) async -> Result<End, BluetoothError> {
            var pace = mode == .scans ? presence.pace : presence.pace.besideMonitor
            do throws(BluetoothError) {
                if pace.beginsWithPause { try await pause(await presence.left(of: pace.pause)) }
                while true {
                    let missing = Mutex(targets.addresses)
                    // If only one peripheral is looked for, BlueZ can suppress all others.
                    let isSingle = targets.addresses.count == 1 && targets.byData.isEmpty
                    let filter = ScanFilter(address: isSingle ? targets.addresses.first : nil)
                    try await central.listen(filter, on: adapter, limit: pace.length) {
                        await presence.begin(mode, isProven: false)
                    } isEnough: { discovery in
                        // `read(_:)` reports that it was heard; this only ends the scan.
                        let found = target(discovery)
                        return missing.withLock { missing in
                            if let found { missing.remove(found) }
                            return missing.isEmpty
                        }
                    }
                    await presence.begin(mode, isProven: true)
                    await presence.hasScanned()
                    let isSilent = missing.withLock { $0 == targets.addresses }
                    try await pause(pace.next(discovered: !isSilent))
                }
            } catch {
                return error == .cancelled ? .success(.cancelled) : .failure(error)
            }
        }

        private func pause(_ length: Duration) async throws(BluetoothError) {
            do { try await central.daemon.clock.sleep(for: length) } catch { throw .cancelled }
        }
    }
}
