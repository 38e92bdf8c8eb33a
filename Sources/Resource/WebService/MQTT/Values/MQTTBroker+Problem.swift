internal import Quoting

extension MQTTBroker {
    /// Why something is no broker to publish to.
    public enum Problem: Error, Hashable, Sendable {
        /// No name and no address.
        case badHost(String)
        /// Not between 1 and 65535.
        case badPort(Int)
        /// Another machine, and no TLS.
        case notEncrypted(host: String)
        /// Empty, too long, or with control characters.
        case badUsername
        /// Empty, longer than 65,535 bytes, or with U+0000.
        case badPassword
        /// A password, and nobody whose it is.
        case passwordWithoutUsername
        /// Empty, too long, or with control characters.
        case badClientID(String)
        /// No absolute path.
        case badAuthority(String)
    }
}

extension MQTTBroker.Problem: CustomStringConvertible {
    /// What is wrong, and what to do, in one line. Never with a password in it.
    public var description: String {
        switch self {
        case .badHost(let host):
            "\(quoted(String(host.prefix(100)))) is no host: write a name or an address without scheme, port or brackets, such as broker.example.org"
        case .badPort(let port): "\(port) is no port: use a number from 1 to 65535"
        case .notEncrypted(let host):
            "\(quoted(String(host.prefix(100)))) is another machine, which is only reached with TLS: switch TLS on, or allow it with insecure = true"
        case .badUsername: "the user's name is empty, too long or contains control characters: correct it"
        case .badPassword: "the password is empty, too long or contains U+0000: correct it"
        case .passwordWithoutUsername: "there is a password and no user's name: add the name"
        case .badClientID(let name):
            "\(quoted(String(name.prefix(100)))) is no client's name: use 1 to 65535 bytes without control characters, or none"
        case .badAuthority(let path): "\(quoted(String(path.prefix(100)))) is no absolute path to a file of certificates: write one"
        }
    }
}
