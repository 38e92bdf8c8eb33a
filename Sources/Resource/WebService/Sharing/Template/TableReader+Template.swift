internal import Settings

extension TableReader {
    /// A text with figures of a day in it.
    mutating func template(_ key: String, standard: String) -> DayTemplate? {
        let text = text(key, "a text with figures in braces, such as {steps}", mayHaveLines: true) ?? standard
        do {
            return try DayTemplate(text)
        } catch {
            refuse(key, expected: error.description)
            return nil
        }
    }
}
