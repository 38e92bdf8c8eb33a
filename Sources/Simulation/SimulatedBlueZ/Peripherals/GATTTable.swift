/// A primary service of a simulated peripheral.
public struct SimulatedService: Sendable, Hashable {
    public var uuid: AttributeUUID
    public var characteristics: [SimulatedCharacteristic]

    public init(_ uuid: AttributeUUID, _ characteristics: [SimulatedCharacteristic]) {
        self.uuid = uuid
        self.characteristics = characteristics
    }
}

/// A characteristic and what may be done with it. Its Client Characteristic Configuration descriptor is added by
/// the stack where it can notify or indicate.
public struct SimulatedCharacteristic: Sendable, Hashable {
    public var uuid: AttributeUUID
    public var properties: Set<Property>
    public var security: Security
    public var descriptors: [SimulatedDescriptor]

    public init(
        _ uuid: AttributeUUID, _ properties: Set<Property>, security: Security = .open,
        descriptors: [SimulatedDescriptor] = []
    ) {
        self.uuid = uuid
        self.properties = properties
        self.security = security
        self.descriptors = descriptors
    }

    /// Raw values are the words that BlueZ shows in `Flags`, in the order of the bits of the declaration.
    public enum Property: String, Sendable, CaseIterable {
        case broadcast, read
        case writeWithoutResponse = "write-without-response"
        case write, notify, indicate
    }

    public enum Security: Sendable {
        /// Anybody may read, write and subscribe.
        case open
        /// Only over an encrypted link: the peripheral demands pairing.
        case encrypted
    }

    var notifies: Bool { properties.contains(.notify) || properties.contains(.indicate) }
    var flags: [String] { Property.allCases.filter(properties.contains).map(\.rawValue) }
}

/// A descriptor with a fixed value, such as a user description.
public struct SimulatedDescriptor: Sendable, Hashable {
    public var uuid: AttributeUUID
    public var value: [UInt8]

    public init(_ uuid: AttributeUUID, value: [UInt8]) {
        self.uuid = uuid
        self.value = value
    }
}

/// Names a characteristic inside a peripheral; the same UUID may occur in two services.
public struct CharacteristicID: Sendable, Hashable {
    public var service: AttributeUUID
    public var characteristic: AttributeUUID

    public init(_ service: AttributeUUID, _ characteristic: AttributeUUID) {
        self.service = service
        self.characteristic = characteristic
    }
}

/// An error that a peripheral answers with over the air (Bluetooth Core, Vol 3, Part F, 3.4.1.1).
public struct ATTError: Error, Sendable, Hashable {
    /// 0x01…0xff; 0x80…0x9f are the application's own.
    public var code: UInt8

    public init(_ code: UInt8) { self.code = code }

    public static let readNotPermitted = ATTError(0x02)
    public static let writeNotPermitted = ATTError(0x03)
    public static let insufficientAuthentication = ATTError(0x05)
    public static let requestNotSupported = ATTError(0x06)
    public static let invalidOffset = ATTError(0x07)
    public static let insufficientAuthorization = ATTError(0x08)
    public static let attributeNotFound = ATTError(0x0a)
    public static let invalidLength = ATTError(0x0d)
    /// Also what BlueZ makes of a link that drops during the operation.
    public static let unlikelyError = ATTError(0x0e)
    public static let insufficientEncryption = ATTError(0x0f)
}
