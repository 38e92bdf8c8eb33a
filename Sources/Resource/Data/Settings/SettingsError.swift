import Foundation
import Quoting

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
        case .notText(_, let line), .containsNUL(_, let line), .syntax(_, let line, _, _): line
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

extension SettingsError: CustomStringConvertible {
    /// What is wrong, where, and what to do. What comes from a file is quoted, control characters escaped.
    public var description: String {
        switch self {
        case .missing(let path, let source):
            "the configuration file \(quoted(path)) named by \(source) does not exist"
        case .unreadable(let path, let reason):
            "cannot read the configuration file \(quoted(path)): \(reason)"
        case .tooLarge(let path, let limit):
            "the configuration file \(quoted(path)) has more than \(limit / 1024) KiB; that is hardly one of istep"
        case .notText(let path, let line):
            "\(quoted(path)), line \(line): not UTF-8 text; save the file as UTF-8"
        case .containsNUL(let path, let line):
            "\(quoted(path)), line \(line): a NUL byte, which no text has; write the line anew, or save the file as UTF-8"
        case .syntax(let path, let line, let column, let reason):
            "\(quoted(path)), line \(line), column \(column): not TOML: \(reason); a setting looks like `timeout = 30`"
        case .unknownKey(let key, let path, let line, let nearest?):
            "\(SettingSource.file(path, line: line)): unknown key \(quoted(key)); did you mean `\(nearest)`?"
        case .unknownKey(let key, let path, let line, nil):
            "\(SettingSource.file(path, line: line)): unknown key \(quoted(key)); known are "
                + SettingKey.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
        case .wrongType(let key, let source, let expected, let found):
            "\(source): `\(key)` has to be \(expected), not \(found)"
        case .badValue(let value, let key, let source, let expected):
            "\(source): `\(key)` cannot be \(quoted(value)); it has to be \(expected)"
        case .unknownEntry(let key, let table, let source, let nearest?, _):
            "\(source): unknown key \(quoted(key)) in \(table); did you mean `\(nearest)`?"
        case .unknownEntry(let key, let table, let source, nil, let known):
            "\(source): unknown key \(quoted(key)) in \(table); known are " + known.map { "`\($0)`" }.joined(separator: ", ")
        case .missingEntry(let key, let table, let source, let expected):
            "\(source): \(table) lacks `\(key)`; it has to be \(expected)"
        case .badName(let name, let table, let source):
            "\(source): \(quoted(name)) cannot be a name in [\(table).NAME]; it has to be \(SettingsTable.expectedName)"
        case .badPrivateValue(let key, let source, let expected):
            "\(source): `\(key)` has to be \(expected)"
        case .openSecret(let key, let source, let fileKey):
            "\(source): `\(key)` cannot stand in the file itself; put it into a file of its own, for you alone "
                + "(`chmod 600`), and name that by `\(fileKey)`"
        case .conflict(let keys, let table, let source):
            "\(source): \(table) has \(inWords(keys)); only one of them can be"
        case .andMore(let path):
            "\(quoted(path)): there may be more; mend these first"
        case .noHome:
            "there is no home directory to keep the history in; set HOME or XDG_DATA_HOME, or name a file with --db"
        }
    }
}

/// Keys, as in "`a`, `b` and `c`".
func inWords(_ keys: [String], _ and: String = "and") -> String {
    let keys = keys.map { "`\($0)`" }
    guard let last = keys.last, keys.count > 1 else { return keys.joined() }
    return keys.dropLast().joined(separator: ", ") + " \(and) " + last
}
