/// Shows the GATT table of any Bluetooth LE device, and reads and writes single values: for developing support for a
/// new pedometer. Each call connects and disconnects. Errors are those of the implementation.
public protocol GATTExplorer: Sendable {
    /// The services of a device.
    ///
    /// - Parameter readsValues: whether the values of readable characteristics are read, too.
    func services(of address: String, readsValues: Bool) async throws -> [GATTServiceContent]

    /// - Returns: at most 512 bytes.
    func read(_ characteristic: CharacteristicAddress, of address: String) async throws -> [UInt8]

    /// - Parameter hasResponse: whether the device acknowledges. Without a response, a value that does not fit into a
    ///   packet is sent in several.
    func write(_ bytes: [UInt8], to characteristic: CharacteristicAddress, of address: String, hasResponse: Bool)
        async throws

    /// Reports the values that a device sends, until `report` returns false, the time is over, or the link ends.
    ///
    /// - Parameter seconds: nil for no limit.
    func notifications(
        of characteristic: CharacteristicAddress, of address: String, seconds: Double?,
        report: @escaping @Sendable ([UInt8]) throws -> Bool
    ) async throws
}

/// A characteristic by its UUIDs, in any of their notations.
public struct CharacteristicAddress: Hashable, Sendable {
    public var service: String
    public var characteristic: String

    public init(service: String, characteristic: String) {
        self.service = service
        self.characteristic = characteristic
    }
}

/// A service of a device, as a connection shows it. All texts come from the device and may be hostile.
public struct GATTServiceContent: Hashable, Sendable {
    public var uuid: String
    public var handle: Int
    public var characteristics: [GATTCharacteristicContent]

    public init(uuid: String, handle: Int, characteristics: [GATTCharacteristicContent]) {
        self.uuid = uuid
        self.handle = handle
        self.characteristics = characteristics
    }
}

/// A characteristic of a device.
public struct GATTCharacteristicContent: Hashable, Sendable {
    /// The result of reading it.
    public enum Value: Hashable, Sendable {
        /// It was not read: it is not readable, or values were not requested.
        case notRead
        case bytes([UInt8])
        /// Why it could not be read, in words.
        case refused(String)
    }

    public var uuid: String
    public var handle: Int
    /// The operations that it supports, as BlueZ names them: `read`, `write-without-response`, `write`, `notify`,
    /// `indicate` and others.
    public var flags: [String]
    public var descriptors: [String]
    public var value: Value

    public init(uuid: String, handle: Int, flags: [String], descriptors: [String] = [], value: Value = .notRead) {
        self.uuid = uuid
        self.handle = handle
        self.flags = flags
        self.descriptors = descriptors
        self.value = value
    }
}

/// How a value is written as text: hexadecimal digits, characters, or a number.
public enum ValueNotation: Hashable, Sendable {
    /// `01 ff`, or without spaces.
    case hexadecimal
    /// UTF-8.
    case text
    /// An unsigned number of 1 to 4 bytes.
    case number(bytes: Int, isBigEndian: Bool)

    /// Bytes of the longest attribute value (Bluetooth Core Specification, Vol 3, Part F, 3.2.9).
    public static let longest = 512

    /// `hex`, `text`, `u8`, `u16le`, `u16be`, `u24le`, `u24be`, `u32le`, `u32be`; nil for anything else.
    public init?(_ name: String) {
        switch name.lowercased() {
        case "hex": self = .hexadecimal
        case "text": self = .text
        case "u8": self = .number(bytes: 1, isBigEndian: false)
        case "u16le", "u16be", "u24le", "u24be", "u32le", "u32be":
            guard let bits = Int(name.dropFirst().prefix(2)) else { return nil }
            self = .number(bytes: bits / 8, isBigEndian: name.lowercased().hasSuffix("be"))
        default: return nil
        }
    }

    /// The bytes that a text stands for; nil if it is not in this notation, or longer than a value can be.
    public func bytes(of text: String) -> [UInt8]? {
        switch self {
        case .text:
            let bytes = Array(text.utf8)
            return bytes.count <= Self.longest ? bytes : nil
        case .hexadecimal:
            let digits = text.filter { $0 != " " && $0 != ":" }
            let isPrefixed = digits.hasPrefix("0x") || digits.hasPrefix("0X")
            let nibbles = digits.dropFirst(isPrefixed ? 2 : 0).map { $0.isASCII ? $0.hexDigitValue : nil }
            guard !nibbles.isEmpty, nibbles.count.isMultiple(of: 2), nibbles.count <= 2 * Self.longest else {
                return nil
            }
            var bytes: [UInt8] = []
            for index in stride(from: 0, to: nibbles.count, by: 2) {
                guard let high = nibbles[index], let low = nibbles[index + 1] else { return nil }
                bytes.append(UInt8(high << 4 | low))
            }
            return bytes
        case .number(let count, let isBigEndian):
            guard let number = Int(text), number >= 0, number < 1 << (8 * count) else { return nil }
            let little = (0..<count).map { UInt8(number >> (8 * $0) & 0xff) }
            return isBigEndian ? little.reversed() : little
        }
    }

    /// A value as text; nil if it is too short for the number. Bytes after the number are not part of it.
    public func text(of bytes: [UInt8]) -> String? {
        switch self {
        case .hexadecimal: return Self.hexadecimal(bytes)
        case .text: return String(decoding: bytes, as: UTF8.self)
        case .number(let count, let isBigEndian):
            guard bytes.count >= count else { return nil }
            let own = Array(bytes.prefix(count))
            return String((isBigEndian ? own : own.reversed()).reduce(0) { $0 << 8 | Int($1) })
        }
    }

    /// `01 ff`.
    public static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    }
}
