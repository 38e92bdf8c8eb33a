/// A peripheral as a scan finds it.
///
/// Whatever the peripheral says of itself (name, UUIDs, data) is given as received: it may be wrong, hostile,
/// or meant to upset a terminal.
public struct Discovery: Sendable, Hashable {
    /// Where it was heard from.
    public var address: DeviceAddress
    /// How it came by its address.
    public var addressType: AddressType
    /// The name as received. Neither shortened nor cleaned of control characters.
    public var name: String?
    /// Signal strength in dBm (about −100 far … −30 near), if the controller told.
    public var rssi: Int?
    /// UUIDs that the peripheral advertises; for one that was connected to before, BlueZ adds those of its services.
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

    /// A peripheral with these properties; what is left out was not told.
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
