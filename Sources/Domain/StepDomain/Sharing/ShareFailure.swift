/// Why a delivery failed, and in particular whether it may still have arrived.
public struct ShareFailure: Error, Hashable, Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        /// Nothing was sent: no network, no server, no program. It is retried.
        case unreachable
        /// The server declined for now and did nothing (HTTP 408, 429, 503). It is retried.
        case busy
        /// It was sent, and no answer shows the result (a lost connection, a timeout, HTTP 500). It may have arrived.
        case unanswered
        /// The server did not accept the client (HTTP 401, 403). Nothing more is sent until the user acts.
        case credentials
        /// The server refused this day and would refuse it again (other HTTP 4xx, a fault).
        case rejected
        /// The destination cannot be used as it is configured (a missing file for a token). Nothing was sent.
        case misconfigured
    }

    public var kind: Kind
    /// What happened, in words for the user; free of secrets and of control characters.
    public var reason: String
    /// What to do about it.
    public var advice: String?
    /// Seconds that the server asked to wait before the next request.
    public var retryAfter: Int?
    /// The users whose days are not accepted, while those of others are; nil if it does not depend on the user. Nothing
    /// of the delivery was stored.
    public var users: Set<User.ID>?
    /// Whether a part of the delivery reached the destination, such as the steps of a day without its calories.
    public var isPartial: Bool

    public init(
        _ kind: Kind, _ reason: String, advice: String? = nil, retryAfter: Int? = nil, users: Set<User.ID>? = nil,
        isPartial: Bool = false
    ) {
        self.users = users
        self.isPartial = isPartial
        self.kind = kind
        self.reason = reason
        self.advice = advice
        self.retryAfter = retryAfter
    }

    /// The same, with the place of the credentials if they, or their rights, were not accepted. It is part of the
    /// reason, which is what the ledger and notices keep of a failure.
    ///
    /// - Parameter secretPlace: that of the destination.
    package func naming(_ secretPlace: String?) -> ShareFailure {
        guard let secretPlace, kind == .credentials, users == nil else { return self }
        var failure = self
        failure.reason += " (credentials: \(secretPlace))"
        return failure
    }
}

extension ShareFailure: ReportableError {
    public var description: String { reason }

    public var category: FailureCategory { kind.category }
}

extension ShareFailure.Kind {
    public var category: FailureCategory {
        switch self {
        case .unreachable, .busy, .unanswered: .temporary
        case .credentials: .permission
        case .rejected: .data
        case .misconfigured: .configuration
        }
    }
}
