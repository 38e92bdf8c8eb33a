/// A service of a connected peripheral.
public struct GATTService: Sendable, Hashable {
    public let uuid: BluetoothUUID
    public let isPrimary: Bool
    public let characteristics: [GATTCharacteristic]

    public init(uuid: BluetoothUUID, isPrimary: Bool = true, characteristics: [GATTCharacteristic]) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.characteristics = characteristics
    }
}

/// A characteristic of a service.
public struct GATTCharacteristic: Sendable, Hashable {
    public let uuid: BluetoothUUID
    /// What can be done with it, in BlueZ's words: `read`, `write`, `write-without-response`, `notify`,
    /// `indicate`, `encrypt-read`, …
    public let flags: Set<String>

    public init(uuid: BluetoothUUID, flags: Set<String>) {
        self.uuid = uuid
        self.flags = flags
    }
}
