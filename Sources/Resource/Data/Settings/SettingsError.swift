public import StepDomain

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
