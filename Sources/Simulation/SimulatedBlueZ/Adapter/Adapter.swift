import DBus

/// A Bluetooth controller and who is using it to look around.
struct Adapter: Sendable {
    let path: ObjectPath
    let address: String
    var isPowered = true
    var isPresent = true
    var fault: DiscoveryFault?
    /// By the unique name of the client.
    var clients: [String: DiscoveryClient] = [:]
    /// Counts the starts of discovery: what a former round has planned does not happen any more.
    var round = 0
    /// Who listens without a discovery, and to what.
    var applications: Set<MonitorApplication> = []
    var monitors: [AdvertisementMonitor] = []
    /// As `round`, for the monitors.
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

    /// What a fresh adapter shows.
    var properties: ObjectTree.Properties {
        [
            "Address": .string(address), "AddressType": .string("public"), "Name": .string("istep"),
            "Alias": .string("istep"), "Class": .uint32(0), "Powered": .boolean(isPowered),
            "Discoverable": .boolean(false), "DiscoverableTimeout": .uint32(180), "Pairable": .boolean(false),
            "PairableTimeout": .uint32(0), "Discovering": .boolean(false),
            "UUIDs": .strings(["1801", "1800", "1200", "180a"].compactMap { AttributeUUID($0)?.text }),
            "Modalias": .string("usb:v1D6Bp0246d0542"), "Roles": .strings(["central", "peripheral"]),
        ]
    }

    /// Interfaces of a full BlueZ that clients look for and that do nothing here.
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

    /// What `bluetoothd --experimental` shows besides, on a controller that cannot filter by itself.
    static let experiments: [String: ObjectTree.Properties] = [
        Interface.monitorManager: ["SupportedMonitorTypes": .strings(["or_patterns"]), "SupportedFeatures": .strings([])]
    ]
}

/// A client's session on an adapter: a filter set beforehand, or a running discovery.
struct DiscoveryClient: Sendable {
    var filter: DiscoveryFilter?
    var isActive = false
}
