import Quoting

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
        case .tooDeep(let path, let line, let limit):
            "\(quoted(path)), line \(line): tables within tables, more than \(limit) deep; no key of istep lies so deep"
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
            "\(source): unknown key \(quoted(key)) in \(table)"
                + (known.isEmpty ? "" : "; known are " + known.map { "`\($0)`" }.joined(separator: ", "))
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
