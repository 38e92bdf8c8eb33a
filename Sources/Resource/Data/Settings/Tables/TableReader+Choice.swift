extension TableReader {
    /// One of the raw values of a type. Of another, the nearest of them is named.
    public mutating func choice<Choice>(_ key: String, of type: Choice.Type) -> Choice?
    where Choice: RawRepresentable & CaseIterable, Choice.RawValue == String {
        choice(key, among: Choice.allCases.map(\.rawValue)).flatMap(Choice.init)
    }

    /// One of some texts. Of another, the nearest of them is named.
    public mutating func choice(_ key: String, among known: [String]) -> String? {
        guard let text = text(key, expectation(known)) else { return nil }
        if known.contains(text) { return text }
        let nearest = nearestKey(to: text, among: known).map { "; did you mean `\($0)`?" } ?? ""
        refuse(key, expected: expectation(known) + nearest)
        return nil
    }

    /// One of some texts, which has to be there.
    public mutating func requireChoice(_ key: String, among known: [String]) -> String? {
        require(key, expectation(known))
        return choice(key, among: known)
    }

    private func expectation(_ known: [String]) -> String { inWords(known, "or") }

    /// A day that exists, YYYY-MM-DD from the year 1 on: a date of TOML, or the same as a text.
    public mutating func date(_ key: String) -> String? {
        let expected = "a day that exists, such as 2026-03-01"
        guard let entry = entry(key) else { return nil }
        switch entry.value {
        case .date(let date), .text(let date):
            if isDay(date) { return date }
            refuse(key, expected: expected)
        default: report(key, entry, isNot: expected)
        }
        return nil
    }
}

/// Whether a text is a day of the Gregorian calendar, YYYY-MM-DD (ISO 8601, extended format).
private func isDay(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    let isDigits = parts.allSatisfy { $0.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) }
    guard parts.map(\.count) == [4, 2, 2], isDigits else { return false }
    let numbers = parts.compactMap { Int(String(decoding: $0, as: UTF8.self)) }
    let (year, month, day) = (numbers[0], numbers[1], numbers[2])
    guard year >= 1, (1...12).contains(month) else { return false }
    let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    return (1...[31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]).contains(day)
}
