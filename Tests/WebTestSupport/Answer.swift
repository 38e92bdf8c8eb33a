/// What a `LoopbackServer` does with a request that it has read completely.
public indirect enum Answer: Sendable {
    /// A correct answer; `Content-Length` is added unless a header says how the body ends. The connection is kept.
    case reply(status: Int = 200, headers: [(String, String)] = [], body: String = "")
    /// These bytes, valid or not.
    case raw([UInt8], thenCloses: Bool = true)
    /// The answer, and then the connection is closed although no header announced it.
    case unannouncedClose(after: Answer)
    case closeWithoutAnswer
    /// The connection is reset (RST) instead of closed.
    case reset
    /// Half of the answer's bytes, then the connection is closed.
    case closeInTheMiddle(of: Answer)
    /// Nothing, until the client hangs up or the server stops.
    case stall
    /// Half of the answer's bytes, then as `stall`.
    case stallInTheMiddle(of: Answer)
    /// Byte by byte, with a pause after each.
    case drip(Answer, every: Duration)
    /// A chunked body that does not end before the client hangs up or the server stops.
    case endlessBody(status: Int = 200)
    /// Endless headers.
    case endlessHeaders
    /// The connection stops using HTTP.
    case conversation(any Conversation)
    /// Endless interim answers, `100 Continue`.
    case endlessInterim
    /// The first bytes, then the others again and again until the client hangs up or the server stops.
    case endless(after: [UInt8], [UInt8])

    /// A reply in JSON.
    public static func json(_ body: String, status: Int = 200, headers: [(String, String)] = []) -> Answer {
        .reply(status: status, headers: [("Content-Type", "application/json")] + headers, body: body)
    }

    /// A text, sent unchanged.
    public static func raw(_ text: String, thenCloses: Bool = true) -> Answer {
        .raw(Array(text.utf8), thenCloses: thenCloses)
    }
}

/// What a `LoopbackServer` does with a connection before it has read anything from it.
public enum Arrival: Sendable {
    case serve
    /// Closes it without reading.
    case close
    /// Reads this many bytes and closes it.
    case closeAfter(bytes: Int)
    /// Never reads, and keeps it open until the client hangs up or the server stops.
    case ignore
}

extension Answer {
    /// The bytes to send; empty for cases without an answer.
    func bytes(to method: String) -> [UInt8] {
        switch self {
        case .reply(let status, let headers, let body):
            return Answer.encoded(status: status, headers: headers, body: Array(body.utf8), isHead: method == "HEAD")
        case .raw(let bytes, _): return bytes
        default: return []
        }
    }

    private static func encoded(status: Int, headers: [(String, String)], body: [UInt8], isHead: Bool) -> [UInt8] {
        let names = headers.map { $0.0.lowercased() }
        let isFramed = names.contains("content-length") || names.contains("transfer-encoding")
        let isEmpty = status == 204 || status == 304
        var head = "HTTP/1.1 \(status) \(reasons[status] ?? "Whatever")\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if !isFramed && !isEmpty { head += "Content-Length: \(body.count)\r\n" }
        return Array((head + "\r\n").utf8) + (isHead || isEmpty ? [] : body)
    }

    private static let reasons = [
        200: "OK", 201: "Created", 204: "No Content", 301: "Moved Permanently", 302: "Found", 307: "Temporary Redirect",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 408: "Request Timeout",
        410: "Gone",
        412: "Precondition Failed", 422: "Unprocessable Content", 429: "Too Many Requests",
        500: "Internal Server Error",
        502: "Bad Gateway", 503: "Service Unavailable",
    ]
}
