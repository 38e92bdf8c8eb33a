/// The UUID of a GATT service, characteristic or descriptor, kept as the full lower-case text that BlueZ shows.
public struct AttributeUUID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// 36 characters, lower case: `0000180f-0000-1000-8000-00805f9b34fb`.
    public let text: String

    public var description: String { text }

    /// A 16-bit UUID of the Bluetooth SIG, on the Bluetooth base UUID.
    public init(short: UInt16) {
        let digits = String(short, radix: 16)
        text = "0000" + String(repeating: "0", count: 4 - digits.count) + digits + Self.base
    }

    /// Takes the forms that BlueZ takes in a discovery filter: `180f`, `0x180f`, eight digits, or the full text.
    public init?(_ text: String) {
        var digits = text.lowercased()
        if digits.hasPrefix("0x") { digits.removeFirst(2) }
        switch digits.count {
        case 4: digits = "0000" + digits + Self.base
        case 8: digits += Self.base
        case 36: break
        default: return nil
        }
        let dashes: Set = [8, 13, 18, 23]
        for (index, character) in digits.enumerated() {
            let fits = dashes.contains(index) ? character == "-" : character.isASCII && character.isHexDigit
            guard fits else { return nil }
        }
        self.text = digits
    }

    public static func < (left: AttributeUUID, right: AttributeUUID) -> Bool { left.text < right.text }

    private static let base = "-0000-1000-8000-00805f9b34fb"
}

extension AttributeUUID: ExpressibleByStringLiteral {
    /// Traps if the literal is not a UUID: this is a bug in the program, not an input error.
    public init(stringLiteral value: String) {
        guard let uuid = AttributeUUID(value) else { preconditionFailure("'\(value)' is not a Bluetooth UUID") }
        self = uuid
    }
}

extension AttributeUUID {
    static let genericAccess: AttributeUUID = "1800"
    static let genericAttribute: AttributeUUID = "1801"
    static let serviceChanged: AttributeUUID = "2a05"
    static let clientConfiguration: AttributeUUID = "2902"
    static let battery: AttributeUUID = "180f"
    static let batteryLevel: AttributeUUID = "2a19"
    static let deviceInformation: AttributeUUID = "180a"
    static let pnpID: AttributeUUID = "2a50"
}

/// A primary service of a simulated peripheral.
public struct SimulatedService: Sendable, Hashable {
    public var uuid: AttributeUUID
    public var characteristics: [SimulatedCharacteristic]

    public init(_ uuid: AttributeUUID, _ characteristics: [SimulatedCharacteristic]) {
        self.uuid = uuid
        self.characteristics = characteristics
    }
}

/// A characteristic and its permissions. The stack adds its Client Characteristic Configuration descriptor if it can
/// notify or indicate.
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

    /// Raw values are the strings that BlueZ shows in `Flags`, in the order of the bits of the declaration.
    public enum Property: String, Sendable, CaseIterable {
        case broadcast, read
        case writeWithoutResponse = "write-without-response"
        case write, notify, indicate
    }

    public enum Security: Sendable {
        /// Reading, writing and subscribing need no encryption.
        case open
        /// Only over an encrypted link: the peripheral requires pairing.
        case encrypted
    }

    var notifies: Bool { properties.contains(.notify) || properties.contains(.indicate) }
    var flags: [String] { Property.allCases.filter(properties.contains).map(\.rawValue) }
}

/// A descriptor, such as a user description.
public struct SimulatedDescriptor: Sendable, Hashable {
    public var uuid: AttributeUUID
    /// The value, until another one is written.
    public var value: [UInt8]
    /// Whether it can be written. The stack keeps what was written while the peripheral's table is exported.
    public var isWritable: Bool

    public init(_ uuid: AttributeUUID, value: [UInt8], isWritable: Bool = false) {
        self.uuid = uuid
        self.value = value
        self.isWritable = isWritable
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

/// An error that a peripheral sends as its answer (Bluetooth Core, Vol 3, Part F, 3.4.1.1).
public struct ATTError: Error, Sendable, Hashable {
    /// 0x01…0xff; 0x80…0x9f are application errors.
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
    /// BlueZ also reports this for a link that drops during the operation.
    public static let unlikelyError = ATTError(0x0e)
    public static let insufficientEncryption = ATTError(0x0f)
}
