/// Why the settings cannot be used. Everything that `Settings.load` throws is one of these.
public enum SettingsError: Error, Hashable, Sendable {
    /// The file that `--config` or `ISTEP_CONFIG` names is not there.
    case missing(path: String, namedBy: SettingSource)
    /// A configuration file that is there cannot be read.
    case unreadable(path: String, reason: String)
    /// A configuration file of more bytes than anybody writes.
    case tooLarge(path: String, limit: Int)
    /// A line is not UTF-8.
    case notText(path: String, line: Int)
    /// A line contains a NUL, which ends a text for half of all programs.
    case containsNUL(path: String, line: Int)
    /// A line is not TOML.
    case syntax(path: String, line: Int, column: Int, reason: String)
    /// A key lies deeper within tables than any that istep knows.
    case tooDeep(path: String, line: Int, limit: Int)
    /// A key that istep does not know, and the known one that looks most like it.
    case unknownKey(String, path: String, line: Int?, nearest: String?)
    /// The value of a key is of another type: what it should be, and what it is.
    case wrongType(key: String, source: SettingSource, expected: String, found: String)
    /// The value of a key is not one that it can have.
    case badValue(String, key: String, source: SettingSource, expected: String)
    /// A key of a table that whoever reads the table does not know, and those that it does.
    case unknownEntry(String, table: String, source: SettingSource, nearest: String?, known: [String])
    /// A table without a key that it has to have; the source is that of the table.
    case missingEntry(String, table: String, source: SettingSource, expected: String)
    /// A table within another has a name that it cannot have.
    case badName(String, table: String, source: SettingSource)
    /// The value of a key is not one that it can have, and may be a secret: it is not told.
    case badPrivateValue(key: String, source: SettingSource, expected: String)
    /// A token or password stands in a configuration file itself; `key` would be that of a file with it.
    case openSecret(key: String, source: SettingSource, fileKey: String)
    /// Two or more keys of a table of which only one can be.
    case conflict([String], table: String, source: SettingSource)
    /// There may be more wrong with a file than is told.
    case andMore(path: String)
    /// There is no home directory and nothing says where the history is.
    case noHome

    /// The line of the file that is wrong, where there is one.
    var line: Int? {
        switch self {
        case .notText(_, let line), .containsNUL(_, let line), .syntax(_, let line, _, _), .tooDeep(_, let line, _): line
        case .unknownKey(_, _, let line, _): line
        case .wrongType(_, .file(_, let line), _, _), .badValue(_, _, .file(_, let line), _),
            .unknownEntry(_, _, .file(_, let line), _, _), .missingEntry(_, _, .file(_, let line), _),
            .badName(_, _, .file(_, let line)), .badPrivateValue(_, .file(_, let line), _),
            .openSecret(_, .file(_, let line), _), .conflict(_, _, .file(_, let line)):
            line
        default: nil
        }
    }

    /// The exit code of sysexits.h that a command should end with: 64 (usage) where a flag is wrong, else 78 (configuration).
    public var exitCode: Int32 {
        switch self {
        case .badValue(_, _, .flag, _), .missing(_, .flag): 64
        default: 78
        }
    }
}
