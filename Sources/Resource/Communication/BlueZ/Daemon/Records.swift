internal import DBus

/// The cache's data about an adapter.
struct AdapterRecord: Sendable, Hashable {
    let path: ObjectPath
    let name: String
    let address: DeviceAddress?
    let alias: String
    let isPowered: Bool
    let isDiscovering: Bool
    /// BlueZ 5.65 and later, experimental: rfkill blocks the adapter.
    let isBlocked: Bool

    init(_ path: ObjectPath, _ properties: Properties) {
        self.path = path
        name = path.lastElement
        address = properties["Address"]?.stringValue.flatMap { DeviceAddress($0) }
        alias = properties["Alias"]?.stringValue ?? ""
        isPowered = properties["Powered"]?.boolValue ?? false
        isDiscovering = properties["Discovering"]?.boolValue ?? false
        isBlocked = properties["PowerState"]?.stringValue == "off-blocked"
    }

    var adapter: Adapter {
        Adapter(name: name, address: address, alias: alias, isPowered: isPowered, isDiscovering: isDiscovering)
    }
}

/// The cache's data about a device.
struct DeviceRecord: Sendable, Hashable {
    let path: ObjectPath
    let address: DeviceAddress
    let addressType: AddressType
    let name: String?
    let rssi: Int?
    let services: [BluetoothUUID]
    let manufacturerData: [UInt16: [UInt8]]
    let serviceData: [BluetoothUUID: [UInt8]]
    let isConnected: Bool
    let isPaired: Bool
    let isTrusted: Bool
    let areServicesResolved: Bool
    /// BlueZ has a signal strength only for devices that it hears in the running discovery: it drops the property when
    /// that ends. All other properties may come from its store on disk.
    let isDiscovered: Bool

    /// Nil for an object without an address: it is not a device.
    init?(_ path: ObjectPath, _ properties: Properties) {
        guard let address = properties["Address"]?.stringValue.flatMap({ DeviceAddress($0) }) else { return nil }
        self.path = path
        self.address = address
        addressType = properties["AddressType"]?.stringValue.flatMap(AddressType.init) ?? .publicAddress
        name = properties["Name"]?.stringValue?.cut(toBytes: CacheLimits.name)
        // 127: the controller does not know (Core Specification Vol 4 Part E 7.7.65.2).
        rssi = properties["RSSI"]?.intValue.flatMap { $0 == 127 ? nil : $0 }
        services = properties["UUIDs"]?.arrayValue?.compactMap { $0.stringValue.flatMap { BluetoothUUID($0) } } ?? []
        var manufacturerData: [UInt16: [UInt8]] = [:]
        for (company, data) in properties["ManufacturerData"]?.dictionaryValue ?? [:] {
            guard let company = company.intValue.flatMap({ UInt16(exactly: $0) }) else { continue }
            manufacturerData[company] = data.bytesValue
        }
        self.manufacturerData = manufacturerData
        var serviceData: [BluetoothUUID: [UInt8]] = [:]
        for (service, data) in properties["ServiceData"]?.dictionaryValue ?? [:] {
            guard let service = service.stringValue.flatMap({ BluetoothUUID($0) }) else { continue }
            serviceData[service] = data.bytesValue
        }
        self.serviceData = serviceData
        isConnected = properties["Connected"]?.boolValue ?? false
        isPaired = properties["Paired"]?.boolValue ?? false
        isTrusted = properties["Trusted"]?.boolValue ?? false
        areServicesResolved = properties["ServicesResolved"]?.boolValue ?? false
        isDiscovered = properties["RSSI"] != nil
    }

    func discovery(adapter: String) -> Discovery {
        Discovery(
            address: address, addressType: addressType, name: name, rssi: rssi, services: services,
            manufacturerData: manufacturerData, serviceData: serviceData, isConnected: isConnected,
            isPaired: isPaired, adapter: adapter)
    }
}

/// The properties of one interface, with variants unwrapped.
typealias Properties = [String: DBusValue]

/// One signal of BlueZ about its objects.
enum ObjectChange: Sendable, Hashable {
    case added(ObjectPath, [String: Properties])
    case removed(ObjectPath, interfaces: [String])
    case changed(ObjectPath, interface: String, Properties, invalidated: [String])

    /// Nil for a signal about something else, or one with an unexpected layout.
    init?(_ message: DBusMessage) {
        let body = message.body
        switch (message.interface, message.member) {
        case (StandardInterface.objectManager, "InterfacesAdded"):
            guard body.count == 2, let path = body[0].pathValue, let interfaces = Self.interfaces(body[1]) else {
                return nil
            }
            self = .added(path, interfaces)
        case (StandardInterface.objectManager, "InterfacesRemoved"):
            guard body.count == 2, let path = body[0].pathValue, let names = body[1].arrayValue else { return nil }
            self = .removed(path, interfaces: names.compactMap(\.stringValue))
        case (StandardInterface.properties, "PropertiesChanged"):
            guard body.count == 3, let path = message.path, let interface = body[0].stringValue,
                let properties = body[1].propertiesValue, let invalidated = body[2].arrayValue
            else { return nil }
            self = .changed(path, interface: interface, properties, invalidated: invalidated.compactMap(\.stringValue))
        default: return nil
        }
    }

    var path: ObjectPath {
        switch self {
        case .added(let path, _), .removed(let path, _), .changed(let path, _, _, _): path
        }
    }

    /// The objects of a `GetManagedObjects` reply.
    static func objects(_ reply: [DBusValue]) -> [ObjectPath: [String: Properties]]? {
        guard reply.count == 1, let dictionary = reply[0].dictionaryValue else { return nil }
        var objects: [ObjectPath: [String: Properties]] = [:]
        for (key, value) in dictionary {
            guard let path = key.pathValue, let interfaces = interfaces(value) else { return nil }
            objects[path] = interfaces
        }
        return objects
    }

    private static func interfaces(_ value: DBusValue) -> [String: Properties]? {
        guard let dictionary = value.dictionaryValue else { return nil }
        var interfaces: [String: Properties] = [:]
        for (name, properties) in dictionary {
            guard let name = name.stringValue, let properties = properties.propertiesValue else { return nil }
            interfaces[name] = properties
        }
        return interfaces
    }
}

/// Names of BlueZ's D-Bus interface (`doc/org.bluez.*.rst` of its sources).
enum BlueZName {
    static let service = "org.bluez"
    static let root: ObjectPath = "/"
    static let manager: ObjectPath = "/org/bluez"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let gattService = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let descriptor = "org.bluez.GattDescriptor1"
    static let battery = "org.bluez.Battery1"
    static let agentManager = "org.bluez.AgentManager1"
    static let agent = "org.bluez.Agent1"
    static let monitorManager = "org.bluez.AdvertisementMonitorManager1"
    static let monitor = "org.bluez.AdvertisementMonitor1"
}
