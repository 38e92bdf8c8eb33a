extension TableReader {
    /// A text that is not empty and has no control characters.
    ///
    /// - Parameters:
    ///   - mayBeEmpty: whether it can also be empty, or of spaces only.
    ///   - mayHaveLines: whether line feeds and tabs can be in it.
    public mutating func text(
        _ key: String, _ expected: String, mayBeEmpty: Bool = false, mayHaveLines: Bool = false
    ) -> String? {
        guard let entry = entry(key) else { return nil }
        guard case .text(let text) = entry.value else {
            report(key, entry, isNot: "a text: " + expected)
            return nil
        }
        guard mayBeEmpty || !text.allSatisfy(\.isWhitespace) else {
            refuse(key, expected: expected)
            return nil
        }
        guard !text.hasControls(except: mayHaveLines ? "\n\t" : "") else {
            refuse(key, expected: expected + ", without control characters")
            return nil
        }
        return text
    }

    /// A text that has to be there.
    public mutating func requireText(
        _ key: String, _ expected: String, mayBeEmpty: Bool = false, mayHaveLines: Bool = false
    ) -> String? {
        require(key, expected)
        return text(key, expected, mayBeEmpty: mayBeEmpty, mayHaveLines: mayHaveLines)
    }

    /// `true` or `false`.
    public mutating func flag(_ key: String) -> Bool? {
        guard let entry = entry(key) else { return nil }
        if case .flag(let flag) = entry.value { return flag }
        report(key, entry, isNot: "true or false")
        return nil
    }

    /// - Parameter expected: without the range, which errors tell behind it.
    public mutating func integer(_ key: String, in range: ClosedRange<Int>, _ expected: String) -> Int? {
        let expected = "\(expected), from \(range.lowerBound) to \(range.upperBound)"
        guard let entry = entry(key) else { return nil }
        guard case .integer(let number) = entry.value else {
            let words = if case .number = entry.value { "a number with a point" } else { entry.value.inWords }
            report(.wrongType(key: fullName([key]), source: source(of: entry), expected: expected, found: words))
            return nil
        }
        if range.contains(number) { return number }
        refuse(key, expected: expected)
        return nil
    }

    /// - Parameter expected: without the range, which errors tell behind it.
    public mutating func number(_ key: String, in range: ClosedRange<Double>, _ expected: String) -> Double? {
        let expected = "\(expected), from \(brief(range.lowerBound)) to \(brief(range.upperBound))"
        guard let entry = entry(key) else { return nil }
        let number: Double
        switch entry.value {
        case .integer(let value): number = Double(value)
        case .number(let value): number = value
        default:
            report(key, entry, isNot: expected)
            return nil
        }
        if range.contains(number) { return number }
        refuse(key, expected: expected)
        return nil
    }

    /// A path that starts with / or ~/, as an absolute one. Whether anything is there is not looked at.
    public mutating func path(_ key: String, _ expected: String) -> String? {
        let expected = expected + ", a path that starts with / or ~/"
        guard let text = text(key, expected) else { return nil }
        if let path = absolutePath(text, home: home) { return path }
        refuse(key, expected: expected)
        return nil
    }
}
