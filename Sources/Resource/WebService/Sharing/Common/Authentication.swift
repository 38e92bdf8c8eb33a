internal import HTTP
internal import Settings
internal import StepDomain
internal import Support

/// How istep authenticates to a web service.
enum Authentication: Hashable, Sendable {
    case none
    case bearer(SecretSource)
    /// `Authorization: Token`, as InfluxDB 2 requires.
    case token(SecretSource)
    case basic(user: String, SecretSource)
    case digest(user: String, SecretSource)
    /// A header of the service's own, such as `X-Api-Key`, with the secret as its value.
    case header(String, SecretSource)
    /// A part of the address, as of webhooks.
    case address(SecretSource)

    /// Loads the secret now.
    func headers(_ credentials: Credentials) throws(ShareFailure) -> [HTTPRequest.Header] {
        switch self {
        case .none, .address: []
        case .bearer(let source): [.bearer(try credentials.secret(source))]
        case .token(let source): [.init("Authorization", .secret(prefix: "Token ", try credentials.secret(source)))]
        case .basic(let user, let source): [.basic(user: user, password: try credentials.secret(source))]
        case .digest(let user, let source): [.digest(user: user, password: try credentials.secret(source))]
        case .header(let name, let source): [.init(name, .secret(try credentials.secret(source)))]
        }
    }

    /// The part of the address that is secret; nil if there is none.
    func addressSecret(_ credentials: Credentials) throws(ShareFailure) -> Secret? {
        guard case .address(let source) = self else { return nil }
        let secret = try credentials.secret(source)
        // The easiest mistake is to paste the whole address of a webhook.
        let text = secret.reveal()
        guard !text.contains("://"), !text.split(separator: "/").contains("..") else {
            throw ShareFailure(
                .misconfigured, "\(source) has a whole address: put only the part into it that {token} stands for")
        }
        return secret
    }

    /// Reasons why the secret cannot be used.
    func problems(_ environment: [String: String]) -> [String] {
        ShareFailure.reasons { () throws(ShareFailure) in
            _ = try headers(.real(environment: environment))
            _ = try addressSecret(.real(environment: environment))
        }
    }
}

extension ShareFailure {
    /// The reason why a check fails; none if it does not.
    static func reasons(_ check: () throws(ShareFailure) -> Void) -> [String] {
        do {
            try check()
            return []
        } catch {
            return [error.reason]
        }
    }
}

/// A web service that needs nothing on this machine but a secret, or nothing at all.
protocol AuthenticatedDestination: ConfiguredDestination {
    var authentication: Authentication { get }
}

extension AuthenticatedDestination {
    func problems() -> [String] { authentication.problems(context.environment.variables) }
}

extension TableReader {
    private enum Way: String, CaseIterable {
        case bearer, basic, digest, header

        var keys: Set<String> {
            switch self {
            case .bearer: ["token"]
            case .basic, .digest: ["username", "password"]
            case .header: ["token", "header_name"]
            }
        }
    }

    /// Reads the keys for authentication to a web service. `auth` selects the method; without it the given keys do: a
    /// `token_…` is sent as a bearer token, or in the header of `header_name`; `username` and `password_…` select basic
    /// authentication. Digest authentication has to be selected.
    ///
    /// - Parameter inAddress: the address contains `{token}`: the token is sent there and nowhere else.
    mutating func authentication(inAddress: Bool = false) -> Authentication {
        if inAddress {
            if table.keys.contains("auth") { refuse("auth", expected: "left out if `url` contains {token}") }
            return secret("token", isRequired: true).map(Authentication.address) ?? .none
        }
        let way = choice("auth", of: Way.self) ?? evident
        let keys = way?.keys ?? []
        let token = secret("token", isRequired: keys.contains("token"))
        let user = userName(isRequired: keys.contains("username"))
        let password = secret("password", isRequired: keys.contains("password"))
        let header = headerName(isRequired: keys.contains("header_name"))
        for key in table.keys where ["username", "header_name"].contains(key) && !keys.contains(key) {
            refuse(key, expected: "left out if `auth` is \(way?.rawValue ?? "not given")")
        }
        switch way {
        case .bearer: return token.map(Authentication.bearer) ?? .none
        case .basic: return user.flatMap { user in password.map { .basic(user: user, $0) } } ?? .none
        case .digest: return user.flatMap { user in password.map { .digest(user: user, $0) } } ?? .none
        case .header: return header.flatMap { header in token.map { .header(header, $0) } } ?? .none
        case nil: return .none
        }
    }

    private var evident: Way? {
        let keys = table.keys
        if keys.contains("username") || keys.contains(where: { $0.hasPrefix("password") }) { return .basic }
        if keys.contains("header_name") { return .header }
        return keys.contains { $0.hasPrefix("token") } ? .bearer : nil
    }

    /// In basic authentication a colon ends the name (RFC 7617, section 2), and in what is hashed in Digest (RFC 7616,
    /// section 3.4.2).
    private mutating func userName(isRequired: Bool) -> String? {
        let expected = "the user's name at the service, without a colon"
        if isRequired { require("username", expected) }
        return value("username", expected) { $0.contains(":") ? nil : $0 }
    }

    private mutating func headerName(isRequired: Bool) -> String? {
        let expected = "the name of the header that the token goes into, such as X-Api-Key"
        if isRequired { require("header_name", expected) }
        return value("header_name", expected) { name in
            let isFree = !HTTPRequest.Header.isTaken(name) || name.lowercased() == "authorization"
            return HTTPRequest.Header.isName(name) && isFree ? name : nil
        }
    }
}

extension HTTPRequest.Header {
    /// Whether istep sets this header itself, or it defines the framing of a request.
    static func isTaken(_ name: String) -> Bool {
        isOwn(name) || ["authorization", "content-type", "idempotency-key"].contains(name.lowercased())
    }
}

/// The source of a request's secrets.
enum Credentials: Sendable {
    /// The real ones, read whenever a request needs them, so that a renewed token is used.
    case real(environment: [String: String])
    /// Placeholders, for a request that is only shown. Every secret is shown as bullets, and a missing secret does not
    /// prevent the preview.
    case shown

    /// The placeholder of a secret.
    static var shownText: String { "\(Secret("shown"))" }

    func secret(_ source: SecretSource) throws(ShareFailure) -> Secret {
        switch self {
        case .real(let environment): try source.secret(environment)
        case .shown: Secret("shown")
        }
    }
}

extension SecretSource {
    /// Read at each delivery, so that a renewed token is used.
    func secret(_ environment: [String: String]) throws(ShareFailure) -> Secret {
        do {
            return try load(environment: environment)
        } catch {
            throw ShareFailure(.misconfigured, error.description)
        }
    }
}
