extension TableReader {
    /// A list of texts, each as `text` has it; one text counts as a list of one.
    public mutating func texts(_ key: String, _ expected: String) -> [String]? {
        guard let entry = entry(key) else { return nil }
        guard case .array(let values) = entry.value else {
            guard case .text = entry.value else {
                report(key, entry, isNot: "a text or a list of texts: " + expected)
                return nil
            }
            return text(key, expected).map { [$0] }
        }
        var texts: [String] = []
        for value in values {
            guard case .text(let text) = value else {
                report(.wrongType(
                    key: fullName([key]), source: source(of: entry), expected: "a list of texts: " + expected,
                    found: "one with " + value.inWords))
                return nil
            }
            guard !text.allSatisfy(\.isWhitespace), !text.hasControls() else {
                report(.badValue(text, key: fullName([key]), source: source(of: entry), expected: expected))
                return nil
            }
            texts.append(text)
        }
        return texts
    }

    /// A table of texts, under a header of its own or in braces. The values, which can be secrets, are never told.
    public mutating func textTable(_ key: String, _ expected: String) -> [String: String]? {
        guard let entry = entry(key) else { return nil }
        guard case .table(let entries) = entry.value else {
            report(key, entry, isNot: "a table of texts: " + expected)
            return nil
        }
        keepSecret(key)
        var texts: [String: String] = [:]
        for (name, inner) in entries.byLine where !isFull {
            let path = fullName([key, name]), source = source(of: inner)
            if case .text(let text) = inner.value, !name.isEmpty, !name.hasControls(), !text.hasControls() {
                texts[name] = text
            } else if case .text = inner.value {
                report(.badPrivateValue(
                    key: path, source: source, expected: "a text under a name, both without control characters"))
            } else {
                report(.wrongType(key: path, source: source, expected: "a text", found: inner.value.inWords))
            }
        }
        return texts.count == entries.count ? texts : nil
    }
}
