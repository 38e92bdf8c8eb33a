/// The 48-bit address of a Bluetooth device, as `C0:DE:00:00:00:01`.
public struct DeviceAddress: Sendable, Hashable {
    /// Most significant byte first, as in the text.
    private let value: UInt64

    /// Reads six colon-separated pairs of hexadecimal digits in either case. Anything else gives nil.
    public init?(_ text: String) {
        let characters = Array(text.utf8)
        guard characters.count == 17 else { return nil }
        var value: UInt64 = 0
        for (index, character) in characters.enumerated() {
            if index % 3 == 2 {
                guard character == UInt8(ascii: ":") else { return nil }
            } else {
                guard let digit = Character(UnicodeScalar(character)).hexDigitValue else { return nil }
                value = value << 4 | UInt64(digit)
            }
        }
        self.value = value
    }
}

extension DeviceAddress: CustomStringConvertible {
    /// In upper case, as BlueZ writes it.
    public var description: String {
        stride(from: 40, through: 0, by: -8).map { shift in
            let byte = String(value >> UInt64(shift) & 0xff, radix: 16, uppercase: true)
            return byte.count == 1 ? "0" + byte : byte
        }.joined(separator: ":")
    }
}

extension DeviceAddress: Comparable {
    public static func < (a: DeviceAddress, b: DeviceAddress) -> Bool { a.value < b.value }
}

extension DeviceAddress: Codable {
    /// Reads the text form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let address = DeviceAddress(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\(text) is not a Bluetooth address")
        }
        self = address
    }

    /// Writes the text form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// Where a device's address comes from.
public enum AddressType: String, Sendable, Hashable, Codable {
    /// Assigned by the IEEE to the maker; also the address for BR/EDR, if the device has that.
    case publicAddress = "public"
    /// Chosen by the device. A static one stays until the device is reset; a private one changes every few
    /// minutes and cannot be recognised again without a bond.
    case random
}
