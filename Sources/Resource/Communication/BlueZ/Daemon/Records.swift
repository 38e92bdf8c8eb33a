internal import DBus

/// What the cache knows of an adapter.
struct AdapterRecord: Sendable, Hashable {
    let path: ObjectPath
    let name: String
    let address: DeviceAddress?
    let alias: String
    let isPowered: Bool
    let isDiscovering: Bool
    /// BlueZ 5.65 and later, experimental: says that rfkill blocks the adapter.
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

/// What the cache knows of a device.
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
    /// BlueZ has a signal strength only of what it hears in the discovery that is running: it drops the property
    /// when that ends. Everything else may come from its store on disk.
    let isHeard: Bool

    /// Nil for an object without an address: not a device.
    init?(_ path: ObjectPath, _ properties: Properties) {
        guard let address = properties["Address"]?.stringValue.flatMap({ DeviceAddress($0) }) else { return nil }
        self.path = path
        self.address = address
        addressType = properties["AddressType"]?.stringValue.flatMap(AddressType.init) ?? .publicAddress
        name = properties["Name"]?.stringValue
        // 127: the controller cannot tell (Core Specification Vol 4 Part E 7.7.65.2).
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
        isHeard = properties["RSSI"] != nil
    }

    func discovery(adapter: String) -> Discovery {
        Discovery(
            address: address, addressType: addressType, name: name, rssi: rssi, services: services,
            manufacturerData: manufacturerData, serviceData: serviceData, isConnected: isConnected,
            isPaired: isPaired, adapter: adapter)
    }
}
