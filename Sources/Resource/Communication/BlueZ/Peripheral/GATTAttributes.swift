/// A service of a connected peripheral.
public struct GATTService: Sendable, Hashable {
    /// What kind of service it is. A peripheral may have several of one kind.
    public let uuid: BluetoothUUID
    /// The handle of its declaration, 1...65535; unique in the peripheral.
    public let handle: UInt16
    /// Whether it is a service of its own, and not only included by another.
    public let isPrimary: Bool
    /// In the order of the peripheral's own table.
    public let characteristics: [GATTCharacteristic]

    /// A service with these characteristics.
    public init(uuid: BluetoothUUID, handle: UInt16, isPrimary: Bool = true, characteristics: [GATTCharacteristic]) {
        self.uuid = uuid
        self.handle = handle
        self.isPrimary = isPrimary
        self.characteristics = characteristics
    }
}

/// A characteristic of a service.
public struct GATTCharacteristic: Sendable, Hashable {
    /// What kind of characteristic it is. A service may have several of one kind.
    public let uuid: BluetoothUUID
    /// The handle of its declaration, 1...65535; unique in the peripheral. The value usually has the next handle.
    public let handle: UInt16
    /// The operations that it supports.
    public let flags: Flags
    /// In the order of the peripheral's own table, without the Client Characteristic Configuration (0x2902): BlueZ
    /// writes that itself when a program subscribes, and lets no program write it.
    public let descriptors: [GATTDescriptor]

    /// A characteristic with these flags.
    public init(uuid: BluetoothUUID, handle: UInt16, flags: Flags, descriptors: [GATTDescriptor] = []) {
        self.uuid = uuid
        self.handle = handle
        self.flags = flags
        self.descriptors = descriptors
    }

    /// The operations that a characteristic supports.
    ///
    /// Bits 0 to 7 are those of its declaration (Core Specification Vol 3 Part G 3.3.1.1), bits 8 and 9 those of its
    /// extended properties (3.3.3.1). Whether an operation needs an encrypted link is not among them: a peripheral
    /// reports that only when it refuses.
    public struct Flags: OptionSet, Sendable, Hashable {
        public let rawValue: UInt16

        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The value may be broadcast in advertisements.
        public static let broadcast = Flags(rawValue: 1 << 0)
        public static let read = Flags(rawValue: 1 << 1)
        /// Writes that the peripheral does not acknowledge.
        public static let writeWithoutResponse = Flags(rawValue: 1 << 2)
        /// Writes that the peripheral acknowledges.
        public static let write = Flags(rawValue: 1 << 3)
        /// Values that the peripheral sends by itself, without acknowledgement.
        public static let notify = Flags(rawValue: 1 << 4)
        /// Values that the peripheral sends by itself, each acknowledged.
        public static let indicate = Flags(rawValue: 1 << 5)
        public static let authenticatedSignedWrites = Flags(rawValue: 1 << 6)
        /// There is a descriptor with more flags, which BlueZ has read: the next two.
        public static let extendedProperties = Flags(rawValue: 1 << 7)
        public static let reliableWrite = Flags(rawValue: 1 << 8)
        /// Its user description (descriptor 0x2901) can be written.
        public static let writableAuxiliaries = Flags(rawValue: 1 << 9)

        /// BlueZ's words in the order of the bits (`doc/org.bluez.GattCharacteristic.rst`).
        private static let allWords = [
            "broadcast", "read", "write-without-response", "write", "notify", "indicate", "authenticated-signed-writes",
            "extended-properties", "reliable-write", "writable-auxiliaries",
        ]

        /// The names that BlueZ uses for them.
        package var words: [String] {
            Self.allWords.enumerated().filter { contains(Flags(rawValue: 1 << UInt16($0.offset))) }.map { $0.element }
        }

        /// Reads BlueZ's words. Others, which BlueZ uses only for characteristics of this machine, are ignored.
        init(words: [String]) {
            self = words.reduce(into: []) { flags, word in
                if let bit = Self.allWords.firstIndex(of: word) { flags.insert(Flags(rawValue: 1 << UInt16(bit))) }
            }
        }
    }
}

/// A descriptor: information about a characteristic, such as its user description (0x2901) or presentation format
/// (0x2904).
public struct GATTDescriptor: Sendable, Hashable {
    /// What kind of descriptor it is.
    public let uuid: BluetoothUUID
    /// Its handle, 1...65535; unique in the peripheral.
    public let handle: UInt16

    /// A descriptor with this handle.
    public init(uuid: BluetoothUUID, handle: UInt16) {
        self.uuid = uuid
        self.handle = handle
    }
}
