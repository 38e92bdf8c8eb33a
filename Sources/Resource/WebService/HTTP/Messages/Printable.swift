internal import Quoting

/// `text` with everything escaped that a terminal would obey instead of showing, but for what is kept.
func printable(_ text: String, keeping kept: Set<Unicode.Scalar> = []) -> String {
    guard text.unicodeScalars.contains(where: { $0.isUnfitForTerminals && !kept.contains($0) }) else { return text }
    return text.unicodeScalars.map { scalar in
        scalar.isUnfitForTerminals && !kept.contains(scalar) ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
    }.joined()
}
