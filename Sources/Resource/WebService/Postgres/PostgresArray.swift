/// Values of one type as a parameter of a statement, in the text format of arrays (PostgreSQL documentation, Arrays,
/// "Array Input and Output Syntax"). NULL at the end is left out: `unnest` fills up with it.
public struct PostgresArray {
    private var bytes = [UInt8(ascii: "{")]
    private var missing = 0

    public init(_ values: [String?] = []) {
        for value in values { append(value) }
    }

    public var text: String { String(decoding: bytes, as: UTF8.self) + "}" }

    public mutating func append(_ number: Int) {
        separate()
        bytes += number.description.utf8
    }

    /// - Parameter value: U+0000, which PostgreSQL cannot store, is left out.
    public mutating func append(_ value: String?) {
        guard let value else {
            missing += 1
            return
        }
        separate()
        bytes.append(UInt8(ascii: "\""))
        for byte in value.utf8 where byte != 0 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func separate() {
        for _ in 0..<missing {
            addComma()
            bytes += "NULL".utf8
        }
        missing = 0
        addComma()
    }

    private mutating func addComma() {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    }
}
