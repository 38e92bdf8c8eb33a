internal import Support

/// The path of an object on a bus, such as `/org/bluez/hci0`; always valid.
///
/// A path starts with `/`; its elements consist of ASCII letters, digits and `_`, are not empty, and it does not end
/// with `/` unless it is the root (D-Bus specification, "Valid Object Paths").
public struct ObjectPath: Sendable, Hashable {
    /// The path as text.
    public let string: String

    /// The path in `string`, or nil if that is not a valid object path. (Written out in source code, as in
    /// `ObjectPath("/a")`, an invalid one traps instead: Swift then takes `init(stringLiteral:)`.)
    public init?(_ string: String) {
        guard Self.isValid(string) else { return nil }
        self.string = string
    }

    /// For text that libdbus has checked already, and for paths built from valid ones.
    init(unchecked string: String) {
        self.string = string
    }

    /// The path `/`.
    public static let root = ObjectPath(unchecked: "/")

    /// The path of a child.
    /// - Parameter element: one path element: ASCII letters, digits and `_`, not empty. Anything else is a programming
    ///   error and traps; names that come from outside are escaped first.
    public func appending(_ element: String) -> ObjectPath {
        precondition(Self.isElement(element.utf8), "'\(element)' is no element of a D-Bus object path")
        return ObjectPath(unchecked: self == .root ? "/" + element : string + "/" + element)
    }

    /// The path above this one, or nil for `/`.
    public var parent: ObjectPath? {
        guard self != .root, let slash = string.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return slash == string.startIndex ? .root : ObjectPath(unchecked: String(string[..<slash]))
    }

    /// The last element; empty for `/`.
    public var lastElement: String {
        guard let slash = string.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return String(string[string.utf8.index(after: slash)...])
    }

    /// Whether this is `ancestor` or lies below it, by whole elements: `/ab` is not inside `/a`.
    public func isInside(_ ancestor: ObjectPath) -> Bool {
        if ancestor == .root { return true }
        let path = string.utf8
        let above = ancestor.string.utf8
        guard path.starts(with: above) else { return false }
        return path.count == above.count
            || path[path.index(path.startIndex, offsetBy: above.count)] == UInt8(ascii: "/")
    }

    private static func isValid(_ string: String) -> Bool {
        let bytes = string.utf8
        guard bytes.first == UInt8(ascii: "/") else { return false }
        if bytes.count == 1 { return true }
        return bytes.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy(
            isElement)
    }

    private static func isElement(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "_") }
    }
}

extension ObjectPath: ExpressibleByStringLiteral {
    /// A path written in source code; an invalid one traps.
    public init(stringLiteral value: String) {
        precondition(Self.isValid(value), "'\(value)' is no D-Bus object path")
        self.string = value
    }
}

extension ObjectPath: CustomStringConvertible {
    /// The path as text.
    public var description: String { string }
}

extension ObjectPath: Comparable {
    /// In the order of the texts, so that an object comes before those below it.
    public static func < (a: ObjectPath, b: ObjectPath) -> Bool { a.string < b.string }
}

extension ObjectPath: Codable {
    /// Reads a path from a single string, and throws `DecodingError.dataCorrupted` if it is not an object path.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let path = ObjectPath(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is no D-Bus object path")
        }
        self = path
    }

    /// Writes a single string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(string)
    }
}
