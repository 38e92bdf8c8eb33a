/// A Bluetooth adapter of the machine, as `bluetoothd` knows it.
public struct Adapter: Sendable, Hashable {
    /// The kernel's name, such as `hci0`.
    public let name: String
    public let address: DeviceAddress?
    /// The name that it shows to others.
    public let alias: String
    public let isPowered: Bool
    /// Whether any program is scanning on it.
    public let isDiscovering: Bool

    public init(name: String, address: DeviceAddress?, alias: String, isPowered: Bool, isDiscovering: Bool) {
        self.name = name
        self.address = address
        self.alias = alias
        self.isPowered = isPowered
        self.isDiscovering = isDiscovering
    }
}
