/// The ways in which a text is written within URLs, JSON and XML, for finding it there.
struct Spellings {
    /// For each scalar of the text, the byte strings that stand for it.
    private let scalars: [[[UInt8]]]
    /// Whether a byte can begin the text.
    private let begins: [Bool]

    init(_ text: String) {
        scalars = text.unicodeScalars.map(Self.spellings)
        var begins = [Bool](repeating: false, count: 256)
        for byte in (scalars.first ?? []).compactMap(\.first) { begins[Int(byte)] = true }
        self.begins = begins
    }

    /// All places where the text stands, also those that overlap.
    func ranges(in bytes: [UInt8]) -> [Range<Int>] {
        bytes.indices.compactMap { start in
            guard begins[Int(bytes[start])] else { return nil }
            return end(from: start, in: bytes).map { start..<$0 }
        }
    }

    /// Where the text that begins at `start` ends, or nil. One spelling may be the beginning of another, so that
    /// there can be several places to go on from.
    private func end(from start: Int, in bytes: [UInt8]) -> Int? {
        var places: Set<Int> = [start]
        for spellings in scalars {
            var next: Set<Int> = []
            for place in places {
                for spelling in spellings where bytes[place...].starts(with: spelling) { next.insert(place + spelling.count) }
            }
            if next.isEmpty { return nil }
            places = next
        }
        return places.max()
    }

    private static func spellings(of scalar: Unicode.Scalar) -> [[UInt8]] {
        var result = [String(scalar), "&#\(scalar.value);"]
        for isUpper in [false, true] {
            func hex(_ value: some BinaryInteger, _ width: Int) -> String {
                let digits = String(value, radix: 16, uppercase: isUpper)
                return String(repeating: "0", count: max(0, width - digits.count)) + digits
            }
            result.append(String(scalar).utf8.map { "%" + hex($0, 2) }.joined())
            result.append(String(scalar).utf16.map { "\\u" + hex($0, 4) }.joined())
            result.append("&#x\(hex(scalar.value, 1));")
        }
        switch scalar {
        // The query of a URL, as forms write it.
        case " ": result.append("+")
        case "\"": result += ["\\\"", "&quot;"]
        case "\\": result.append("\\\\")
        case "/": result.append("\\/")
        case "&": result.append("&amp;")
        case "<": result.append("&lt;")
        case ">": result.append("&gt;")
        case "'": result.append("&apos;")
        default: break
        }
        return result.map { Array($0.utf8) }
    }
}
