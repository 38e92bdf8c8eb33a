/// Encoding by hand, little-endian, for messages that no library would make.
enum Wire {
    static func number(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func string(_ text: String) -> [UInt8] {
        number(UInt32(text.utf8.count)) + Array(text.utf8) + [0]
    }

    static func signature(_ text: String) -> [UInt8] {
        [UInt8(text.utf8.count)] + Array(text.utf8) + [0]
    }

    static func padded(_ bytes: [UInt8], to alignment: Int) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: (alignment - bytes.count % alignment) % alignment)
    }
}

/// A message by the D-Bus specification ("Message Format"), except where the test deviates from it.
struct WireMessage {
    var type: UInt8
    var flags: UInt8 = 1
    var serial: UInt32 = 7
    var fields: [[UInt8]]
    var body: [UInt8] = []
    /// The body length in the header, if it differs from the real one.
    var claimedLength: UInt32?

    var bytes: [UInt8] {
        let array = fields.reduce([]) { Wire.padded($0, to: 8) + $1 }
        let header =
            [UInt8(ascii: "l"), type, flags, 1] + Wire.number(claimedLength ?? UInt32(body.count)) + Wire.number(serial)
        return Wire.padded(header + Wire.number(UInt32(array.count)) + array, to: 8) + body
    }

    static func reply(to serial: UInt32, signature: String = "", body: [UInt8] = []) -> WireMessage {
        WireMessage(type: 2, fields: [replySerial(serial), sender] + types(signature), body: body)
    }

    static func error(to serial: UInt32, _ name: String, _ text: String) -> WireMessage {
        WireMessage(
            type: 3, fields: [replySerial(serial), field(4, "s", Wire.string(name)), sender] + types("s"),
            body: Wire.string(text))
    }

    static func signal(
        path: String = "/a", interface: String = "a.B", member: String = "C", signature: String = "", body: [UInt8] = []
    )
        -> WireMessage
    {
        WireMessage(
            type: 4,
            fields: [
                field(1, "o", Wire.string(path)), field(2, "s", Wire.string(interface)),
                field(3, "s", Wire.string(member)), sender,
            ]
                + types(signature),
            body: body)
    }

    /// How many file descriptors come with the message.
    static func descriptors(_ count: UInt32) -> [UInt8] { field(9, "u", Wire.number(count)) }

    static func replySerial(_ serial: UInt32) -> [UInt8] { field(5, "u", Wire.number(serial)) }

    private static let sender = field(7, "s", Wire.string("org.freedesktop.DBus"))

    private static func types(_ signature: String) -> [[UInt8]] {
        signature.isEmpty ? [] : [field(8, "g", Wire.signature(signature))]
    }

    private static func field(_ code: UInt8, _ type: String, _ value: [UInt8]) -> [UInt8] {
        [code] + Wire.signature(type) + value
    }
}
