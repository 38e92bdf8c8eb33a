/// What a peripheral sends out for everybody to hear.
public struct Advertisement: Sendable, Hashable {
    /// The complete local name as sent. It may hold anything, control characters included.
    public var name: String?
    /// Advertised services; often fewer than the peripheral has.
    public var services: [AttributeUUID]
    /// By company identifier.
    public var manufacturerData: [UInt16: [UInt8]]
    public var serviceData: [AttributeUUID: [UInt8]]
    /// Transmit power in dBm, when advertised.
    public var txPower: Int16?
    /// The GAP appearance, 0 when none is advertised.
    public var appearance: UInt16
    /// Mean received strength in dBm.
    public var rssi: Int16

    public init(
        name: String?, services: [AttributeUUID] = [], manufacturerData: [UInt16: [UInt8]] = [:],
        serviceData: [AttributeUUID: [UInt8]] = [:], txPower: Int16? = nil, appearance: UInt16 = 0, rssi: Int16 = -58
    ) {
        self.name = name
        self.services = services
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
        self.txPower = txPower
        self.appearance = appearance
        self.rssi = rssi
    }
}
