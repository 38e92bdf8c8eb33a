import Support

extension SettingsError {
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
