import DBus

/// Adapters come, go, and are switched.
extension Daemon {
    func setPowered(_ on: Bool, _ path: ObjectPath) {
        guard let adapter = adapters[path], adapter.isPowered != on else { return }
        adapters[path]?.isPowered = on
        if !on { quiet(path) }
        set("Powered", .boolean(on), of: Interface.adapter, at: path)
        if on { beginMonitoring(on: path) }
    }

    /// No radio any more: links and sessions end.
    private func quiet(_ path: ObjectPath) {
        let wasDiscovering = adapters[path]?.isDiscovering == true
        adapters[path]?.clients = [:]
        for device in devices.values where device.adapter == path {
            if let request = device.attempt?.request { fail(request, .failed("le-connection-abort-by-local")) }
            devices[device.path]?.attempt = nil
            dropLink(device.path)
        }
        if wasDiscovering { discoveryEnded(on: path) }
    }

    /// The adapter is pulled out: all its objects vanish.
    func unplug(_ path: ObjectPath) {
        guard adapters[path]?.isPresent == true else { return }
        quiet(path)
        removeMonitors(on: path, releasing: true) { _ in true }
        for device in devices.values where device.adapter == path { withdrawObjects(of: device.path) }
        withdraw(path)
        adapters[path]?.isPresent = false
    }

    /// It is plugged in again, and BlueZ remembers the devices that it has stored.
    func plug(_ path: ObjectPath) {
        guard adapters[path]?.isPresent == false else { return }
        adapters[path]?.isPresent = true
        adapters[path]?.isPowered = true
        export(path)
    }

    /// Everything that is there when bluetoothd has started.
    func exportAll() {
        tree.removeAll()
        publish("/org/bluez", [Interface.agentManager: [:], Interface.profileManager: [:]])
        for path in adapters.keys.sorted() where adapters[path]?.isPresent == true { export(path) }
    }

    private func export(_ path: ObjectPath) {
        guard let adapter = adapters[path] else { return }
        var interfaces = Adapter.companions.merging([Interface.adapter: adapter.properties]) { $1 }
        if quirks.isExperimental { interfaces.merge(Adapter.experiments) { $1 } }
        publish(path, interfaces)
        let stored = devices.values.filter { $0.adapter == path && !$0.isTemporary }
        for device in devices.values where device.adapter == path && device.isTemporary { devices[device.path] = nil }
        for device in stored { publish(device.path, [Interface.device: device.storedProperties]) }
    }

    /// What a bluetoothd that ends loses.
    func forgetEverythingVolatile() {
        for path in adapters.keys {
            adapters[path]?.clients = [:]
            adapters[path]?.round += 1
            removeMonitors(on: path, releasing: false) { _ in true }
        }
        for path in devices.keys { devices[path]?.reset() }
        agents = AgentList()
        unanswered = []
        tree.removeAll()
    }

    /// A client has left the bus, and with it go its sessions, subscriptions and agent.
    func clientLeft(_ client: String) {
        departed.insert(client)
        for path in adapters.keys {
            endDiscovery(of: client, on: path)
            adapters[path]?.clients[client] = nil
            removeMonitors(on: path, releasing: false) { $0.client == client }
        }
        for path in devices.keys { endSubscriptions(of: client, device: path) }
        removeAgent(of: client)
        events.add(.clientLeft(client))
    }
}
