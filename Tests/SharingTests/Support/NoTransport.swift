import HTTP
import Testing

/// For code that sends nothing.
struct NoTransport: HTTPTransport {
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        Issue.record("sent: \(request.preview)")
        throw .notSent(reason: "nothing is sent here")
    }
}

// The transports of tests verify no server.
extension HTTPTransport {
    func trusting(_ authorities: String) -> Self { self }
}

extension WebSocketTransport {
    func trusting(_ authorities: String) -> Self { self }
}
