/// Why there is no answer. What counts is whether the server may know of the request.
public enum TransportError: Error, Hashable, Sendable {
    /// No part of the request reached a server: no such host, nobody listens, no trust, no library.
    case notSent(reason: String)
    /// The request went out, in part or as a whole, and no whole answer came that could be understood.
    case unanswered(reason: String)
    /// The task was cancelled, after something of the request went out or before.
    case cancelled(wasSent: Bool)

    /// Whether the server may have got the request.
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
