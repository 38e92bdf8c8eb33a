public import StepDomain
import Support

/// Why the settings cannot be used. Everything that `Settings.load` throws is one of these.
public enum SettingsError: Error, Hashable, Sendable {
    /// The file that `--config` or `ISTEP_CONFIG` names does not exist.
    case missing(path: String, namedBy: SettingSource)
    /// A configuration file exists but cannot be read.
    case unreadable(path: String, reason: String)
    /// A configuration file is larger than any useful one.
    case tooLarge(path: String, limit: Int)
    /// A line is not UTF-8.
    case notText(path: String, line: Int)
    /// A line contains a NUL, which ends a text for many programs.
    case containsNUL(path: String, line: Int)
    /// A line is not TOML.
    case syntax(path: String, line: Int, column: Int, reason: String)
    /// A key is nested in tables more deeply than any key that istep knows.
    case tooDeep(path: String, line: Int, limit: Int)
    /// A key that istep does not know, and the most similar known key.
    case unknownKey(String, path: String, line: Int?, nearest: String?)
    /// The value of a key is of another type: what it should be, and what it is.
    case wrongType(key: String, source: SettingSource, expected: String, found: String)
    /// The value of a key is not permitted.
    case badValue(String, key: String, source: SettingSource, expected: String)
    /// A key of a table that the reader of the table does not know, and the keys that it knows.
    case unknownEntry(String, table: String, source: SettingSource, nearest: String?, known: [String])
    /// A table lacks a required key; the source is that of the table.
    case missingEntry(String, table: String, source: SettingSource, expected: String)
    /// A table within another has a name that is not permitted.
    case badName(String, table: String, source: SettingSource)
    /// The value of a key is not permitted, and may be a secret: it is not shown.
    case badPrivateValue(key: String, source: SettingSource, expected: String)
    /// A token or password is in a configuration file itself; `fileKey` is the key that names a file with the secret
    /// instead.
    case openSecret(key: String, source: SettingSource, fileKey: String)
    /// Two or more keys of a table that exclude each other.
    case conflict([String], table: String, source: SettingSource)
    /// The file may have more problems than are reported.
    case andMore(path: String)
    /// There is no home directory and no setting names the history.
    case noHome

    /// The configuration file with the problem; nil if the problem is in the environment, a flag or no specific place.
    public var file: String? {
        switch self {
        case .unreadable(let path, _), .tooLarge(let path, _), .notText(let path, _), .containsNUL(let path, _),
            .syntax(let path, _, _, _), .tooDeep(let path, _, _), .unknownKey(_, let path, _, _), .andMore(let path),
            .wrongType(_, .file(let path, _), _, _), .badValue(_, _, .file(let path, _), _),
            .unknownEntry(_, _, .file(let path, _), _, _), .missingEntry(_, _, .file(let path, _), _),
            .badName(_, _, .file(let path, _)), .badPrivateValue(_, .file(let path, _), _),
            .openSecret(_, .file(let path, _), _), .conflict(_, _, .file(let path, _)):
            path
        default: nil
        }
    }

    /// The line of the file with the problem, if there is one.
    public var line: Int? {
        switch self {
        case .notText(_, let line), .containsNUL(_, let line), .syntax(_, let line, _, _), .tooDeep(_, let line, _):
            line
        case .unknownKey(_, _, let line, _): line
        case .wrongType(_, .file(_, let line), _, _), .badValue(_, _, .file(_, let line), _),
            .unknownEntry(_, _, .file(_, let line), _, _), .missingEntry(_, _, .file(_, let line), _),
            .badName(_, _, .file(_, let line)), .badPrivateValue(_, .file(_, let line), _),
            .openSecret(_, .file(_, let line), _), .conflict(_, _, .file(_, let line)):
            line
        default: nil
        }
    }

}

extension SettingsError: ReportableError {
    /// A wrong flag is a usage error.
    public var category: FailureCategory {
        switch self {
        case .badValue(_, _, .flag, _), .missing(_, .flag): .usage
        default: .configuration
        }
    }

    /// What to do about a text that is not TOML.
    private static func hint(_ reason: String) -> String {
        if reason.contains("could not determine value type") { return "text stands in quotation marks" }
        if reason.contains("cannot redefine existing table") {
            return "a table can stand there once: choose another name"
        }
        return "a setting looks like `timeout = 30`"
    }

    /// The problem, its place, and what to do. Text from a file is quoted, control characters escaped.
    public var description: String {
        switch self {
        case .missing(let path, let source):
            "the configuration file \(quoted(path)) named by \(source) does not exist"
        case .unreadable(let path, let reason):
            "cannot read the configuration file \(quoted(path)): \(reason)"
        case .tooLarge(let path, let limit):
            "the configuration file \(quoted(path)) is larger than \(limit / 1024) KiB, the limit for a configuration file"
        case .notText(let path, let line):
            "\(quoted(path)), line \(line): not UTF-8 text; save the file as UTF-8"
        case .containsNUL(let path, let line):
            "\(quoted(path)), line \(line): a NUL character, which is not allowed; remove it, or save the file as UTF-8"
        case .syntax(let path, let line, let column, let reason):
            "\(quoted(path)), line \(line), column \(column): not TOML: \(reason); \(Self.hint(reason))"
        case .tooDeep(let path, let line, let limit):
            "\(quoted(path)), line \(line): tables are nested more than \(limit) levels deep; istep has no such keys"
        case .unknownKey(let key, let path, let line, let nearest?):
            "\(SettingSource.file(path, line: line)): unknown key \(quoted(key)); did you mean `\(nearest)`?"
        case .unknownKey(let key, let path, let line, nil):
            "\(SettingSource.file(path, line: line)): unknown key \(quoted(key)); known keys: "
                + SettingKey.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
        case .wrongType(let key, let source, let expected, let found):
            "\(source): `\(key)` has to be \(expected), not \(found)"
        case .badValue(let value, let key, let source, let expected):
            "\(source): `\(key)` is \(quoted(value)); it has to be \(expected)"
        case .unknownEntry(let key, let table, let source, let nearest?, _):
            "\(source): unknown key \(quoted(key)) in \(table); did you mean `\(nearest)`?"
        case .unknownEntry(let key, let table, let source, nil, let known):
            "\(source): unknown key \(quoted(key)) in \(table)"
                + (known.isEmpty ? "" : "; known keys: " + known.map { "`\($0)`" }.joined(separator: ", "))
        case .missingEntry(let key, let table, let source, let expected):
            "\(source): \(table) lacks `\(key)`, which has to be \(expected)"
        case .badName(let name, let table, let source):
            "\(source): \(quoted(name)) cannot be a name in [\(table).NAME]; it has to be \(SettingsTable.expectedName)"
        case .badPrivateValue(let key, let source, let expected):
            "\(source): `\(key)` has to be \(expected)"
        case .openSecret(let key, let source, let fileKey):
            "\(source): `\(key)` must not be in the configuration file; put it into a file of its own with mode 0600, "
                + "and name that file by `\(fileKey)`"
        case .conflict(let keys, let table, let source):
            "\(source): \(table) has \(inWords(keys)); use only one of them"
        case .andMore(let path):
            "\(quoted(path)): there may be more errors; fix these first"
        case .noHome:
            "there is no home directory for the history; set HOME or XDG_DATA_HOME, or name a file with --db"
        }
    }
}

/// Keys, as in "`a`, `b` and `c`".
func inWords(_ keys: [String], _ and: String = "and") -> String {
    let keys = keys.map { "`\($0)`" }
    guard let last = keys.last, keys.count > 1 else { return keys.joined() }
    return keys.dropLast().joined(separator: ", ") + " \(and) " + last
}

/// All problems of a part of the configuration, in order of lines.
public struct SettingsProblems: Error, Hashable, Sendable {
    /// At least one.
    public let errors: [SettingsError]

    /// Nil if there are no errors.
    public init?(_ errors: [SettingsError]) {
        if errors.isEmpty { return nil }
        self.errors = errors
    }
}

extension SettingsProblems: ReportableError {
    /// The category of the first error.
    public var category: FailureCategory { errors.first?.category ?? .configuration }

    /// One line for each error.
    public var description: String { errors.map(\.description).joined(separator: "\n") }
}

extension MutableCollection where Element == SettingsError, Self: RandomAccessCollection {
    /// For one file: errors without a line are last, and errors with the same line keep their order.
    mutating func sortByLine() {
        let sorted = enumerated().sorted {
            ($0.element.line ?? .max, $0.offset) < ($1.element.line ?? .max, $1.offset)
        }
        for (index, problem) in zip(indices, sorted) { self[index] = problem.element }
    }
}

/// The known key that a wrong one most likely stands for, or nil if none is similar.
public func nearestKey(to key: String, among known: [String]) -> String? {
    // A very long key is not a typing error.
    guard key.utf8.count <= 64 else { return nil }
    let key = key.lowercased()
    var best: (key: String, distance: Int)?
    for candidate in known {
        let limit = max(1, candidate.count / 2)
        // Keys whose lengths differ by more than the limit need no comparison.
        guard abs(candidate.count - key.count) <= limit else { continue }
        let distance = editDistance(key, candidate.lowercased())
        if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.key
}

/// The number of insertions, deletions, replacements and swaps of neighbours between two texts (optimal string
/// alignment).
func editDistance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a), Array(b))
    var rows = [Array(0...b.count)]
    for i in a.indices {
        var row = [i + 1]
        for j in b.indices {
            var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, rows[i - 1][j - 1] + 1) }
            row.append(best)
        }
        rows.append(row)
    }
    return rows[a.count][b.count]
}
