/// Sends requests to web services.
public protocol HTTPTransport: Sendable {
    /// Sends a request and waits for the whole answer, whatever its status. Redirects are not followed: the answer with
    /// its status 3xx is returned.
    ///
    /// Cancelling the task ends the request at once.
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse

    /// A transport that verifies servers by these certificates instead of the system's.
    ///
    /// - Parameter authorities: path of a PEM file.
    func trusting(_ authorities: String) -> Self
}

/// Why there is no answer. The cases differ in whether the server may have received the request.
public enum TransportError: Error, Hashable, Sendable {
    /// No part of the request reached a server: unknown host, no listener, no trust, no library.
    case notSent(reason: String)
    /// The request was sent, in part or as a whole, and no complete answer was received that could be understood.
    case unanswered(reason: String)
    /// The task was cancelled, after some of the request was sent or before.
    case cancelled(wasSent: Bool)

    /// Whether the server may have received the request.
    public var mayHaveArrived: Bool {
        switch self {
        case .notSent, .cancelled(wasSent: false): false
        case .unanswered, .cancelled(wasSent: true): true
        }
    }
}

extension TransportError: CustomStringConvertible {
    /// What happened and what to do, in one line without secrets, paths or control characters.
    public var description: String {
        switch self {
        case .notSent(let reason), .unanswered(let reason): reason
        case .cancelled(wasSent: false): "cancelled before anything was sent"
        case .cancelled(wasSent: true): "cancelled before the answer came"
        }
    }
}
