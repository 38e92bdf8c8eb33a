/// What a `LoopbackServer` does with a connection that no longer uses HTTP.
public protocol Conversation: Sendable {
    /// What it sends first.
    mutating func begin() -> [UInt8]
    /// What it sends after it has received bytes; nil closes the connection.
    mutating func answer(_ bytes: [UInt8]) -> [UInt8]?
}

/// The server's side of a WebSocket. It is strict: it closes the connection with status 1002 if a client violates RFC
/// 6455.
public struct WebSocketPeer: Conversation {
    private let head: [UInt8]
    private let greeting: [String]
    private let reply: @Sendable (String) -> [String]
    private var buffer: [UInt8] = []

    /// - Parameters:
    ///   - accept: the value of the header `Sec-WebSocket-Accept`.
    ///   - greeting: texts that are sent before anything is received.
    ///   - reply: the texts that are sent after a text is received.
    public init(accept: String, greeting: [String] = [], reply: @escaping @Sendable (String) -> [String]) {
        head = Self.head(accept: accept)
        (self.greeting, self.reply) = (greeting, reply)
    }

    /// The answer that opens a WebSocket.
    public static func head(accept: String) -> [UInt8] {
        Array(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: \(accept)\r\n\r\n"
                .utf8)
    }

    /// A frame as a server sends it, valid or not.
    public static func frame(_ opcode: UInt8, _ payload: [UInt8], isLast: Bool = true) -> [UInt8] {
        var bytes = [(isLast ? 0x80 : 0) | opcode]
        switch payload.count {
        case ...125: bytes.append(UInt8(payload.count))
        case ...65_535: bytes += [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)]
        default: bytes += [127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
        }
        return bytes + payload
    }

    public static func text(_ text: String) -> [UInt8] { frame(1, Array(text.utf8)) }

    public mutating func begin() -> [UInt8] { head + greeting.flatMap(Self.text) }

    public mutating func answer(_ bytes: [UInt8]) -> [UInt8]? {
        buffer += bytes
        var answer: [UInt8] = []
        while buffer.count >= 2 {
            let opcode = buffer[0] & 0x0f
            guard buffer[0] & 0xf0 == 0x80, buffer[1] & 0x80 != 0 else { return answer + Self.frame(8, [0x03, 0xea]) }
            var length = Int(buffer[1] & 0x7f), start = 2
            if length > 125 {
                let extra = length == 126 ? 2 : 8
                guard buffer.count >= 2 + extra else { break }
                length = buffer[2..<(2 + extra)].reduce(0) { $0 << 8 | Int($1) }
                start += extra
            }
            guard buffer.count >= start + 4 + length else { break }
            let mask = Array(buffer[start..<(start + 4)])
            let payload = buffer[(start + 4)..<(start + 4 + length)].enumerated().map { $1 ^ mask[$0 & 3] }
            buffer.removeFirst(start + 4 + length)
            switch opcode {
            case 1: answer += reply(String(decoding: payload, as: UTF8.self)).flatMap(Self.text)
            case 8: return nil
            default: break
            }
        }
        return answer
    }
}
