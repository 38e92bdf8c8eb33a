// Each accessor is nil for a value of another type, and looks through variants.
extension DBusValue {
    /// The value inside of all variants around it.
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
