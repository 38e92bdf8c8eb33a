/// A D-Bus value of any type.
public enum DBusValue: Sendable, Hashable {
    /// `y`
    case byte(UInt8)
    /// `b`
    case boolean(Bool)
    /// `n`
    case int16(Int16)
    /// `q`
    case uint16(UInt16)
    /// `i`
    case int32(Int32)
    /// `u`
    case uint32(UInt32)
    /// `x`
    case int64(Int64)
    /// `t`
    case uint64(UInt64)
    /// `d`
    case double(Double)
    /// `s`; a text with U+0000 cannot be sent.
    case string(String)
    /// `o`
    case objectPath(ObjectPath)
    /// `g`; sent only if it is a valid signature.
    case signature(String)
    /// `h`
    case fileDescriptor(DBusFileDescriptor)
    /// `ay`, as one block
    case bytes([UInt8])
    /// `a…` of `element`, the signature of the elements; received arrays of bytes are `bytes`, those of dictionary
    /// entries are `dictionary`.
    case array(element: String, [DBusValue])
    /// `a{…}` with the signatures of key (a basic type) and value. If a peer sends a key twice, the last one counts.
    indirect case dictionary(key: String, value: String, [DBusValue: DBusValue])
    /// `(…)`; at least one member.
    case structure([DBusValue])
    /// `v`
    indirect case variant(DBusValue)
}

extension DBusValue {
    /// `a{sv}`, the usual form of options and properties.
    /// - Parameter properties: the values by name, unwrapped: each is wrapped in a variant here, unless it is one
    ///   already.
    public static func properties(_ properties: [String: DBusValue]) -> DBusValue {
        var entries: [DBusValue: DBusValue] = [:]
        entries.reserveCapacity(properties.count)
        for (name, value) in properties {
            entries[.string(name)] = if case .variant = value { value } else { .variant(value) }
        }
        return .dictionary(key: "s", value: "v", entries)
    }

    /// `as`
    public static func strings(_ strings: [String]) -> DBusValue {
        .array(element: "s", strings.map { .string($0) })
    }

    /// `ao`
    public static func objectPaths(_ paths: [ObjectPath]) -> DBusValue {
        .array(element: "o", paths.map { .objectPath($0) })
    }
}

// Each accessor is nil for a value of another type, and looks through variants.
extension DBusValue {
    /// The value without all variants around it.
    public var unwrapped: DBusValue {
        var value = self
        while case .variant(let inner) = value { value = inner }
        return value
    }

    /// The text of a string, an object path or a signature.
    public var stringValue: String? {
        switch unwrapped {
        case .string(let text), .signature(let text): text
        case .objectPath(let path): path.string
        default: nil
        }
    }

    /// The value of a boolean.
    public var boolValue: Bool? {
        if case .boolean(let flag) = unwrapped { flag } else { nil }
    }

    /// The value of any integer type (a byte too), if it fits.
    public var intValue: Int? {
        switch unwrapped {
        case .byte(let number): Int(number)
        case .int16(let number): Int(number)
        case .uint16(let number): Int(number)
        case .int32(let number): Int(number)
        case .uint32(let number): Int(exactly: number)
        case .int64(let number): Int(exactly: number)
        case .uint64(let number): Int(exactly: number)
        default: nil
        }
    }

    /// The value of a double.
    public var doubleValue: Double? {
        if case .double(let number) = unwrapped { number } else { nil }
    }

    /// The value of an object path.
    public var pathValue: ObjectPath? {
        if case .objectPath(let path) = unwrapped { path } else { nil }
    }

    /// The value of an array of bytes.
    public var bytesValue: [UInt8]? {
        switch unwrapped {
        case .bytes(let bytes): bytes
        case .array("y", let elements): elements.compactMap { if case .byte(let byte) = $0 { byte } else { nil } }
        default: nil
        }
    }

    /// The elements of an array; those of `bytes` as `byte` values.
    public var arrayValue: [DBusValue]? {
        switch unwrapped {
        case .array(_, let elements): elements
        case .bytes(let bytes): bytes.map { .byte($0) }
        default: nil
        }
    }

    /// The members of a structure.
    public var structureValue: [DBusValue]? {
        if case .structure(let members) = unwrapped { members } else { nil }
    }

    /// The entries of a dictionary, the values as they came (variants are not unwrapped).
    public var dictionaryValue: [DBusValue: DBusValue]? {
        if case .dictionary(_, _, let entries) = unwrapped { entries } else { nil }
    }

    /// The entries of a dictionary with string keys, the values with variants unwrapped.
    public var propertiesValue: [String: DBusValue]? {
        guard case .dictionary("s", _, let entries) = unwrapped else { return nil }
        var properties: [String: DBusValue] = [:]
        properties.reserveCapacity(entries.count)
        for case (.string(let name), let value) in entries { properties[name] = value.unwrapped }
        return properties
    }

    /// The file descriptor, still owned by the value.
    public var fileDescriptorValue: DBusFileDescriptor? {
        if case .fileDescriptor(let descriptor) = unwrapped { descriptor } else { nil }
    }
}

extension DBusValue {
    /// The D-Bus type of this value, such as `a{sv}`.
    ///
    /// For a value that cannot be sent (an empty structure, an array with a wrong element type) it is no valid
    /// signature.
    public var signature: String {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .fileDescriptor: "h"
        case .bytes: "ay"
        case .array(let element, _): "a" + element
        case .dictionary(let key, let value, _): "a{" + key + value + "}"
        case .structure(let members): "(" + members.map(\.signature).joined() + ")"
        case .variant: "v"
        }
    }
}
