internal import HTTP

extension HTTPRequest {
    /// A request with JSON as its body (RFC 8259).
    static func json(
        _ method: String, _ url: WebAddress, headers: [Header], _ body: some Encodable, isRepeatable: Bool? = nil
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, url: url, headers: [Header("Content-Type", "application/json")] + headers,
            body: Array(Sharing.json(body).utf8), isRepeatable: isRepeatable)
    }
}
