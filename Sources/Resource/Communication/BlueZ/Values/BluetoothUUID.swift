/// A Bluetooth UUID: of a service, a characteristic, a descriptor.
///
/// 16- and 32-bit forms are short for a 128-bit UUID on the Bluetooth base
/// (`xxxxxxxx-0000-1000-8000-00805f9b34fb`, Core Specification Vol 3 Part B 2.5.1), so `180f`, `0x180F`
/// and the full text are equal.
public struct BluetoothUUID: Sendable, Hashable {
    private let high: UInt64
    private let low: UInt64

    private static let baseHigh: UInt64 = 0x0000_0000_0000_1000
    private static let baseLow: UInt64 = 0x8000_0080_5f9b_34fb

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A UUID assigned by the Bluetooth SIG, such as 0x180F for the battery service.
    public static func short(_ value: UInt16) -> BluetoothUUID {
        BluetoothUUID(high: UInt64(value) << 32 | baseHigh, low: baseLow)
    }

    /// The 16-bit form, for UUIDs of the Bluetooth SIG that have one.
    public var shortValue: UInt16? {
        guard low == Self.baseLow, high & 0xffff_ffff == Self.baseHigh else { return nil }
        return UInt16(exactly: high >> 32)
    }

    /// 16 bytes, the least significant first, as they are transmitted.
    var littleEndianBytes: [UInt8] {
        [low, high].flatMap { half in
            stride(from: 0, to: 64, by: 8).map { UInt8(truncatingIfNeeded: half >> UInt64($0)) }
        }
    }

    /// Reads 4, 8 or 32 hexadecimal digits in either case: `180f`, `0x180F`, `0000180f` or, with or without
    /// its hyphens at the usual places, the full form. Anything else gives nil.
    public init?(_ text: String) {
        var digits = Array(text.utf8)
        if digits.count == 36 {
            for index in [23, 18, 13, 8] {
                guard digits.remove(at: index) == UInt8(ascii: "-") else { return nil }
            }
        } else if digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8) {
            digits.removeFirst(2)
            guard digits.count <= 8 else { return nil }
        }
        guard [4, 8, 32].contains(digits.count) else { return nil }

        var high: UInt64 = 0
        var low: UInt64 = 0
        for digit in digits {
            guard let value = Character(UnicodeScalar(digit)).hexDigitValue else { return nil }
            high = high << 4 | low >> 60
            low = low << 4 | UInt64(value)
        }
        if digits.count == 32 {
            self.init(high: high, low: low)
        } else {
            self.init(high: low << 32 | Self.baseHigh, low: Self.baseLow)
        }
    }
}

extension BluetoothUUID: CustomStringConvertible {
    /// The full form in lower case, as BlueZ writes it.
    public var description: String {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for digit in 0..<32 {
            if [8, 12, 16, 20].contains(digit) { text.append(UInt8(ascii: "-")) }
            let half = digit < 16 ? high : low
            let value = UInt8(truncatingIfNeeded: half >> UInt64((15 - digit % 16) * 4) & 0xf)
            text.append(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10)
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension BluetoothUUID: ExpressibleByStringLiteral {
    /// For UUIDs in source code. Traps if the literal is not a UUID.
    public init(stringLiteral text: String) {
        guard let uuid = BluetoothUUID(text) else { preconditionFailure("\(text) is no Bluetooth UUID") }
        self = uuid
    }
}

extension BluetoothUUID: Codable {
    /// Reads any text form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let uuid = BluetoothUUID(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is no Bluetooth UUID")
        }
        self = uuid
    }

    /// Writes the full form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension BluetoothUUID {
    /// The SIG's battery service and its one characteristic, the level in per cent.
    static let batteryService = BluetoothUUID.short(0x180f)
    static let batteryLevel = BluetoothUUID.short(0x2a19)
    /// The descriptor by which a program subscribes (Core Specification Vol 3 Part G 3.3.3.3).
    static let clientConfiguration = BluetoothUUID.short(0x2902)
}
