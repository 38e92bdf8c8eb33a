internal import TextSafety

/// Text from elsewhere (a pedometer's name, an error of a server) made harmless for a terminal and for the reader: control characters
/// become U+FFFD, and a long text is cut. Each view prints a device name through it.
///
/// Control characters could move the cursor or change the terminal; bidirectional overrides could turn the rest of the line
/// round; invisible characters could make two names look the same; a very long name could fill the screen.
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
            if marks <= Self.mostMarks { harmless.unicodeScalars.append(scalar) }
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

    /// Why a text is not a valid name of a person or a pedometer; nil if it is one. The history has the same rule.
    package static func problem(ofName name: String) -> String? { NameRule.problem(of: name) }

    /// Marks on one letter; more of them reach into the lines above.
    private static let mostMarks = 3

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
