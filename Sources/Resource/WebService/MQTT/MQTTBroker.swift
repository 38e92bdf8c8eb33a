public import Support

/// The broker to publish to, and the user that logs in.
public struct MQTTBroker: Hashable, Sendable {
    /// A name, or an IPv4 or IPv6 address.
    public let host: String
    /// The TCP port.
    public let port: Int
    /// Whether the connection is encrypted, and the broker verified.
    public let isEncrypted: Bool
    /// Nil to connect without a name.
    public let username: String?
    /// Nil for a user without a password.
    public let password: Secret?
    /// The path of a file of certificates (PEM) that verify the broker's; nil for those of the system, or of the file
    /// that the environment variable SSL_CERT_FILE names.
    public let authorities: String?

    /// The registered ports (IANA: mqtt, secure-mqtt).
    public static func usualPort(encrypted: Bool) -> Int { encrypted ? 8883 : 1883 }

    /// - Parameters:
    ///   - port: nil for the usual one.
    ///   - tls: without it, `host` has to be this machine.
    ///   - authorities: only used with `tls`.
    ///   - insecure: another machine may be reached without TLS: anyone on the network path can read what is sent,
    ///     including the password.
    /// - Throws: `Problem`.
    public init(
        host: String, port: Int? = nil, tls: Bool, username: String? = nil, password: Secret? = nil,
        authorities: String? = nil, insecure: Bool = false
    ) throws(Problem) {
        guard HostName.isValid(host) else { throw .badHost(host) }
        let port = port ?? Self.usualPort(encrypted: tls)
        guard (1...65_535).contains(port) else { throw .badPort(port) }
        guard tls || insecure || HostName.isLoopback(host) else { throw .notEncrypted(host: host) }
        if let username, !Self.isText(username) { throw .badUsername }
        if let password {
            // MQTT 3.1.1, section 3.1.2.9.
            guard username != nil else { throw .passwordWithoutUsername }
            guard (1...65_535).contains(password.reveal().utf8.count), !password.reveal().utf8.contains(0) else {
                throw .badPassword
            }
        }
        self.host = host
        self.port = port
        isEncrypted = tls
        self.username = username
        self.password = password
        self.authorities = authorities
    }

    /// The same broker with a password, which is best read when it is needed.
    /// - Throws: `Problem.passwordWithoutUsername`, `.badPassword`.
    public func with(password: Secret) throws(Problem) -> MQTTBroker {
        try MQTTBroker(
            host: host, port: port, tls: isEncrypted, username: username, password: password, authorities: authorities,
            // This was checked when the original was created.
            insecure: true)
    }

    /// A text of MQTT that every broker accepts (MQTT 5.0, section 1.5.4). Format characters are permitted there.
    private static func isText(_ text: String) -> Bool {
        (1...65_535).contains(text.utf8.count)
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}

extension MQTTBroker: CustomStringConvertible {
    /// Host and port, for texts; never the user.
    public var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

extension MQTTBroker {
    /// Why a broker's description is not valid.
    public enum Problem: Error, Hashable, Sendable {
        /// Not a name and not an address.
        case badHost(String)
        /// Not between 1 and 65535.
        case badPort(Int)
        /// Another machine, and no TLS.
        case notEncrypted(host: String)
        /// Empty, too long, or with control characters.
        case badUsername
        /// Empty, longer than 65,535 bytes, or with U+0000.
        case badPassword
        /// A password without a username.
        case passwordWithoutUsername
    }
}

extension MQTTBroker.Problem: CustomStringConvertible {
    /// What is wrong, and what to do, in one line. Never with a password in it.
    public var description: String {
        switch self {
        case .badHost(let host):
            "\(quoted(String(host.prefix(100)))) is not a host: write a name or an address without scheme, port or brackets, such as broker.example.org"
        case .badPort(let port): "\(port) is not a port: use a number from 1 to 65535"
        case .notEncrypted(let host):
            "\(quoted(String(host.prefix(100)))) is another machine, which is only reached with TLS: switch TLS on, or allow it with insecure = true"
        case .badUsername: "the user's name is empty, too long or contains control characters: correct it"
        case .badPassword: "the password is empty, too long or contains U+0000: correct it"
        case .passwordWithoutUsername: "there is a password and no user's name: add the name"
        }
    }
}
