/// A whole number as people type or copy it: digits, or digits in groups of three as `Words.grouped` and other
/// languages write them: `9000`, `9,000`, `9.000`, `9 000`, `9'000`.
public enum WholeNumber {
    /// Nil for anything else: a sign, a fraction, groups that are not of three digits or of different signs, and a
    /// number that is too large.
    public static func value(_ text: some StringProtocol) -> Int? {
        let signs = Set(text.unicodeScalars.filter { !isDigit($0) })
        guard let sign = signs.first else { return Int(text) }
        guard signs.count == 1, groupSigns.contains(sign) else { return nil }
        let groups = text.unicodeScalars.split(separator: sign, omittingEmptySubsequences: false)
        guard (1...3).contains(groups[0].count), groups.dropFirst().allSatisfy({ $0.count == 3 }) else { return nil }
        return Int(String(String.UnicodeScalarView(groups.joined())))
    }

    /// Besides the blank, the ones that do not break, and the two apostrophes.
    private static let groupSigns: Set<Unicode.Scalar> = [
        ",", ".", " ", "\u{a0}", "\u{2009}", "\u{202f}", "'", "\u{2019}",
    ]

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
}
