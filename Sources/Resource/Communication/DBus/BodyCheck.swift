/// Checks that values can be sent, before libdbus gets them: matching types, nesting, sizes, texts, descriptors.
///
/// libdbus aborts the process on some of these mistakes, and the bus ends the connection on the others.
struct BodyCheck {
    /// Maximum nesting of containers in a message, including those inside variants, that libdbus and the bus accept.
    static let maximumDepth = 64
    /// Bytes of one array, without its length (D-Bus specification).
    static let maximumArrayLength = 1 << 26
    /// Bytes of a message's body: the specification's 128 MiB less room for the header. A bus may allow less, and then
    /// ends the connection.
    static let maximumBodyLength = (1 << 27) - (1 << 16)
    /// File descriptors of one message that a bus accepts by default.
    static let maximumDescriptors = 16

    /// The position of the next value in the encoded body.
    private var position = 0
    private var descriptors = 0

    /// - Returns: the number of file descriptors.
    /// - Throws: `DBusError.invalidMessage`.
    static func check(_ values: [DBusValue]) throws(DBusError) -> Int {
        var check = BodyCheck()
        var signature = ""
        for value in values {
            signature += value.signature
            try check.visit(value, depth: 0)
        }
        try Names.requireSignature(signature)
        return check.descriptors
    }

    private mutating func visit(_ value: DBusValue, depth: Int) throws(DBusError) {
        guard depth <= Self.maximumDepth else {
            throw .invalidMessage("values are nested more than \(Self.maximumDepth) deep")
        }
        switch value {
        case .byte: advance(1)
        case .int16, .uint16: advance(2)
        case .boolean, .int32, .uint32: advance(4)
        case .int64, .uint64, .double: advance(8)
        case .string(let text):
            try Names.requireNoNUL(text)
            advance(4, text.utf8.count + 1)
        case .objectPath(let path):
            advance(4, path.string.utf8.count + 1)
        case .signature(let signature):
            try Names.requireSignature(signature)
            advance(1, signature.utf8.count + 1)
        case .fileDescriptor(let descriptor):
            guard descriptor.isOpen else { throw .invalidMessage("a file descriptor was taken away") }
            descriptors += 1
            guard descriptors <= Self.maximumDescriptors else {
                throw .invalidMessage("more than \(Self.maximumDescriptors) file descriptors")
            }
            advance(4)
        case .bytes(let bytes):
            advance(4)
            try measureArray(alignment: 1) { (check) throws(DBusError) in check.position += bytes.count }
        case .array(let element, let values):
            try visitArray(of: element, values, depth: depth)
        case .dictionary(let key, let valueType, let entries):
            try visitDictionary(key, valueType, entries, depth: depth)
        case .structure(let members):
            guard !members.isEmpty else { throw .invalidMessage("a structure without members") }
            align(8)
            for member in members { try visit(member, depth: depth + 1) }
        case .variant(let inner):
            let signature = inner.signature
            if signature.utf8.count > 1 { try Names.requireSingleSignature(signature) }
            advance(1, signature.utf8.count + 1)
            try visit(inner, depth: depth + 1)
        }
        guard position <= Self.maximumBodyLength else { throw .invalidMessage("a message of more than 128 MiB") }
    }

    private mutating func visitArray(of element: String, _ values: [DBusValue], depth: Int) throws(DBusError) {
        // Also rejects `{sv}`: dictionary entries are no type of their own.
        try Names.requireSingleSignature(element)
        advance(4)
        try measureArray(alignment: Self.alignment(of: element)) { (check) throws(DBusError) in
            for value in values {
                guard value.signature == element else {
                    throw .invalidMessage("a value of type \(value.signature) in an array of type a\(element)")
                }
                try check.visit(value, depth: depth + 1)
            }
        }
    }

    private mutating func visitDictionary(
        _ key: String, _ valueType: String, _ entries: [DBusValue: DBusValue], depth: Int
    ) throws(DBusError) {
        try Names.requireSingleSignature(valueType)
        try Names.requireSingleSignature("a{" + key + valueType + "}")
        advance(4)
        try measureArray(alignment: 8) { (check) throws(DBusError) in
            for (entryKey, entryValue) in entries {
                guard entryKey.signature == key, entryValue.signature == valueType else {
                    throw .invalidMessage(
                        "an entry of type {\(entryKey.signature)\(entryValue.signature)} in a dictionary of type a{\(key)\(valueType)}"
                    )
                }
                check.align(8)
                try check.visit(entryKey, depth: depth + 2)
                try check.visit(entryValue, depth: depth + 2)
            }
        }
    }

    private mutating func measureArray(
        alignment: Int, _ elements: (inout BodyCheck) throws(DBusError) -> Void
    ) throws(DBusError) {
        align(alignment)
        let start = position
        try elements(&self)
        guard position - start <= Self.maximumArrayLength else { throw .invalidMessage("an array of more than 64 MiB") }
    }

    private mutating func advance(_ size: Int, _ content: Int = 0) {
        align(size)
        position += size + content
    }

    private mutating func align(_ size: Int) {
        position = (position + size - 1) & ~(size - 1)
    }

    private static func alignment(of type: String) -> Int {
        switch type.utf8.first {
        case UInt8(ascii: "y"), UInt8(ascii: "g"), UInt8(ascii: "v"): 1
        case UInt8(ascii: "n"), UInt8(ascii: "q"): 2
        case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "("): 8
        default: 4
        }
    }
}
