internal import CDBus

/// Decodes the body of a message that libdbus received, and so has validated: types, sizes, UTF-8, and nesting of at
/// most 64.
struct BodyReader {
    /// A message may be small and still hold tens of millions of values, each of which takes far more memory here than
    /// in the message. 500 Bluetooth devices with all their properties are some 20,000 values.
    static let maximumValues = 1_000_000

    struct TooManyValues: Error {}

    private var count = 0

    static func read(_ message: OpaquePointer) throws(TooManyValues) -> [DBusValue] {
        var iterator = DBusMessageIter()
        guard dbus_message_iter_init(message, &iterator) != 0 else { return [] }
        var reader = BodyReader()
        return try reader.sequence(&iterator)
    }

    private mutating func sequence(_ iterator: inout DBusMessageIter) throws(TooManyValues) -> [DBusValue] {
        var values: [DBusValue] = []
        var type = dbus_message_iter_get_arg_type(&iterator)
        while type != TypeCode.invalid {
            values.append(try value(of: type, &iterator))
            dbus_message_iter_next(&iterator)
            type = dbus_message_iter_get_arg_type(&iterator)
        }
        return values
    }

    private mutating func value(of type: Int32, _ iterator: inout DBusMessageIter) throws(TooManyValues) -> DBusValue {
        count += 1
        guard count <= Self.maximumValues else { throw TooManyValues() }
        switch type {
        case TypeCode.byte: return .byte(basic(&iterator, 0))
        case TypeCode.boolean: return .boolean(basic(&iterator, dbus_bool_t(0)) != 0)
        case TypeCode.int16: return .int16(basic(&iterator, 0))
        case TypeCode.uint16: return .uint16(basic(&iterator, 0))
        case TypeCode.int32: return .int32(basic(&iterator, 0))
        case TypeCode.uint32: return .uint32(basic(&iterator, 0))
        case TypeCode.int64: return .int64(basic(&iterator, 0))
        case TypeCode.uint64: return .uint64(basic(&iterator, 0))
        case TypeCode.double: return .double(basic(&iterator, 0))
        case TypeCode.string: return .string(text(&iterator))
        case TypeCode.objectPath: return .objectPath(ObjectPath(unchecked: text(&iterator)))
        case TypeCode.signature: return .signature(text(&iterator))
        case TypeCode.fileDescriptor:
            // libdbus returns a duplicate that this process owns, or -1 if that failed; -1 is treated as a descriptor
            // that was already taken.
            return .fileDescriptor(DBusFileDescriptor(received: basic(&iterator, Int32(-1))))
        case TypeCode.array: return try array(&iterator)
        case TypeCode.structure:
            var inner = DBusMessageIter()
            dbus_message_iter_recurse(&iterator, &inner)
            return .structure(try sequence(&inner))
        default:
            // A variant; received messages hold no other types, because libdbus drops the connection over them.
            var inner = DBusMessageIter()
            dbus_message_iter_recurse(&iterator, &inner)
            return .variant(try value(of: dbus_message_iter_get_arg_type(&inner), &inner))
        }
    }

    private mutating func array(_ iterator: inout DBusMessageIter) throws(TooManyValues) -> DBusValue {
        let elementType = dbus_message_iter_get_element_type(&iterator)
        if elementType == TypeCode.dictionaryEntry { return try dictionary(&iterator) }
        let signature = TypeCode.signature(of: elementType) ?? String(Self.signature(&iterator).dropFirst())
        var inner = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &inner)
        if elementType == TypeCode.byte {
            var start: UnsafePointer<UInt8>?
            var length: Int32 = 0
            dbus_message_iter_get_fixed_array(&inner, &start, &length)
            return .bytes(Array(UnsafeBufferPointer(start: start, count: Int(length))))
        }
        return .array(element: signature, try sequence(&inner))
    }

    private mutating func dictionary(_ iterator: inout DBusMessageIter) throws(TooManyValues) -> DBusValue {
        // "a{" key "…}"
        let signature = Self.signature(&iterator)
        let entry = signature.dropFirst(2).dropLast()
        var inner = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &inner)
        var entries: [DBusValue: DBusValue] = [:]
        while dbus_message_iter_get_arg_type(&inner) != TypeCode.invalid {
            var member = DBusMessageIter()
            dbus_message_iter_recurse(&inner, &member)
            let key = try value(of: dbus_message_iter_get_arg_type(&member), &member)
            dbus_message_iter_next(&member)
            entries[key] = try value(of: dbus_message_iter_get_arg_type(&member), &member)
            dbus_message_iter_next(&inner)
        }
        return .dictionary(key: String(entry.prefix(1)), value: String(entry.dropFirst()), entries)
    }

    private func basic<Number: BitwiseCopyable>(_ iterator: inout DBusMessageIter, _ initial: Number) -> Number {
        var number = initial
        dbus_message_iter_get_basic(&iterator, &number)
        return number
    }

    private func text(_ iterator: inout DBusMessageIter) -> String {
        var characters: UnsafePointer<CChar>?
        dbus_message_iter_get_basic(&iterator, &characters)
        return characters.map { String(cString: $0) } ?? ""
    }

    private static func signature(_ iterator: inout DBusMessageIter) -> String {
        guard let characters = dbus_message_iter_get_signature(&iterator) else { return "" }
        defer { dbus_free(characters) }
        return String(cString: characters)
    }
}

/// The type codes of D-Bus as libdbus uses them (its own are macros with a cast, which Swift does not import).
enum TypeCode {
    static let invalid: Int32 = 0
    static let byte = code("y")
    static let boolean = code("b")
    static let int16 = code("n")
    static let uint16 = code("q")
    static let int32 = code("i")
    static let uint32 = code("u")
    static let int64 = code("x")
    static let uint64 = code("t")
    static let double = code("d")
    static let string = code("s")
    static let objectPath = code("o")
    static let signature = code("g")
    static let fileDescriptor = code("h")
    static let array = code("a")
    static let variant = code("v")
    /// In iterators a structure is `r` and a dictionary entry `e`; in signatures they are brackets.
    static let structure = code("r")
    static let dictionaryEntry = code("e")

    /// The signature of a type that is one letter long; nil for containers other than variants.
    static func signature(of type: Int32) -> String? {
        switch type {
        case array, structure, dictionaryEntry, invalid: nil
        default: String(UnicodeScalar(UInt8(truncatingIfNeeded: type)))
        }
    }

    private static func code(_ letter: Unicode.Scalar) -> Int32 { Int32(letter.value) }
}
