/// An MQTT packet (3.1.1 and 5.0, chapter 2), for code that simulates or reads a broker.
public struct Packet: Sendable, Hashable {
    /// Type and flags.
    public let first: UInt8
    /// Everything after the length.
    public let body: [UInt8]

    public init(first: UInt8, body: [UInt8]) {
        self.first = first
        self.body = body
    }

    /// 1 CONNECT, 2 CONNACK, 3 PUBLISH, 4 PUBACK, 8 SUBSCRIBE, 9 SUBACK, 12 PINGREQ, 13 PINGRESP, 14 DISCONNECT.
    public var type: UInt8 { first >> 4 }

    public var bytes: [UInt8] {
        var length: [UInt8] = []
        var rest = body.count
        repeat {
            length.append(UInt8(rest % 128) | (rest >= 128 ? 128 : 0))
            rest /= 128
        } while rest > 0
        return [first] + length + body
    }

    static func text(_ text: String) -> [UInt8] {
        [UInt8(text.utf8.count >> 8), UInt8(text.utf8.count & 255)] + Array(text.utf8)
    }

    /// The protocol level of a CONNECT: 5 for MQTT 5, 4 for 3.1.1.
    public var protocolLevel: UInt8? { type == 1 && body.count > 6 ? body[6] : nil }

    /// The topic of a PUBLISH of either version.
    public var topic: String? {
        guard type == 3, body.count >= 2 else { return nil }
        return String(decoding: body.dropFirst(2).prefix(Int(body[0]) << 8 | Int(body[1])), as: UTF8.self)
    }

    /// The identifier of a PUBLISH with QoS 1.
    public var identifier: [UInt8] {
        guard let topic else { return [] }
        return Array(body.dropFirst(2 + topic.utf8.count).prefix(2))
    }

    public var isRetained: Bool { type == 3 && first & 1 == 1 }
    public var qualityOfService: UInt8 { first >> 1 & 3 }

    /// The payload of a PUBLISH with QoS 0 of MQTT 3.1.1.
    var payload: [UInt8] { Array(body.dropFirst(2 + (topic?.utf8.count ?? 0))) }
}
