import Support

/// A table of a configuration file, such as `[share.garden]`: uninterpreted, with the place of each value in it.
///
/// The code that reads the table interprets its keys, with a `TableReader`.
public struct SettingsTable: Hashable, Sendable {
    /// The keys that lead to it, such as `["share", "garden"]`.
    public let path: [String]
    /// The file, and the line of the table's header, or else of the first key in it.
    public let source: SettingSource

    let entries: [String: SettingEntry]

    /// The last key of its path, such as `garden`.
    public var name: String { path.last ?? "" }

    /// The keys in it, from the first line to the last.
    public var keys: [String] { entries.byLine.map(\.key) }

    /// The value of a key that is a text, without any check; for lists that also show invalid values.
    public func text(_ key: String) -> String? {
        if case .text(let text) = entries[key]?.value { text } else { nil }
    }

    /// The header in TOML notation.
    var header: String { "[" + dotted(path) + "]" }
}

extension SettingsTable: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The header and the place. Values are never included in a printed table: one of them may be a secret.
    public var description: String { "\(header) in \(source)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["path": path, "source": source]) }
}

/// Keys as TOML writes them (1.0.0, "Keys"), so that no character reaches a terminal that would interpret it.
func dotted(_ path: [String]) -> String {
    path.map { isBare($0) ? $0 : quoted($0) }.joined(separator: ".")
}

/// Whether TOML permits the key without quotes.
private func isBare(_ key: String) -> Bool { !key.isEmpty && key.utf8.allSatisfy(isBareKeyByte) }

/// Whether TOML permits the byte in a key without quotes.
func isBareKeyByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
    default: byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}

extension SettingsTable {
    static let expectedDestination = "a table, [share.NAME], with the keys of one destination"

    static let expectedImport = "a table, [import.NAME], with the path of a file or folder"

    /// The requirements for the name of a destination, as text for the user.
    static let expectedName = "1 to 32 characters of a-z, A-Z, 0-9, - and _"

    /// Whether a destination can have this name: one that needs no quotes in TOML, in a shell and in a file name.
    static func isName(_ name: String) -> Bool { isBare(name) && name.utf8.count <= 32 }

    /// The destinations of a TOML document, by name, for tests: they have no file.
    ///
    /// - Parameter path: the path of the file that errors name.
    package static func destinations(in text: String, path: String) throws(SettingsProblems) -> [SettingsTable] {
        var reader = SettingsReader(home: nil)
        var problems: [SettingsError] = []
        do {
            reader.read(try ConfigFile(text: text, path: path))
            problems = reader.problems
        } catch {
            problems = [error]
        }
        if let problems = SettingsProblems(problems) { throw problems }
        return reader.destinations.values.sorted { $0.name < $1.name }
    }
}
