/// How many columns of a terminal text takes.
enum Columns {
    static func of(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + of($1) } }

    /// 0 for marks, 2 for the wide scripts and emoji (Unicode Standard Annex 11, by blocks), else 1.
    static func of(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0x20..<0x300: 1
        case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
            0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1faff, 0x20000...0x3fffd: 2
        default: isMark(scalar) ? 0 : 1
        }
    }

    static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }

    /// The text itself where it fits, else its beginning and `ending`, together at most `limit` columns.
    static func clip(_ text: String, to limit: Int, ending: String = "") -> String {
        guard of(text) > limit else { return text }
        let room = limit - of(ending)
        var (clipped, used) = ("", 0)
        for scalar in text.unicodeScalars {
            used += of(scalar)
            if used > room { break }
            clipped.unicodeScalars.append(scalar)
        }
        return clipped + ending
    }

    /// With blanks behind it up to `width` columns; longer text stays.
    static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - of(text)))
    }

    static func padLeft(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - of(text))) + text
    }
}
