internal import Quoting

/// A name within a namespace (Namespaces in XML 1.0, section 2.1).
public struct XMLName: Hashable, Sendable {
    /// The namespace's URI; nil for names in none.
    public var namespace: String?
    /// The name without a prefix.
    public var local: String

    public init(_ local: String, in namespace: String? = nil) {
        self.namespace = namespace
        self.local = local
    }

    /// Whether a text can be the name of an element without a prefix: an NCName of ASCII (Namespaces in XML 1.0, section 3). XML has more
    /// letters, which the names of services' operations do not use.
    public static func isPlain(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= 128, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || "-.".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || byte == UInt8(ascii: "_")
    }
}

extension XMLName: CustomStringConvertible {
    /// Without the namespace; in quotes, as names come from servers.
    public var description: String { quoted(String(local.prefix(80))) }
}
