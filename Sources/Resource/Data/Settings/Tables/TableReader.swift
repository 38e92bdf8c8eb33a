/// Reads a table key by key, with the checks of whoever knows what the keys mean.
///
/// A key that is absent, or whose value has a problem, reads as nil. Problems are gathered, so that the user is told all
/// of them at once; `finish` throws them, together with the keys that nobody asked for.
///
/// `expected` is always in words that go on from "it has to be", such as "the address of the server, such as https://…".
public struct TableReader {
    /// The table that is read.
    public let table: SettingsTable
    /// What has been found wrong so far.
    public private(set) var problems: [SettingsError] = []

    /// What `~` stands for.
    let home: String?
    /// The keys that were asked for, in this order.
    private var asked: [String] = []
    /// Keys that are no mystery, but never offered to anybody.
    private var unwanted: Set<String> = []
    /// Keys of which no value is ever told.
    private var secret: Set<String> = []

    /// - Parameter home: the user's home directory, for paths that begin with ~/.
    public init(_ table: SettingsTable, home: String?) {
        self.table = table
        self.home = home
    }

    /// Requires a key to be there, whatever its value; to be followed by the reading of it.
    public mutating func require(_ key: String, _ expected: String) {
        guard entry(key) == nil else { return }
        report(.missingEntry(key, table: table.header, source: table.source, expected: expected))
    }

    /// Refuses a value that was read, by a check of the caller's own.
    ///
    /// - Parameters:
    ///   - entry: the key within the table or list that the value is, where only that is wrong.
    ///   - isPrivate: whether the value may have a secret in it, such as an address with a password: it is not told then.
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

    /// Ends the reading. To be called on every way out, so that nothing that is wrong goes untold.
    ///
    /// - Parameter isComplete: whether all keys were asked for that the table can have. Where a wrong `kind` has left
    ///   that open, no key is called unknown.
    /// - Throws: all that is wrong, in order of lines.
    public mutating func finish(isComplete: Bool = true) throws(SettingsProblems) {
        if isComplete {
            for key in table.keys where !asked.contains(key) && !unwanted.contains(key) && !isFull {
                report(.unknownEntry(
                    key, table: table.header, source: source(of: table.entries[key]), nearest: nearestKey(to: key, among: asked),
                    known: asked))
            }
        }
        var seen: Set<SettingsError> = []
        var told = problems.filter { seen.insert($0).inserted }
        told.sortByLine()
        if isFull, case .file(let path, _) = table.source { told.append(.andMore(path: path)) }
        if let problems = SettingsProblems(told) { throw problems }
    }
}

extension TableReader {
    /// The value of a key, which counts as asked for.
    mutating func entry(_ key: String) -> SettingEntry? {
        if !asked.contains(key) { asked.append(key) }
        return table.entries[key]
    }

    /// The same of a key that is known only to be refused.
    mutating func unwantedEntry(_ key: String) -> SettingEntry? {
        unwanted.insert(key)
        return table.entries[key]
    }

    /// Whether there are more problems than anybody mends before looking again.
    var isFull: Bool { problems.count >= SettingsReader.mostProblems }

    /// From here on, no value of this key is told.
    mutating func keepSecret(_ key: String) { secret.insert(key) }

    mutating func report(_ problem: SettingsError) { problems.append(problem) }

    mutating func report(_ key: String, _ found: SettingEntry, isNot expected: String) {
        report(.wrongType(key: fullName([key]), source: source(of: found), expected: expected, found: found.value.inWords))
    }

    func source(of entry: SettingEntry?) -> SettingSource {
        guard case .file(let path, _) = table.source, let line = entry?.line else { return table.source }
        return .file(path, line: line)
    }

    func fullName(_ keys: [String]) -> String { dotted(table.path + keys) }
}
