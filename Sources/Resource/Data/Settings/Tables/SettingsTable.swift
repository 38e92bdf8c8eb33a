import Quoting

/// A table of a configuration file, such as `[share.garden]`: uninterpreted, with the place of everything in it.
///
/// What its keys mean is the business of whoever reads it, with a `TableReader`.
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

    /// The value of a key that is a text, without any check; for lists that are to show even what is wrong.
    public func text(_ key: String) -> String? {
        if case .text(let text) = entries[key]?.value { text } else { nil }
    }

    /// The header as one would write it.
    var header: String { "[" + dotted(path) + "]" }
}

extension SettingsTable: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Which it is and where. Values are left out wherever it is printed: somebody may have written a secret there.
    public var description: String { "\(header) in \(source)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["path": path, "source": source]) }
}

/// Keys as TOML writes them (1.0.0, "Keys"), so that nothing reaches a terminal that it would obey.
func dotted(_ path: [String]) -> String {
    path.map { isBare($0) ? $0 : quoted($0) }.joined(separator: ".")
}

func isBare(_ key: String) -> Bool {
    !key.isEmpty && key.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
