internal import PageExchange

extension ServedResponse {
    /// A failure as text, for a request that could not be parsed.
    static func failure(_ status: Int) -> ServedResponse {
        plain(status, Array("\(status) \(reason(status))\n".utf8))
    }

    /// Text that no browser stores or takes for anything else.
    static func plain(_ status: Int, _ text: [UInt8]) -> ServedResponse {
        ServedResponse(
            status: status,
            headers: [
                ("Content-Type", "text/plain; charset=utf-8"), ("X-Content-Type-Options", "nosniff"),
                ("Cache-Control", "no-store"),
            ], body: .bytes(text))
    }

    /// RFC 9110, section 15, and RFC 6585.
    static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 303: "See Other"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 413: "Content Too Large"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
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
