public import Quoting

/// Where to publish, and as whom.
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
    /// How the client calls itself; nil for a name made up for each connection, so that no two push each other out.
    public let clientID: String?
    /// The path of a file of certificates (PEM) that the broker's has to be signed by; nil for those that the system trusts.
    public let authority: String?

    /// The registered ports (IANA: mqtt, secure-mqtt).
    public static func usualPort(encrypted: Bool) -> Int { encrypted ? 8883 : 1883 }

    /// - Parameters:
    ///   - port: nil for the usual one.
    ///   - tls: without it, `host` has to be this machine.
    ///   - insecure: another machine may be reached without TLS: everybody on the way can read what is sent, the password too.
    /// - Throws: `Problem`.
    public init(
        host: String, port: Int? = nil, tls: Bool, username: String? = nil, password: Secret? = nil, clientID: String? = nil,
        authority: String? = nil, insecure: Bool = false
    ) throws(Problem) {
        guard HostName.isValid(host) else { throw .badHost(host) }
        let port = port ?? Self.usualPort(encrypted: tls)
        guard (1...65_535).contains(port) else { throw .badPort(port) }
        guard tls || insecure || HostName.isLoopback(host) else { throw .notEncrypted(host: host) }
        if let username, !Self.isText(username) { throw .badUsername }
        if let password {
            // MQTT 3.1.1, section 3.1.2.9.
            guard username != nil else { throw .passwordWithoutUsername }
            guard (1...65_535).contains(password.reveal().utf8.count), !password.reveal().utf8.contains(0) else { throw .badPassword }
        }
        if let clientID, !Self.isText(clientID) { throw .badClientID(clientID) }
        if let authority, !authority.hasPrefix("/") || authority.utf8.contains(0) { throw .badAuthority(authority) }
        self.host = host
        self.port = port
        isEncrypted = tls
        self.username = username
        self.password = password
        self.clientID = clientID
        self.authority = authority
    }

    /// The same broker with a password, which is best read when it is needed.
    /// - Throws: `Problem.passwordWithoutUsername`, `.badPassword`.
    public func with(password: Secret) throws(Problem) -> MQTTBroker {
        try MQTTBroker(
            host: host, port: port, tls: isEncrypted, username: username, password: password, clientID: clientID,
            authority: authority,
            // It was allowed when this one was made.
            insecure: true)
    }

    /// A text of MQTT that no broker takes offence at (MQTT 5.0, section 1.5.4).
    private static func isText(_ text: String) -> Bool {
        (1...65_535).contains(text.utf8.count) && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}

extension MQTTBroker: CustomStringConvertible {
    /// Host and port, for texts; never who logs in there.
    public var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
