internal import Quoting

extension WebAddress {
    /// Why a text is no address that istep would go to.
    public enum Problem: Error, Hashable, Sendable {
        case noScheme(String)
        case scheme(String)
        case host(String)
        case port(String)
        /// A user or password stands before the host.
        case credentials
        case fragment
        case character(Unicode.Scalar)
        /// A percent sign that is not followed by two hexadecimal digits.
        case escape
        case tooLong(limit: Int)
        /// Plain http to another machine.
        case insecure(host: String)
        /// A template asks for what there is not; known are these.
        case unknownName(String, known: [String])
    }
}

extension WebAddress.Problem: CustomStringConvertible {
    /// What is wrong and what to do, without the whole address: parts of it may be secret.
    public var description: String {
        switch self {
        case .noScheme(let text):
            text.contains("@") || text.contains("?")
                ? "an address begins with https://"
                : "an address begins with https://, as in \(quoted("https://" + text))"
        case .scheme(let scheme): "an address begins with https:// or http://, not with \(quoted(scheme + "://"))"
        case .host(""): "there is no host behind the ://"
        case .host(let host):
            host.unicodeScalars.allSatisfy(\.isASCII)
                ? "\(quoted(host)) is no name or address of a host"
                : "\(quoted(host)) is no name of a host in ASCII; write it in its form with xn--"
        case .port(let port): "\(quoted(port)) is no port; ports are 1 to 65535"
        case .credentials: "an address cannot contain a user or password; give them by keys of their own"
        case .fragment: "an address of a service has no part from a # on; leave it out, or write %23 where a # is meant"
        case .character(let scalar):
            "the character \(quoted(String(scalar))) cannot stand in an address; write it percent-encoded"
        case .escape: "a % in an address is followed by two hexadecimal digits; write %25 where a % is meant"
        case .tooLong(let limit): "an address cannot have more than \(limit) bytes"
        case .insecure(let host):
            "plain http would show everything, tokens too, to the network on the way to \(host); use https, or say `insecure = true`"
        case .unknownName(let name, let known):
            "the template names {\(printable(name))}; known are " + known.map { "{\($0)}" }.joined(separator: ", ")
        }
    }
}
