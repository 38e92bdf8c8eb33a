/// A service of a connected peripheral.
public struct GATTService: Sendable, Hashable {
    /// What kind of service it is.
    public let uuid: BluetoothUUID
    /// Whether it stands for itself, rather than being included by another.
    public let isPrimary: Bool
    /// In the order of the peripheral's own table.
    public let characteristics: [GATTCharacteristic]

    /// A service with these characteristics.
    public init(uuid: BluetoothUUID, isPrimary: Bool = true, characteristics: [GATTCharacteristic]) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.characteristics = characteristics
    }
}

/// A characteristic of a service.
public struct GATTCharacteristic: Sendable, Hashable {
    /// What kind of characteristic it is.
    public let uuid: BluetoothUUID
    /// What can be done with it, in BlueZ's words: `read`, `write`, `write-without-response`, `notify`,
    /// `indicate`, `encrypt-read`, …
    public let flags: Set<String>

    /// A characteristic with these flags.
    public init(uuid: BluetoothUUID, flags: Set<String>) {
        self.uuid = uuid
        self.flags = flags
    }
}
