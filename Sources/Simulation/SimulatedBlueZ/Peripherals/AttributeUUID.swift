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
        for (place, character) in digits.enumerated() {
            let fits = dashes.contains(place) ? character == "-" : character.isASCII && character.isHexDigit
            guard fits else { return nil }
        }
        self.text = digits
    }

    public static func < (left: AttributeUUID, right: AttributeUUID) -> Bool { left.text < right.text }

    private static let base = "-0000-1000-8000-00805f9b34fb"
}

extension AttributeUUID: ExpressibleByStringLiteral {
    /// Traps when the literal is no UUID: a mistake of the program, not of its input.
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
}
