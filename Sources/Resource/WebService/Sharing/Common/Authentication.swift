internal import HTTP
internal import Quoting
internal import Settings
internal import StepDomain

/// How a web service is told who asks.
enum Authentication: Hashable, Sendable {
    case none
    case bearer(SecretSource)
    /// `Authorization: Token`, as InfluxDB 2 has it.
    case token(SecretSource)
    case basic(user: String, SecretSource)
    /// A header of the service's own, such as `X-Api-Key`, with the secret as its value.
    case header(String, SecretSource)

    /// Loads the secret now.
    func headers(_ environment: [String: String]) throws(ShareFailure) -> [HTTPRequest.Header] {
        try headers(.real(environment: environment))
    }

    func headers(_ credentials: Credentials) throws(ShareFailure) -> [HTTPRequest.Header] {
        switch self {
        case .none: []
        case .bearer(let source): [.bearer(try credentials.secret(source))]
        case .token(let source): [.init("Authorization", .secret(prefix: "Token ", try credentials.secret(source)))]
        case .basic(let user, let source): [.basic(user: user, password: try credentials.secret(source))]
        case .header(let name, let source): [.init(name, .secret(try credentials.secret(source)))]
        }
    }

    /// What keeps the secret from being used.
    func problems(_ environment: [String: String]) -> [String] {
        do {
            _ = try headers(environment)
            return []
        } catch {
            return [error.reason]
        }
    }
}
