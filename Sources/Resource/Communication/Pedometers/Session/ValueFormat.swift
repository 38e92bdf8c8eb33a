/// An unsigned number inside a characteristic's value.
public struct ValueFormat: Hashable, Sendable, CustomStringConvertible {
    /// Bytes: 2, 3 or 4.
    public let width: Int
    public let isBigEndian: Bool
    /// Bytes before the number, 0...509.
    public let offset: Int

    /// `u16le`, `u24be`, `u32le@4`; nil for anything else.
    public init?(_ text: String) {
        let parts = text.lowercased().split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts[0].count == 5 else { return nil }
        switch parts[0].prefix(3) {
        case "u16": width = 2
        case "u24": width = 3
        case "u32": width = 4
        default: return nil
        }
        switch parts[0].suffix(2) {
        case "le": isBigEndian = false
        case "be": isBigEndian = true
        default: return nil
        }
        guard parts.count == 2 else {
            offset = 0
            return
        }
        guard let offset = Int(parts[1]), offset >= 0, offset + width <= 512 else { return nil }
        self.offset = offset
    }

    private init(width: Int) {
        self.width = width
        isBigEndian = false
        offset = 0
    }

    /// 4 bytes, little endian.
    static let uint32 = ValueFormat(width: 4)

    public var description: String {
        "u\(width * 8)\(isBigEndian ? "be" : "le")" + (offset == 0 ? "" : "@\(offset)")
    }

    /// One more than the greatest number.
    public var modulus: Int { 1 << (width * 8) }

    /// What is wrong with a value that is too short.
    func shortage(_ value: [UInt8]) -> String {
        "the characteristic has \(value.count) \(value.count == 1 ? "byte" : "bytes"), and this format needs \(offset + width)"
    }

    /// Nil if the value is too short.
    public func decode(_ value: [UInt8]) -> Int? {
        guard value.count >= offset + width else { return nil }
        let bytes = value[offset..<offset + width]
        return (isBigEndian ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }
}

extension [UInt8] {
    /// The bytes from `index` as an unsigned number, or nil if there are fewer.
    func little(_ index: Int, _ count: Int) -> Int? {
        guard index >= 0, index + count <= self.count else { return nil }
        return self[index..<index + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// The same, with the highest byte first.
    func big(_ index: Int, _ count: Int) -> Int? {
        guard index >= 0, index + count <= self.count else { return nil }
        return self[index..<index + count].reduce(0) { $0 << 8 | Int($1) }
    }

    /// A number with its lowest byte first.
    static func little(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// A number with its highest byte first.
    static func big(_ number: Int, _ count: Int) -> [UInt8] { little(number, count).reversed() }
}
