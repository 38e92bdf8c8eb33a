internal import CBluetooth

/// The 48-bit address of a Bluetooth device, as `C0:DE:00:00:00:01`.
public struct DeviceAddress: Sendable, Hashable {
    /// Most significant byte first, as the text has it.
    private let value: UInt64

    /// Reads six colon-separated pairs of hexadecimal digits in either case (`libbluetooth`'s own rule).
    public init?(_ text: String) {
        // bachk() reads up to the first NUL: a longer text with a good beginning must not pass.
        guard text.utf8.count == 17, bachk(text) == 0 else { return nil }
        var address = bdaddr_t()
        guard str2ba(text, &address) == 0 else { return nil }
        self.init(address)
    }

    init(_ address: bdaddr_t) {
        // bdaddr_t is little-endian: its byte 0 is written last.
        let b = address.b
        value = [b.5, b.4, b.3, b.2, b.1, b.0].reduce(0) { $0 << 8 | UInt64($1) }
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
                in: container, debugDescription: "\(text) is no Bluetooth address")
        }
        self = address
    }

    /// Writes the text form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// How a device came by its address.
public enum AddressType: String, Sendable, Hashable, Codable {
    /// Assigned by the IEEE to the maker; also the address for BR/EDR, if the device has that.
    case publicAddress = "public"
    /// Chosen by the device. A static one stays until the device is reset; a private one changes every few
    /// minutes and cannot be recognised again without a bond.
    case random
}
