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
    /// `a…` of `element`, the signature of the elements; received arrays of bytes are `bytes`, those of dictionary entries are `dictionary`.
    case array(element: String, [DBusValue])
    /// `a{…}` with the signatures of key (a basic type) and value. Of a key that a peer sends twice, the last counts.
    indirect case dictionary(key: String, value: String, [DBusValue: DBusValue])
    /// `(…)`; at least one member.
    case structure([DBusValue])
    /// `v`
    indirect case variant(DBusValue)
}

extension DBusValue {
    /// `a{sv}`, the usual form of options and properties.
    /// - Parameter properties: the values by name, as they are: each is wrapped in a variant here, unless it is one already.
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
