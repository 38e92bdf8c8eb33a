internal import Support

/// Text from elsewhere (a pedometer's name, an error of a server) made harmless for a terminal and for the reader:
/// control characters become U+FFFD, and a long text is cut. Each view prints a device name through it.
///
/// Control characters could move the cursor or change the terminal; bidirectional overrides could turn the rest of the
/// line round; invisible characters could make two names look the same; a very long name could fill the screen.
public struct Printable: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Parameter limit: columns; what is longer ends in `…`.
    public init(_ text: String, limit: Int = 64) {
        var harmless = ""
        var marks = 0
        // A column takes one scalar and a few marks: beyond that nothing could be shown.
        let examined = text.unicodeScalars.prefix(max(limit, 1) * 8)
        for scalar in examined {
            if Self.isJoiner(scalar) { continue }
            if Self.isHarmful(scalar) {
                harmless.unicodeScalars.append("\u{fffd}")
                marks = 0
                continue
            }
            marks = Columns.isMark(scalar) ? marks + 1 : 0
            if marks <= Self.maximumMarks { harmless.unicodeScalars.append(scalar) }
        }
        // The cut is marked even if combining marks alone have used up what is examined.
        if examined.endIndex < text.unicodeScalars.endIndex, Columns.of(harmless) <= limit { harmless += "…" }
        description = Columns.clip(harmless, to: max(limit, 1))
    }

    /// Text of several lines, such as an error that quotes user input: each line made harmless, none cut.
    public static func lines(_ text: String) -> String {
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            // No scalar takes more than two columns.
            Printable(String(String.UnicodeScalarView(line)), limit: 2 * line.count).description
        }.joined(separator: "\n")
    }

    /// Marks on one letter; more of them reach into the lines above.
    private static let maximumMarks = 3

    /// Joiners and variation selectors shape letters and emoji; without them the text stays readable.
    private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value == 0x200c || scalar.value == 0x200d || (0xfe00...0xfe0f).contains(scalar.value)
    }

    /// Whether a character controls the terminal or the line, or shows nothing at all.
    package static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Fillers, which are letters by their category but shown as blank, and the joiner of emoji.
        case 0x115f, 0x1160, 0x3164, 0xffa0, 0x200d: true
        default: scalar.isUnfitForTerminals
        }
    }
}

/// How many columns of a terminal text takes.
enum Columns {
    static func of(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + of($1) } }

    /// 0 for marks and joiners, 2 for the wide scripts and emoji, else 1.
    static func of(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0x20..<0x300: 1
        // Vowels and finals of Hangul, which join the consonant before them; zero width joiners and spaces.
        case 0x1160...0x11ff, 0xd7b0...0xd7ff, 0x200b...0x200f: 0
        default: isMark(scalar) ? 0 : isWide(scalar.value) ? 2 : 1
        }
    }

    /// East_Asian_Width W and F of Unicode 14 (Standard Annex 11), with the unassigned gaps between two of them.
    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case ..<0x1100: false
        case 0x1100...0x115f, 0x231a...0x231b, 0x2329...0x232a, 0x23e9...0x23ec, 0x23f0, 0x23f3, 0x25fd...0x25fe,
            0x2614...0x2615,
            0x2648...0x2653, 0x267f, 0x2693, 0x26a1, 0x26aa...0x26ab, 0x26bd...0x26be, 0x26c4...0x26c5, 0x26ce, 0x26d4,
            0x26ea,
            0x26f2...0x26f3, 0x26f5, 0x26fa, 0x26fd, 0x2705, 0x270a...0x270b, 0x2728, 0x274c, 0x274e, 0x2753...0x2755,
            0x2757,
            0x2795...0x2797, 0x27b0, 0x27bf, 0x2b1b...0x2b1c, 0x2b50, 0x2b55, 0x2e80...0x303e, 0x3041...0x3247,
            0x3250...0x4dbf,
            0x4e00...0xa4c6, 0xa960...0xa97c, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe6b, 0xff01...0xff60,
            0xffe0...0xffe6,
            0x16fe0...0x1b2fb, 0x1f004, 0x1f0cf, 0x1f18e, 0x1f191...0x1f19a, 0x1f200...0x1f320, 0x1f32d...0x1f335,
            0x1f337...0x1f37c,
            0x1f37e...0x1f393, 0x1f3a0...0x1f3ca, 0x1f3cf...0x1f3d3, 0x1f3e0...0x1f3f0, 0x1f3f4, 0x1f3f8...0x1f43e,
            0x1f440,
            0x1f442...0x1f4fc, 0x1f4ff...0x1f53d, 0x1f54b...0x1f54e, 0x1f550...0x1f567, 0x1f57a, 0x1f595...0x1f596,
            0x1f5a4,
            0x1f5fb...0x1f64f, 0x1f680...0x1f6c5, 0x1f6cc, 0x1f6d0...0x1f6d2, 0x1f6d5...0x1f6df, 0x1f6eb...0x1f6ec,
            0x1f6f4...0x1f6fc,
            0x1f7e0...0x1f7f0, 0x1f90c...0x1f93a, 0x1f93c...0x1f945, 0x1f947...0x1f9ff, 0x1fa70...0x1faff,
            0x20000...0x3fffd:
            true
        default: false
        }
    }

    static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }

    /// The text itself where it fits, else its beginning and `ending`, together at most `limit` columns.
    ///
    /// - Parameter ending: the sign that something was cut: every cut shows one.
    static func clip(_ text: String, to limit: Int, ending: String = "…") -> String {
        guard of(text) > limit else { return text }
        return prefix(text, limit - of(ending)) + (of(ending) <= limit ? ending : "")
    }

    /// The beginning of a text that fits into so many columns, with the marks of its last letter.
    static func prefix(_ text: String, _ limit: Int) -> String {
        var (prefix, used) = ("", 0)
        for scalar in text.unicodeScalars {
            used += of(scalar)
            if used > limit { break }
            prefix.unicodeScalars.append(scalar)
        }
        return prefix
    }

    /// Padded with blanks up to `width` columns; longer text stays.
    static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - of(text)))
    }

    static func padLeft(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - of(text))) + text
    }
}
