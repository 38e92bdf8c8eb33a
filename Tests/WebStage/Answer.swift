/// What a `LoopbackServer` does with a request that it has read as a whole.
public indirect enum Answer: Sendable {
    /// An answer as it has to be; `Content-Length` comes by itself, unless a header says how the body ends. The connection is kept.
    case reply(status: Int = 200, headers: [(String, String)] = [], body: String = "")
    /// These bytes, whatever they are.
    case raw([UInt8], thenCloses: Bool = true)
    /// The answer, and then the connection is closed without a word of that before.
    case unannouncedClose(after: Answer)
    case closeWithoutAnswer
    /// The connection is torn down (RST) instead of closed.
    case reset
    /// Half of the answer's bytes.
    case closeInTheMiddle(of: Answer)
    /// Nothing, until the client hangs up or the server stops.
    case stall
    /// Half of the answer's bytes, then as `stall`.
    case stallInTheMiddle(of: Answer)
    /// Byte by byte, with a pause after each.
    case drip(Answer, every: Duration)
    /// A chunked body that does not end before the client hangs up or the server stops.
    case endlessBody(status: Int = 200)
    /// Headers that do not end.
    case endlessHeaders
    /// Interim answers, `100 Continue`, that do not end.
    case endlessInterim

    /// A reply in JSON.
    public static func json(_ body: String, status: Int = 200, headers: [(String, String)] = []) -> Answer {
        .reply(status: status, headers: [("Content-Type", "application/json")] + headers, body: body)
    }

    /// Bytes as they are.
    public static func raw(_ text: String, thenCloses: Bool = true) -> Answer { .raw(Array(text.utf8), thenCloses: thenCloses) }
}

/// What a `LoopbackServer` does with a connection, before anything was read from it.
public enum Arrival: Sendable {
    case serve
    /// Closes it unread.
    case close
    /// Reads as many bytes and closes.
    case closeAfter(bytes: Int)
    /// Never reads, and keeps it open until the client hangs up or the server stops.
    case ignore
}

extension Answer {
    /// What goes over the wire; empty for what is no answer.
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
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 408: "Request Timeout", 410: "Gone",
        412: "Precondition Failed", 422: "Unprocessable Content", 429: "Too Many Requests", 500: "Internal Server Error",
        502: "Bad Gateway", 503: "Service Unavailable",
    ]
}
