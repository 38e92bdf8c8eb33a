/// A row in the text format of COPY (PostgreSQL documentation, COPY, "Text Format"): fields between tabs, `\N` for
/// NULL, and escapes for what would end a field or a row.
public struct PostgresRow: Hashable, Sendable {
    /// With the line feed at the end.
    public let bytes: [UInt8]

    /// - Parameter fields: texts; nil is NULL. U+0000, which PostgreSQL cannot store, is left out.
    public init(_ fields: [String?]) {
        var bytes: [UInt8] = []
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "\t")) }
            guard let field else {
                bytes += [UInt8(ascii: "\\"), UInt8(ascii: "N")]
                continue
            }
            for byte in field.utf8 {
                switch byte {
                case 0: break
                case UInt8(ascii: "\\"): bytes += [byte, byte]
                case UInt8(ascii: "\n"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
                case UInt8(ascii: "\r"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
                case UInt8(ascii: "\t"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
                default: bytes.append(byte)
                }
            }
        }
        self.bytes = bytes + [UInt8(ascii: "\n")]
    }

    /// For display, without the line feed, and with visible separators.
    public var text: String { String(decoding: bytes.dropLast(), as: UTF8.self).replacing("\t", with: " | ") }
}
