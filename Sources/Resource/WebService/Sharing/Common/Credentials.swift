internal import Quoting
internal import Settings
internal import StepDomain

/// Where a request gets its secrets from.
enum Credentials: Sendable {
    /// The real ones, read whenever a request needs them, so that a token that was renewed is used.
    case real(environment: [String: String])
    /// Something in their place, for a request that is only shown. There every secret is bullets, and one that is missing
    /// keeps nobody from looking.
    case shown

    func secret(_ source: SecretSource) throws(ShareFailure) -> Secret {
        switch self {
        case .real(let environment): try source.secret(environment)
        case .shown: Secret("shown")
        }
    }
}
