import Quoting
import Foundation

/// A name of a user or a pedometer that the history takes: 1 to 64 characters that can be shown on a terminal.
struct CheckedName {
    let text: String
    /// The same for names that differ only in case or in how accents are encoded.
    let key: String

    static let mostCharacters = 64
    /// A character can pile up marks without end.
    static let mostScalars = 256

    init(_ name: String) throws(HistoryError) {
        func refuse(_ reason: String) -> HistoryError {
            // A name of megabytes would drown its own error.
            .invalidName(String(String.UnicodeScalarView(name.unicodeScalars.prefix(80))), reason: reason)
        }
        guard !name.allSatisfy(\.isWhitespace) else { throw refuse("it is empty") }
        guard name.unicodeScalars.prefix(Self.mostScalars + 1).count <= Self.mostScalars,
            name.count <= Self.mostCharacters
        else { throw refuse("it has more than \(Self.mostCharacters) characters") }
        guard !name.unicodeScalars.contains(where: \.isUnfitForTerminals) else {
            throw refuse("it contains control characters")
        }
        text = name
        key = name.precomposedStringWithCanonicalMapping.lowercased().precomposedStringWithCanonicalMapping
    }
}
