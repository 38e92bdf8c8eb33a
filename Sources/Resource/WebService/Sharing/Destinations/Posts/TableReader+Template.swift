internal import Settings

extension TableReader {
    /// The key `text`: what a post says.
    mutating func template(standard: String) -> PostTemplate? {
        let names = PostFigure.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
        let expected = "a text that names \(names)"
        let given = text("text", expected, mayHaveLines: true)
        if given == nil, table.keys.contains("text") { return nil }
        do {
            return try PostTemplate(given ?? standard)
        } catch {
            refuse("text", expected: expected + (error == .openBrace ? ", each with a } behind it" : ", and nothing else in braces"))
            return nil
        }
    }
}
