/// A Bluetooth adapter of the machine, as `bluetoothd` knows it.
public struct Adapter: Sendable, Hashable {
    /// The kernel's name, such as `hci0`.
    public let name: String
    /// Its own address.
    public let address: DeviceAddress?
    /// The name that it shows to others.
    public let alias: String
    /// Whether it is switched on.
    public let isPowered: Bool
    /// Whether any program is scanning on it.
    public let isDiscovering: Bool

    /// An adapter with these properties.
    public init(name: String, address: DeviceAddress?, alias: String, isPowered: Bool, isDiscovering: Bool) {
        self.name = name
        self.address = address
        self.alias = alias
        self.isPowered = isPowered
        self.isDiscovering = isDiscovering
    }
}
