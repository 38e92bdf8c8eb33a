extension TableReader {
    /// A text that is not empty and has no control characters.
    ///
    /// - Parameters:
    ///   - mayBeEmpty: whether it can also be empty, or of spaces only.
    ///   - mayHaveLines: whether line feeds and tabs can be in it.
    ///   - isPrivate: whether it may have a secret in it, such as an address with a password: errors do not tell it then.
    public mutating func text(
        _ key: String, _ expected: String, mayBeEmpty: Bool = false, mayHaveLines: Bool = false, isPrivate: Bool = false
    ) -> String? {
        if isPrivate { keepSecret(key) }
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
        _ key: String, _ expected: String, mayBeEmpty: Bool = false, mayHaveLines: Bool = false, isPrivate: Bool = false
    ) -> String? {
        require(key, expected)
        return text(key, expected, mayBeEmpty: mayBeEmpty, mayHaveLines: mayHaveLines, isPrivate: isPrivate)
    }

    /// A text and what the caller makes of it; where that is nil, the text is refused.
    public mutating func value<Value>(
        _ key: String, _ expected: String, isPrivate: Bool = false, _ make: (String) -> Value?
    ) -> Value? {
        guard let text = text(key, expected, isPrivate: isPrivate) else { return nil }
        if let value = make(text) { return value }
        refuse(key, expected: expected)
        return nil
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
        value(key, expected + ", a path that starts with / or ~/") { [home] in absolutePath($0, home: home) }
    }
}
