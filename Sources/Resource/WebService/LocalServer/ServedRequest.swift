/// A request as a browser sent it, complete and within the limits.
public struct ServedRequest: Hashable, Sendable {
    /// Such as `GET`.
    public var method: String
    /// Path and query as they were sent; begins with a slash.
    public var target: String
    /// Names in lower case.
    public var headers: [String: String]
    public var body: [UInt8]

    public init(method: String, target: String, headers: [String: String] = [:], body: [UInt8] = []) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }
}

/// The response to a request.
public struct ServedResponse: Sendable {
    public enum Body: Sendable {
        case bytes([UInt8])
        /// Sent as it arrives; the connection is closed after it.
        case stream(AsyncStream<[UInt8]>)
    }

    public var status: Int
    public var headers: [(name: String, value: String)]
    public var body: Body

    public init(status: Int, headers: [(name: String, value: String)] = [], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A failure as text, for a request that could not be parsed.
    static func failure(_ status: Int) -> ServedResponse {
        ServedResponse(
            status: status,
            headers: [
                ("Content-Type", "text/plain; charset=utf-8"), ("X-Content-Type-Options", "nosniff"),
                ("Cache-Control", "no-store"),
            ], body: .bytes(Array("\(status) \(reason(status))\n".utf8)))
    }

    static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 303: "See Other"
        case 400: "Bad Request"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 413: "Content Too Large"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 431: "Request Header Fields Too Large"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Status"
        }
    }

    /// Status line and header fields. A line end in a value would begin another field: such values are left out.
    func head(keepsAlive: Bool) -> [UInt8] {
        var text = "HTTP/1.1 \(status) \(Self.reason(status))\r\n"
        for (name, value) in headers where !value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) {
            text += "\(name): \(value)\r\n"
        }
        if case .bytes(let bytes) = body { text += "Content-Length: \(bytes.count)\r\n" }
        text += "Connection: \(keepsAlive ? "keep-alive" : "close")\r\n\r\n"
        return Array(text.utf8)
    }
}

/// What clients may use. Any process of this machine can connect, so everything is bounded.
public struct ServerLimits: Hashable, Sendable {
    /// Bytes of request line and header fields. Browsers send less than 4 KB.
    public var head = 16_384
    /// Bytes of a form. The greatest has ten fields.
    public var body = 65_536
    /// Connections at a time. A browser uses six for a server.
    public var connections = 64
    /// Time for a request to be complete, and for a client to accept some bytes of a response.
    public var request = Duration.seconds(10)
    /// Time that a connection without a request stays open.
    public var idle = Duration.seconds(30)
    /// Bytes that a client of a stream may be behind.
    public var backlog = 262_144

    public init() {}
}
