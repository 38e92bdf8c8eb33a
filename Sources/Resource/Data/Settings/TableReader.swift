internal import StepDomain
internal import Support

/// Reads a table key by key, with the checks of the caller, which knows the meaning of the keys.
///
/// A key that is absent, or whose value has a problem, reads as nil. Problems are collected, so that the user sees all
/// of them at once; `finish` throws them, together with the keys that were not read.
///
/// `expected` always continues the phrase "it has to be", such as "the address of the server, such as https://…".
public struct TableReader {
    /// The table that is read.
    public let table: SettingsTable
    /// The problems found so far.
    public private(set) var problems: [SettingsError] = []

    /// What `~` stands for.
    let home: String?
    /// The keys that were read, in this order.
    private var asked: [String] = []
    /// Keys that are recognized, but never suggested to the user.
    private var unwanted: Set<String> = []
    /// Keys whose values are never shown.
    private var secret: Set<String> = []

    /// - Parameter home: the user's home directory, for paths that begin with ~/.
    public init(_ table: SettingsTable, home: String?) {
        self.table = table
        self.home = home
    }

    /// Requires a key to be present, whatever its value; the caller reads the value afterwards.
    public mutating func require(_ key: String, _ expected: String) {
        guard entry(key) == nil else { return }
        report(.missingEntry(key, table: table.header, source: table.source, expected: expected))
    }

    /// Refuses a value that was read, after a check of the caller.
    ///
    /// - Parameters:
    ///   - entry: the key within the table or list, if only the value of that key is wrong.
    ///   - isPrivate: whether the value may contain a secret, such as an address with a password: the error then does
    ///     not show it.
    public mutating func refuse(_ key: String, entry name: String? = nil, expected: String, isPrivate: Bool = false) {
        guard var found = entry(key) else { return require(key, expected) }
        var path = [key]
        if let name, case .table(let entries) = found.value, let inner = entries[name] {
            found = inner
            path.append(name)
        }
        let key = fullName(path), source = source(of: found)
        if !isPrivate, !secret.contains(path[0]), let text = found.value.inTOML {
            report(.badValue(text, key: key, source: source, expected: expected))
        } else {
            report(.badPrivateValue(key: key, source: source, expected: expected))
        }
    }

    /// Ends the reading. Call it on every return path, so that every problem is reported.
    ///
    /// - Parameter isComplete: whether all keys that the table can have were read. If a wrong `kind` leaves this open,
    ///   no key is reported as unknown.
    /// - Throws: all problems, in order of lines.
    public mutating func finish(isComplete: Bool = true) throws(SettingsProblems) {
        if isComplete {
            for key in table.keys where !asked.contains(key) && !unwanted.contains(key) && !isFull {
                report(
                    .unknownEntry(
                        key, table: table.header, source: source(of: table.entries[key]),
                        nearest: nearestKey(to: key, among: asked),
                        known: asked))
            }
        }
        var seen: Set<SettingsError> = []
        var reported = problems.filter { seen.insert($0).inserted }
        reported.sortByLine()
        if isFull, case .file(let path, _) = table.source { reported.append(.andMore(path: path)) }
        if let problems = SettingsProblems(reported) { throw problems }
    }
}

extension TableReader {
    /// The value of a key, which counts as read.
    mutating func entry(_ key: String) -> SettingEntry? {
        if !asked.contains(key) { asked.append(key) }
        return table.entries[key]
    }

    /// The same for a key that is read only to be refused.
    mutating func unwantedEntry(_ key: String) -> SettingEntry? {
        unwanted.insert(key)
        return table.entries[key]
    }

    /// Whether there are as many problems as a user corrects before the next check.
    var isFull: Bool { problems.count >= SettingsReader.maximumProblems }

    /// From now on, no value of this key is shown.
    mutating func keepSecret(_ key: String) { secret.insert(key) }

    mutating func report(_ problem: SettingsError) { problems.append(problem) }

    mutating func report(_ key: String, _ found: SettingEntry, isNot expected: String) {
        report(
            .wrongType(key: fullName([key]), source: source(of: found), expected: expected, found: found.value.inWords))
    }

    func source(of entry: SettingEntry?) -> SettingSource {
        guard case .file(let path, _) = table.source, let line = entry?.line else { return table.source }
        return .file(path, line: line)
    }

    func fullName(_ keys: [String]) -> String { dotted(table.path + keys) }
}

extension TableReader {
    /// A text that is not empty and has no control characters.
    ///
    /// - Parameters:
    ///   - mayBeEmpty: whether it can also be empty, or contain only spaces.
    ///   - mayHaveLines: whether it can contain line feeds and tabs.
    ///   - isPrivate: whether it may contain a secret, such as an address with a password: errors then do not show it.
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

    /// A required text.
    public mutating func requireText(
        _ key: String, _ expected: String, mayBeEmpty: Bool = false, mayHaveLines: Bool = false, isPrivate: Bool = false
    ) -> String? {
        require(key, expected)
        return text(key, expected, mayBeEmpty: mayBeEmpty, mayHaveLines: mayHaveLines, isPrivate: isPrivate)
    }

    /// A text, converted by the caller; if the conversion returns nil, the text is refused.
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

    /// - Parameter expected: without the range, which errors append.
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

    /// A path that starts with / or ~/, as an absolute one. It is not checked whether the file exists.
    public mutating func path(_ key: String, _ expected: String) -> String? {
        value(key, expected + ", a path that starts with / or ~/") { [home] in absolutePath($0, home: home) }
    }
}

extension TableReader {
    /// One of the raw values of a type. For any other value, the error names the nearest of them.
    public mutating func choice<Choice>(_ key: String, of type: Choice.Type) -> Choice?
    where Choice: RawRepresentable & CaseIterable, Choice.RawValue == String {
        choice(key, among: Choice.allCases.map(\.rawValue)).flatMap(Choice.init)
    }

    /// One of some texts. For any other text, the error names the nearest of them.
    public mutating func choice(_ key: String, among known: [String]) -> String? {
        guard let text = text(key, expectation(known)) else { return nil }
        if known.contains(text) { return text }
        let nearest = nearestKey(to: text, among: known).map { "; did you mean `\($0)`?" } ?? ""
        refuse(key, expected: expectation(known) + nearest)
        return nil
    }

    /// One of some texts; the key is required.
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
            if Day(date) != nil { return date }
            refuse(key, expected: expected)
        default: report(key, entry, isNot: expected)
        }
        return nil
    }
}

extension TableReader {
    /// A list of texts, each with the checks of `text`; a single text counts as a list of one.
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
                report(
                    .wrongType(
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

    /// A table of texts, with its own header or inline. The values, which can be secrets, are never shown.
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
                report(
                    .badPrivateValue(
                        key: path, source: source, expected: "a text under a name, both without control characters"))
            } else {
                report(.wrongType(key: path, source: source, expected: "a text", found: inner.value.inWords))
            }
        }
        return texts.count == entries.count ? texts : nil
    }
}
