/// What a scan looks for. All given conditions hold together; an empty filter finds every LE peripheral.
public struct ScanFilter: Sendable, Hashable {
    /// The peripheral advertises at least one of these.
    public var services: [BluetoothUUID]
    /// The peripheral's name starts with this, byte for byte.
    public var namePrefix: String?
    /// The peripheral has this address.
    public var address: DeviceAddress?

    /// A filter with these conditions; what is left out does not count.
    public init(services: [BluetoothUUID] = [], namePrefix: String? = nil, address: DeviceAddress? = nil) {
        self.services = services
        self.namePrefix = namePrefix
        self.address = address
    }

    /// Whether a peripheral is looked for. BlueZ merges the filters of all programs that scan at the time, so that
    /// what it reports has to be checked again.
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
