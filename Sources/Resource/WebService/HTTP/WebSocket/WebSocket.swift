internal import Foundation

/// Why a connection over WebSocket failed or ended.
public enum WebSocketError: Error, Hashable, Sendable {
    /// The connection could not be made, was lost, silent or cancelled.
    case failed(TransportError)
    /// The server answered the handshake with another status than 101.
    case refused(HTTPResponse)
    /// The server broke the protocol (RFC 6455).
    case violation(String)
    /// The server closed the WebSocket.
    case closed(String)
}

extension WebSocketError: CustomStringConvertible {
    /// One line, without secrets or control characters.
    public var description: String {
        switch self {
        case .failed(let error): error.description
        case .refused(let response): "the server answered \(response.status) instead of opening a WebSocket"
        case .violation(let what), .closed(let what): what
        }
    }
}

/// A connection that exchanges texts with a web service (RFC 6455). One caller at a time.
public protocol WebSocket: Sendable {
    func send(_ text: String) async throws(WebSocketError)
    /// The next text. Pings are answered meanwhile.
    func receive() async throws(WebSocketError) -> String
    /// Sends a close frame and closes the connection; does not wait for the answer.
    func close() async
}

/// Opens connections to web services that use WebSocket.
public protocol WebSocketTransport: Sendable {
    /// - Parameter url: with the scheme `http` or `https`, which stand for `ws` and `wss`.
    func open(_ url: WebAddress) async throws(WebSocketError) -> any WebSocket

    /// As `HTTPTransport.trusting`.
    func trusting(_ authorities: String) -> Self
}

/// The opening handshake of WebSocket (RFC 6455, section 4). Uses no socket.
struct WebSocketHandshake {
    let request: [UInt8]
    private let expected: String
    private let limits: HTTPLimits
    private var bytes: [UInt8] = []
    /// The empty line does not end before this position.
    private var searched = 3

    enum Progress: Hashable {
        case incomplete
        /// Bytes after the answer belong to the first frames.
        case accepted(rest: [UInt8])
        /// Another answer than the one that opens a WebSocket.
        case refused(HTTPResponse)
    }

    /// - Parameter key: 16 bytes, new for each connection.
    init(to url: WebAddress, userAgent: String, key: [UInt8], limits: HTTPLimits) {
        let text = Data(key).base64EncodedString()
        request = Array(
            """
            GET \(url.target) HTTP/1.1\r
            Host: \(url.authority)\r
            User-Agent: \(userAgent)\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Key: \(text)\r
            Sec-WebSocket-Version: 13\r
            \r\n
            """.utf8)
        expected = Self.answer(to: text)
        self.limits = limits
    }

    /// The value that proves that the server supports WebSocket and answers this request (section 4.2.2).
    static func answer(to key: String) -> String {
        Data(SHA1.digest(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))).base64EncodedString()
    }

    /// - Parameter isEnd: the server closed the connection.
    mutating func take(_ new: [UInt8], isEnd: Bool) throws(WebSocketFrames.Violation) -> Progress {
        bytes += new
        guard let end = headEnd() else {
            guard bytes.count <= limits.head else {
                throw .init("answered with headers of more than \(limits.head / 1024) KiB")
            }
            if isEnd { throw .init("closed the connection without an answer") }
            return .incomplete
        }
        guard end <= limits.head, let head = String(validating: bytes[..<end], as: UTF8.self) else {
            throw .init("answered with headers that cannot be read")
        }
        let response = try parse(head)
        let rest = Array(bytes[end...])
        guard response.status == 101 else { return refusal(response, rest, isEnd: isEnd) }
        guard tokens(response, "Upgrade").contains("websocket"), tokens(response, "Connection").contains("upgrade"),
            response.header("Sec-WebSocket-Accept") == expected
        else { throw .init("did not confirm the WebSocket protocol") }
        guard response.header("Sec-WebSocket-Extensions") == nil, response.header("Sec-WebSocket-Protocol") == nil
        else {
            throw .init("chose an extension or protocol that was not offered")
        }
        return .accepted(rest: rest)
    }

    /// The position after the empty line.
    private mutating func headEnd() -> Int? {
        while searched < bytes.count {
            let end = searched + 1
            if bytes[end - 1] == 10, bytes[(end - 4)..<end].elementsEqual([13, 10, 13, 10]) { return end }
            searched = end
        }
        return nil
    }

    private func parse(_ head: String) throws(WebSocketFrames.Violation) -> HTTPResponse {
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: true)
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].utf8.count == 3, let status = Int(words[1]),
            status >= 100
        else {
            throw .init("sent an answer that is not HTTP")
        }
        let headers = lines.dropFirst().compactMap { line -> (String, String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (String(line[..<colon]), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
        }
        return HTTPResponse(status: status, headers: headers)
    }

    /// The refusal, with the body if its length is known and small: it contains the server's message.
    private func refusal(_ response: HTTPResponse, _ rest: [UInt8], isEnd: Bool) -> Progress {
        var response = response
        if let text = response.header("Content-Length"), let length = Int(text), 1...min(limits.body, 16_384) ~= length
        {
            if rest.count < length, !isEnd { return .incomplete }
            response.body = Array(rest.prefix(length))
        }
        return .refused(response)
    }

    private func tokens(_ response: HTTPResponse, _ name: String) -> [String] {
        (response.header(name) ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    }
}

/// SHA-1 (RFC 3174, section 6.1), for the handshake of WebSocket only, which prescribes it. It is no protection against
/// forgery.
enum SHA1 {
    static func digest(_ message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
        let bytes = padded(message)
        for start in stride(from: 0, to: bytes.count, by: 64) { add(bytes[start..<(start + 64)], to: &state) }
        return state.flatMap(bigEndian)
    }

    /// One bit, zeros, and the length in bits in the last eight bytes of a block of 64.
    private static func padded(_ message: [UInt8]) -> [UInt8] {
        var bytes = message + [0x80]
        while bytes.count % 64 != 56 { bytes.append(0) }
        let bits = UInt64(message.count) * 8
        return bytes + bigEndian(UInt32(bits >> 32)) + bigEndian(UInt32(truncatingIfNeeded: bits))
    }

    private static func add(_ block: ArraySlice<UInt8>, to state: inout [UInt32]) {
        var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { index in
            block[index..<(index + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<80 {
            words.append(rotated(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], by: 1))
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for index in 0..<80 {
            let (mixed, constant): (UInt32, UInt32) =
                switch index {
                case 0..<20: (b & c | ~b & d, 0x5a82_7999)
                case 20..<40: (b ^ c ^ d, 0x6ed9_eba1)
                case 40..<60: (b & c | b & d | c & d, 0x8f1b_bcdc)
                default: (b ^ c ^ d, 0xca62_c1d6)
                }
            let next = rotated(a, by: 5) &+ mixed &+ e &+ words[index] &+ constant
            (a, b, c, d, e) = (next, a, rotated(b, by: 30), c, d)
        }
        for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
    }

    private static func rotated(_ word: UInt32, by count: UInt32) -> UInt32 { word << count | word >> (32 - count) }

    private static func bigEndian(_ word: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) }
    }
}
