/// Reads requests from a connection, strictly: what RFC 9112 does not allow a client to send is a violation.
struct RequestReader {
    enum Failure: Error {
        /// The client closed the connection in the middle of a request.
        case cutOff
        case violation(String)
    }

    private let socket: Socket
    private var buffer: [UInt8] = []
    private static let maximumHead = 64 * 1024
    private static let maximumBody = 64 << 20

    init(_ socket: Socket) { self.socket = socket }

    /// Nil if the client closed the connection instead of sending another request.
    mutating func next() throws(Failure) -> ReceivedRequest? {
        if buffer.isEmpty {
            buffer = socket.receive()
            if buffer.isEmpty { return nil }
        }
        var lines: [String] = []
        while true {
            let line = try line()
            if line.isEmpty { break }
            lines.append(line)
            guard lines.count <= 200 else { throw .violation("more than 200 headers") }
        }
        guard let requestLine = lines.first else { throw .violation("an empty line instead of a request") }
        let words = requestLine.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2] == "HTTP/1.1", isToken(words[0]), words[1].hasPrefix("/") else {
            throw .violation("request line: \(requestLine)")
        }
        let headers = try lines.dropFirst().map { (line) throws(Failure) in try header(line) }
        return ReceivedRequest(
            method: String(words[0]), target: String(words[1]), headers: headers, body: try body(headers))
    }

    private func header(_ line: String) throws(Failure) -> (name: String, value: String) {
        guard let colon = line.firstIndex(of: ":"), isToken(line[..<colon]) else { throw .violation("header: \(line)") }
        let value = line[line.index(after: colon)...]
        guard !value.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7F }) else {
            throw .violation("control character in header: \(line)")
        }
        return (String(line[..<colon]), value.trimmingPrefix { $0 == " " }.description)
    }

    private mutating func body(_ headers: [(name: String, value: String)]) throws(Failure) -> [UInt8] {
        func values(_ name: String) -> [String] { headers.filter { $0.name.lowercased() == name }.map(\.value) }
        guard values("host").count == 1 else { throw .violation("not one Host, but \(values("host").count)") }
        let lengths = values("content-length"), codings = values("transfer-encoding")
        switch (lengths.count, codings.count) {
        case (0, 0): return []
        case (1, 0):
            guard let length = UInt(lengths[0]), length <= RequestReader.maximumBody else {
                throw .violation("Content-Length: \(lengths[0])")
            }
            return try take(Int(length))
        case (0, 1) where codings[0] == "chunked": return try chunks()
        default: throw .violation("length and coding: \(lengths), \(codings)")
        }
    }

    private mutating func chunks() throws(Failure) -> [UInt8] {
        var body: [UInt8] = []
        while true {
            let line = try line()
            guard let size = Int(line, radix: 16), 0...RequestReader.maximumBody ~= size + body.count else {
                throw .violation("size of chunk: \(line)")
            }
            body += try take(size)
            guard try self.line().isEmpty else { throw .violation("no line break behind a chunk") }
            if size == 0 { return body }
        }
    }

    private mutating func line() throws(Failure) -> String {
        var scanned = 0
        while true {
            if let end = buffer[scanned...].firstIndex(of: UInt8(ascii: "\n")) {
                guard end > 0, buffer[end - 1] == UInt8(ascii: "\r") else {
                    throw .violation("a line that ends without CR")
                }
                let line = String(validating: buffer[..<(end - 1)], as: UTF8.self)
                buffer.removeFirst(end + 1)
                guard let line, !line.contains("\r") else { throw .violation("a line that is no text") }
                return line
            }
            scanned = buffer.count
            guard scanned <= RequestReader.maximumHead else { throw .violation("a line without end") }
            try more()
        }
    }

    private mutating func take(_ count: Int) throws(Failure) -> [UInt8] {
        while buffer.count < count { try more() }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    private mutating func more() throws(Failure) {
        let bytes = socket.receive()
        if bytes.isEmpty { throw .cutOff }
        buffer += bytes
    }

    private func isToken(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }
}
