internal import DBus
internal import Synchronization

extension Lookout {
    /// One stretch of listening on an adapter: until it fails, BlueZ gives the monitor back, or the task is cancelled.
    struct Round: Sendable {
        enum End: Sendable, Hashable { case released, cancelled }

        let lookout: Lookout
        let adapter: AdapterRecord
        let addresses: Set<DeviceAddress>
        let number: Int

        private var central: Central { lookout.central }
        private var daemon: Daemon { lookout.central.daemon }

        /// - Throws: why the adapter cannot be listened on any longer.
        func run(mayMonitor: Bool) async throws(BluetoothError) -> End {
            let events = await daemon.deviceEvents(on: adapter.path)
            let tree = mayMonitor ? await register() : nil
            let means: Means = tree == nil ? .scans : .monitor
            if tree != nil { await lookout.begin(means, isProven: false) }
            let result = await withTaskGroup(of: Result<End, BluetoothError>.self) { group in
                group.addTask { await read(events, means) }
                group.addTask { await scan(means) }
                if let tree { group.addTask { await read(tree) } }
                let first = await group.next() ?? .success(.cancelled)
                group.cancelAll()
                return first
            }
            if let tree { await uncancelled { await unregister(tree) } }
            switch result {
            case .success(let end): return end
            case .failure(let error): throw await central.explain(error, adapter)
            }
        }

        private func heard(_ address: DeviceAddress, _ means: Means) async {
            await lookout.begin(means, isProven: true)
            if addresses.contains(address) { lookout.continuation.yield(.heard(address)) }
        }

        /// It was not heard, but is near.
        private func near(_ address: DeviceAddress) {
            if addresses.contains(address) { lookout.continuation.yield(.heard(address)) }
        }

        // MARK: What BlueZ tells by itself

        private func read(_ events: AsyncStream<DeviceEvent>, _ means: Means) async -> Result<End, BluetoothError> {
            var isDiscovering = adapter.isDiscovering
            for await event in events {
                switch event {
                case .adapter(let record):
                    guard let record else { return .failure(.adapterLost(adapter.name)) }
                    guard record.isPowered else { return .failure(.adapterDown(adapter.name)) }
                    isDiscovering = record.isDiscovering
                // A signal strength outlives a monitor: only while somebody scans it tells that the peripheral is there.
                case .known(let device):
                    if device.isHeard, isDiscovering {
                        await heard(device.address, means)
                    } else if device.isConnected {
                        near(device.address)
                    }
                case .added(let device):
                    if device.isHeard {
                        await heard(device.address, means)
                    } else if device.isConnected {
                        near(device.address)
                    }
                case .changed(let device, let names):
                    if !names.isDisjoint(with: ScanState.fromAdvertisements) {
                        await heard(device.address, means)
                    } else if names.contains("Connected"), device.isConnected {
                        near(device.address)
                    }
                case .removed: break
                }
            }
            return Task.isCancelled ? .success(.cancelled) : .failure(.noBus("the bus went away"))
        }

        // MARK: Monitoring

        /// Nil where BlueZ has no monitors, or wants none of ours.
        private func register() async -> MonitorTree? {
            let cache = await daemon.cache
            let manager = cache.properties(adapter.path, BlueZName.monitorManager)
            guard manager?["SupportedMonitorTypes"]?.arrayValue?.contains(.string("or_patterns")) == true else { return nil }
            let patterns = addresses.sorted().map { AdvertisementPattern.patterns(of: cache.device($0, on: adapter.path)) }
            let tree = MonitorTree(daemon: daemon, number: number, patterns)
            await daemon.bus.export(tree, at: tree.root, subtree: true)
            do throws(DBusError) {
                _ = try await call("RegisterMonitor", tree)
                return tree
            } catch {
                await uncancelled { await unregister(tree) }
                return nil
            }
        }

        private func unregister(_ tree: MonitorTree) async {
            // An adapter that is gone has forgotten it.
            _ = try? await call("UnregisterMonitor", tree)
            await daemon.bus.unexport(tree.root)
        }

        private func call(_ member: String, _ tree: MonitorTree) async throws(DBusError) -> [DBusValue] {
            try await daemon.call(
                adapter.path, BlueZName.monitorManager, member, [.objectPath(tree.root)], limit: .seconds(10))
        }

        private func read(_ tree: MonitorTree) async -> Result<End, BluetoothError> {
            for await event in tree.events {
                switch event {
                case .found(let device): if let address = Self.address(device) { await heard(address, .monitor) }
                case .released: return .success(.released)
                }
            }
            return .success(.cancelled)
        }

        /// BlueZ names devices by their address: `…/dev_C0_DE_00_00_00_01`. The object itself may be told a moment later.
        private static func address(_ device: ObjectPath) -> DeviceAddress? {
            let name = device.lastElement
            guard name.hasPrefix("dev_") else { return nil }
            return DeviceAddress(String(name.dropFirst(4).map { $0 == "_" ? ":" : $0 }))
        }

        // MARK: Scanning

        private func scan(_ means: Means) async -> Result<End, BluetoothError> {
            var pace = means == .scans ? lookout.pace : lookout.pace.besideMonitor
            do throws(BluetoothError) {
                if pace.beginsWithPause { try await pause(await lookout.left(of: pace.pause)) }
                while true {
                    let missing = Mutex(addresses)
                    // With one to look for, BlueZ can keep all others to itself.
                    let filter = ScanFilter(address: addresses.count == 1 ? addresses.first : nil)
                    try await central.listen(filter, on: adapter, limit: pace.length) {
                        await lookout.begin(means, isProven: false)
                    } isEnough: { discovery in
                        // That it was heard is told by `read(_:)`; here only that the scan can end.
                        missing.withLock { missing in
                            missing.remove(discovery.address)
                            return missing.isEmpty
                        }
                    }
                    await lookout.begin(means, isProven: true)
                    await lookout.hasScanned()
                    let isSilent = missing.withLock { $0 == addresses }
                    try await pause(pace.next(heard: !isSilent))
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
