import DBus

/// A Bluetooth controller and the clients that use it for discovery.
struct Adapter: Sendable {
    let path: ObjectPath
    let address: String
    var isPowered = true
    var isPresent = true
    var fault: DiscoveryFault?
    /// By the unique name of the client.
    var clients: [String: DiscoveryClient] = [:]
    /// Counts the starts of discovery: actions scheduled in an earlier round are dropped.
    var round = 0
    /// The applications that listen without a discovery, and their monitors.
    var applications: Set<MonitorApplication> = []
    var monitors: [AdvertisementMonitor] = []
    /// Like `round`, for the monitors.
    var monitoringRound = 0

    /// `/org/bluez/hci0`
    init(name: String, address: String) {
        path = ObjectPath("/org/bluez").appending(name)
        self.address = address
    }

    var isDiscovering: Bool { clients.values.contains(where: \.isActive) }
    var activeFilters: [DiscoveryFilter?] { clients.values.filter(\.isActive).map(\.filter) }

    func devicePath(_ address: String) -> ObjectPath {
        path.appending("dev_" + address.replacing(":", with: "_"))
    }

    /// The properties of a new adapter.
    var properties: ObjectTree.Properties {
        [
            "Address": .string(address), "AddressType": .string("public"), "Name": .string("BlueZ 5.66"),
            "Alias": .string("BlueZ 5.66"), "Class": .uint32(0), "Powered": .boolean(isPowered),
            "Discoverable": .boolean(false), "DiscoverableTimeout": .uint32(180), "Pairable": .boolean(false),
            "PairableTimeout": .uint32(0), "Discovering": .boolean(false),
            "UUIDs": .strings(["1801", "1800", "1200", "110c", "110e", "180a"].compactMap { AttributeUUID($0)?.text }),
            "Modalias": .string("usb:v1D6Bp0246d0542"), "Roles": .strings(["central", "peripheral"]),
        ]
    }

    /// Interfaces of a full BlueZ that clients check for and that have no function here.
    static let companions: [String: ObjectTree.Properties] = [
        Interface.gattManager: [:],
        Interface.networkServer: [:],
        Interface.media: [
            "SupportedUUIDs": .strings(["110a", "110b"].compactMap { AttributeUUID($0)?.text })
        ],
        Interface.advertisingManager: [
            "ActiveInstances": .byte(0), "SupportedInstances": .byte(5),
            "SupportedIncludes": .strings(["tx-power", "appearance", "local-name"]),
            "SupportedSecondaryChannels": .strings(["1M", "2M", "Coded"]),
        ],
    ]

    /// The additional interfaces of `bluetoothd --experimental`, on a controller that cannot filter by itself.
    static let experiments: [String: ObjectTree.Properties] = [
        Interface.monitorManager: [
            "SupportedMonitorTypes": .strings(["or_patterns"]), "SupportedFeatures": .strings([]),
        ]
    ]
}

/// A client's session on an adapter: a filter set beforehand, or a running discovery.
struct DiscoveryClient: Sendable {
    var filter: DiscoveryFilter?
    var isActive = false
}

/// Adding, removing and switching adapters.
extension SimulatedDaemon {
    /// The kernel is asked first, so the reply comes before the change.
    func setAdapterProperty(_ name: String, _ value: DBusValue, _ request: Request) throws(BlueZError) {
        let path = request.path
        if name == "Discoverable", adapters[path]?.isPowered != true,
            tree.value("DiscoverableTimeout", of: Interface.adapter, at: path) != .uint32(0)
        {
            throw .failed("Not Powered")
        }
        if name == "Powered", value == .boolean(false), adapters[path]?.isPowered == true {
            // First BlueZ removes the devices that were never connected, then the kernel ends the links.
            for device in devices.values.sorted(by: { $0.path < $1.path })
            where device.adapter == path && device.isTemporary {
                remove(device.path)
            }
            endLinks(on: path)
        }
        reply(request)
        switch name {
        case "Powered": setPowered(value.boolValue ?? false, path)
        // An empty alias stands for the name.
        case "Alias" where value.stringValue == "":
            set(name, tree.value("Name", of: Interface.adapter, at: path) ?? value, of: Interface.adapter, at: path)
        default: set(name, value, of: Interface.adapter, at: path)
        }
    }

    func setPowered(_ on: Bool, _ path: ObjectPath) {
        guard let adapter = adapters[path], adapter.isPowered != on else { return }
        adapters[path]?.isPowered = on
        if on, adapter.fault == .receivesNothing { adapters[path]?.fault = nil }
        if !on { endLinksAndSessions(path) }
        set("Powered", .boolean(on), of: Interface.adapter, at: path)
        // Announced even if the value is unchanged.
        if !on { markChanged("Discovering", of: Interface.adapter, at: path) }
        if on { beginMonitoring(on: path) }
    }

    /// The radio is off: links and sessions end.
    private func endLinksAndSessions(_ path: ObjectPath) {
        let wasDiscovering = adapters[path]?.isDiscovering == true
        adapters[path]?.clients = [:]
        endLinks(on: path)
        if wasDiscovering { discoveryEnded(on: path) }
        // 5.66 answers a `Connect` in progress as if it had succeeded.
        for device in devices.values where device.adapter == path {
            guard let attempt = device.attempt else { continue }
            devices[device.path]?.attempt = nil
            after(.zero) { daemon in if let request = attempt.request { daemon.reply(request) } }
        }
    }

    private func endLinks(on path: ObjectPath) {
        for device in devices.values.sorted(by: { $0.path < $1.path }) where device.adapter == path {
            dropLink(device.path)
        }
    }

    /// Removes the adapter: all its objects disappear.
    func unplug(_ path: ObjectPath) {
        guard adapters[path]?.isPresent == true else { return }
        endLinksAndSessions(path)
        removeMonitors(on: path, releasing: true) { _ in true }
        for device in devices.values where device.adapter == path { withdrawObjects(of: device.path) }
        withdraw(path)
        adapters[path]?.isPresent = false
    }

    /// Adds the adapter again; BlueZ restores the devices that it has stored.
    func plug(_ path: ObjectPath) {
        guard adapters[path]?.isPresent == false else { return }
        adapters[path]?.isPresent = true
        adapters[path]?.isPowered = true
        export(path)
    }

    /// Exports all objects that exist when bluetoothd has started.
    func exportAll() {
        tree.removeAll()
        publish(
            "/org/bluez", [Interface.agentManager: [:], Interface.profileManager: [:], Interface.healthManager: [:]])
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

    /// The state that bluetoothd loses when it ends.
    func discardRuntimeState() {
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

    /// A client has left the bus: its sessions, subscriptions and agent are removed.
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
