internal import CDBus

/// Whether the entry with the first key is written before that with the second one, in the dictionaries of a message.
/// In D-Bus their order has no meaning; a program that emulates another one may keep the other's order.
package typealias KeyOrder = @Sendable (DBusValue, DBusValue) -> Bool

/// Appends values that passed `BodyCheck` to a message.
struct BodyWriter {
    /// The order in which the entries of dictionaries are written; nil: those with text keys in the order of their
    /// keys.
    let order: KeyOrder?

    /// - Throws: `DBusError.invalidMessage` if memory ran out or a file descriptor was taken away since the check.
    func append(_ values: [DBusValue], to message: OpaquePointer) throws(DBusError) {
        var iterator = DBusMessageIter()
        dbus_message_iter_init_append(message, &iterator)
        for value in values { try append(value, to: &iterator) }
    }

    private func append(_ value: DBusValue, to iterator: inout DBusMessageIter) throws(DBusError) {
        switch value {
        case .byte(let number): try append(number, TypeCode.byte, to: &iterator)
        case .boolean(let flag): try append(dbus_bool_t(flag ? 1 : 0), TypeCode.boolean, to: &iterator)
        case .int16(let number): try append(number, TypeCode.int16, to: &iterator)
        case .uint16(let number): try append(number, TypeCode.uint16, to: &iterator)
        case .int32(let number): try append(number, TypeCode.int32, to: &iterator)
        case .uint32(let number): try append(number, TypeCode.uint32, to: &iterator)
        case .int64(let number): try append(number, TypeCode.int64, to: &iterator)
        case .uint64(let number): try append(number, TypeCode.uint64, to: &iterator)
        case .double(let number): try append(number, TypeCode.double, to: &iterator)
        case .string(let text): try append(text, TypeCode.string, to: &iterator)
        case .objectPath(let path): try append(path.string, TypeCode.objectPath, to: &iterator)
        case .signature(let text): try append(text, TypeCode.signature, to: &iterator)
        case .fileDescriptor(let descriptor):
            // libdbus sends a duplicate, so the value keeps its own.
            let done = descriptor.withDescriptor { number in
                var number = number
                return dbus_message_iter_append_basic(&iterator, TypeCode.fileDescriptor, &number)
            }
            guard done == 1 else { throw .invalidMessage("a file descriptor cannot be duplicated") }
        case .bytes(let bytes):
            try container(TypeCode.array, "y", &iterator) { (inner) throws(DBusError) in
                let done = bytes.withUnsafeBufferPointer { buffer in
                    // libdbus expects the address of a pointer, which may not be null even for zero bytes.
                    guard var start = buffer.baseAddress, !buffer.isEmpty else { return dbus_bool_t(1) }
                    return dbus_message_iter_append_fixed_array(&inner, TypeCode.byte, &start, Int32(buffer.count))
                }
                try check(done)
            }
        case .array(let element, let values):
            try container(TypeCode.array, element, &iterator) { (inner) throws(DBusError) in
                for value in values { try append(value, to: &inner) }
            }
        case .dictionary(let key, let valueType, let entries):
            try container(TypeCode.array, "{" + key + valueType + "}", &iterator) { (inner) throws(DBusError) in
                for (entryKey, entryValue) in ordered(entries) {
                    try container(TypeCode.dictionaryEntry, nil, &inner) { (entry) throws(DBusError) in
                        try append(entryKey, to: &entry)
                        try append(entryValue, to: &entry)
                    }
                }
            }
        case .structure(let members):
            try container(TypeCode.structure, nil, &iterator) { (inner) throws(DBusError) in
                for member in members { try append(member, to: &inner) }
            }
        case .variant(let content):
            try container(TypeCode.variant, content.signature, &iterator) { (inner) throws(DBusError) in
                try append(content, to: &inner)
            }
        }
    }

    /// Entries with text keys are written in the order of their keys, so that equal messages are equal bytes. Clients
    /// also depend on the order: bluetoothctl 5.66 crashes when an adapter's other interfaces come before
    /// `org.bluez.Adapter1`.
    private func ordered(_ entries: [DBusValue: DBusValue]) -> [(key: DBusValue, value: DBusValue)] {
        if let order { return entries.sorted { order($0.key, $1.key) } }
        return entries.sorted { ($0.key.stringValue ?? "") < ($1.key.stringValue ?? "") }
    }

    private func append<Number: BitwiseCopyable>(
        _ number: Number, _ type: Int32, to iterator: inout DBusMessageIter
    ) throws(DBusError) {
        var number = number
        try check(dbus_message_iter_append_basic(&iterator, type, &number))
    }

    private func append(_ text: String, _ type: Int32, to iterator: inout DBusMessageIter) throws(DBusError) {
        try check(
            text.withCString { characters in
                var characters = characters
                return dbus_message_iter_append_basic(&iterator, type, &characters)
            })
    }

    private func container(
        _ type: Int32, _ contents: String?, _ iterator: inout DBusMessageIter,
        _ body: (inout DBusMessageIter) throws(DBusError) -> Void
    ) throws(DBusError) {
        var inner = DBusMessageIter()
        try check(dbus_message_iter_open_container(&iterator, type, contents, &inner))
        do {
            try body(&inner)
        } catch {
            dbus_message_iter_abandon_container(&iterator, &inner)
            throw error
        }
        try check(dbus_message_iter_close_container(&iterator, &inner))
    }

    private func check(_ done: dbus_bool_t) throws(DBusError) {
        guard done != 0 else { throw .invalidMessage("out of memory") }
    }
}
