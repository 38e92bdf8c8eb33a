/// A peripheral as a scan finds it.
///
/// Data from the peripheral (name, UUIDs, data) is given as received: it may be wrong, hostile, or contain control
/// characters for a terminal.
public struct Discovery: Sendable, Hashable {
    /// The address from which it was heard.
    public var address: DeviceAddress
    /// Where its address comes from.
    public var addressType: AddressType
    /// The name as received. Neither shortened nor cleaned of control characters.
    public var name: String?
    /// Signal strength in dBm (about −100 far … −30 near), if the controller reported it.
    public var rssi: Int?
    /// UUIDs that the peripheral advertises; if it was connected to before, BlueZ adds those of its services.
    public var services: [BluetoothUUID]
    /// Data by company identifier of the Bluetooth SIG.
    public var manufacturerData: [UInt16: [UInt8]]
    /// Data by service.
    public var serviceData: [BluetoothUUID: [UInt8]]
    /// Whether this machine is connected to it.
    public var isConnected: Bool
    /// Whether BlueZ holds a bond with it.
    public var isPaired: Bool
    /// The adapter that hears the peripheral, such as `hci0`.
    public var adapter: String

    /// Whether it is known by an advertisement. One that is connected is reported, too, and does not advertise.
    public var wasHeard: Bool { rssi != nil || !isConnected }

    /// A peripheral with these properties; omitted ones are not known.
    public init(
        address: DeviceAddress, addressType: AddressType = .publicAddress, name: String? = nil, rssi: Int? = nil,
        services: [BluetoothUUID] = [], manufacturerData: [UInt16: [UInt8]] = [:],
        serviceData: [BluetoothUUID: [UInt8]] = [:], isConnected: Bool = false, isPaired: Bool = false,
        adapter: String = "hci0"
    ) {
        self.address = address
        self.addressType = addressType
        self.name = name
        self.rssi = rssi
        self.services = services
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
        self.isConnected = isConnected
        self.isPaired = isPaired
        self.adapter = adapter
    }
}

/// What a scan looks for. All given conditions must hold; an empty filter finds every LE peripheral.
public struct ScanFilter: Sendable, Hashable {
    /// The peripheral advertises at least one of these. BlueZ compares them with its list of services: one that only
    /// sends data of a service is found if another program scans without a filter, or by a scan without this condition.
    public var services: [BluetoothUUID]
    /// The peripheral's name starts with this, byte for byte.
    public var namePrefix: String?
    /// The peripheral has this address.
    public var address: DeviceAddress?

    /// A filter with these conditions; omitted ones do not count.
    public init(services: [BluetoothUUID] = [], namePrefix: String? = nil, address: DeviceAddress? = nil) {
        self.services = services
        self.namePrefix = namePrefix
        self.address = address
    }

    /// Whether the filter matches a peripheral. BlueZ merges the filters of all programs that scan at the time, so its
    /// reports have to be checked again.
    public func matches(_ discovery: Discovery) -> Bool {
        if let address, discovery.address != address { return false }
        if let namePrefix, !namePrefix.isEmpty {
            guard let name = discovery.name, name.utf8.starts(with: namePrefix.utf8) else { return false }
        }
        guard !services.isEmpty else { return true }
        return services.contains {
            discovery.services.contains($0) || discovery.serviceData[$0] != nil
        }
    }
}
