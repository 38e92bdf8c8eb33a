internal import DBus

extension Central {
    /// A scan begins to want discovery. `fail` is called when it cannot be had, now or later.
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

    /// While a connection is set up, discovery rests.
    func holdDiscovery(_ adapter: ObjectPath) async {
        discoveries[adapter, default: DiscoveryControl()].hold()
        await settleDiscovery(adapter)
    }

    func releaseDiscovery(_ adapter: ObjectPath) async {
        discoveries[adapter]?.release()
        await settleDiscovery(adapter)
    }

    func endDiscovery(_ adapter: ObjectPath) async {
        for id in Array(scans.keys) { discoveries[adapter]?.leave(id) }
        await settleDiscovery(adapter)
    }

    /// Takes steps until BlueZ has what is wanted. One such loop an adapter; it runs to its end whoever is cancelled,
    /// so that a discovery that was just being started is stopped all the same.
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
        let (member, arguments): (String, [DBusValue]) = switch step {
        case .setFilter(let filter): ("SetDiscoveryFilter", [filter.value])
        case .clearFilter: ("SetDiscoveryFilter", [.properties([:])])
        case .start: ("StartDiscovery", [])
        case .stop: ("StopDiscovery", [])
        }
        // BlueZ answers InProgress while it starts or stops for somebody else, or still does for us, and Failed when the
        // controller was busy connecting: both pass.
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
                else { throw await discoveryError(error, adapter) }
                try? await clock.sleep(for: waits.removeFirst())
            }
        }
    }

    private func discoveryError(_ error: DBusError, _ path: ObjectPath) async -> BluetoothError {
        let name = path.lastElement
        switch error.remoteName {
        case "org.bluez.Error.NotReady":
            return Self.fault(name, known: await daemon.cache.adapter(path), machine: daemon.machine?.read())
        case "org.freedesktop.DBus.Error.UnknownObject", "org.freedesktop.DBus.Error.UnknownMethod":
            return .adapterLost(name)
        case "org.bluez.Error.InProgress": return .adapterStuck(name, reason: "a scan has been starting or stopping all the while")
        default: break
        }
        switch BluetoothError(error, doing: "scanning on \(name)") {
        case .timedOut(_, let seconds): return .adapterStuck(name, reason: "no answer within \(Int(seconds)) s")
        case .unexpected(let answer): return .adapterStuck(name, reason: answer)
        case let other: return other
        }
    }
}
