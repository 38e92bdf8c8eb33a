/// Why a database did not do what was asked, or may not have done it.
public enum PostgresError: Error, Hashable, Sendable {
    /// libpq is missing, or is not the expected library. Nothing was sent.
    case libraryMissing(reason: String)
    /// There is no connection. `credentials`: the server refused the user or the password.
    case notConnected(credentials: Bool, reason: String)
    /// The server refused a statement. `state`: its SQLSTATE, five characters (PostgreSQL documentation, appendix A).
    case refused(state: String, reason: String)
    /// The connection was lost, or there was no answer in time. `mayBeCommitted`: a commit was sent, and its answer is
    /// not known.
    case lost(mayBeCommitted: Bool, reason: String)
    /// The task was cancelled.
    case cancelled(mayBeCommitted: Bool)
}

extension PostgresError: CustomStringConvertible {
    /// One sentence without a full stop, and without a password.
    public var description: String {
        switch self {
        case .libraryMissing(let reason): "libpq cannot be used: \(reason)"
        case .notConnected(_, let reason), .refused(_, let reason), .lost(_, let reason): reason
        case .cancelled: "interrupted"
        }
    }
}
