/// The rule for the names of people and pedometers: 1 to 64 characters that can be shown on a terminal.
public enum NameRule {
    private static let maximumCharacters = 64
    /// A character can have an unlimited number of combining marks.
    private static let maximumScalars = 256

    /// Why a text is not a valid name; nil if it is one.
    public static func problem(of name: String) -> String? {
        if name.allSatisfy(\.isWhitespace) { return "it is empty" }
        if name.unicodeScalars.prefix(maximumScalars + 1).count > maximumScalars || name.count > maximumCharacters {
            return "it has more than \(maximumCharacters) characters"
        }
        return name.unicodeScalars.contains(where: \.isUnfitForTerminals) ? "it contains control characters" : nil
    }
}
