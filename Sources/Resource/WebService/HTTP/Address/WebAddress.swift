internal import Glibc
internal import Quoting

/// An http or https address that was checked: it has a host, no user or password in it, no fragment, no control characters, and
/// plain http stays on this machine unless asked for by name (RFC 3986; RFC 9110, section 4.2).
public struct WebAddress: Hashable, Sendable {
    /// `http` or `https`.
    public let scheme: String
    /// In lower case; an IPv6 address is in brackets.
    public let host: String
    /// 1...65535; nil for the scheme's own, 80 or 443.
    public let port: Int?
    /// From its first slash on, percent-encoded.
    public internal(set) var path: String
    /// Without its question mark, percent-encoded; nil where there is none.
    public internal(set) var query: String?

    /// Bytes. What servers take ends at 8000 (RFC 9110, section 4.1, asks them for as many at least).
    static let limit = 8000

    /// - Parameter insecure: plain http to other machines than this one is allowed; else it is to loopback only: 127.0.0.0/8, `[::1]`,
    ///   `localhost` and `*.localhost`.
    public init(_ text: String, insecure: Bool = false) throws(Problem) {
        guard text.utf8.count <= WebAddress.limit else { throw .tooLong(limit: WebAddress.limit) }
        if let scalar = text.unicodeScalars.first(where: { $0 == " " || $0.isUnfitForTerminals }) {
            throw .character(scalar)
        }
        guard let colon = text.firstRange(of: "://") else { throw .noScheme(text) }
        scheme = text[..<colon.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { throw .scheme(scheme) }
        let rest = text[colon.upperBound...]
        guard !rest.contains("#") else { throw .fragment }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        (host, port) = try WebAddress.parse(authority: authority, scheme: scheme)

        let parts = rest[authority.endIndex...].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = try PercentEncoding.checked(parts[0], allowed: PercentEncoding.isPath)
        if path.isEmpty { path = "/" }
        query = parts.count > 1 ? try PercentEncoding.checked(parts[1], allowed: PercentEncoding.isQuery) : nil
        guard scheme == "https" || insecure || isLoopback else { throw .insecure(host: host) }
    }

    /// Whether the host is this machine whatever a name server says.
    public var isLoopback: Bool {
        if host == "localhost" || host.hasSuffix(".localhost") { return true }
        if host.hasPrefix("[") {
            var address = in6_addr()
            guard inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1 else { return false }
            return withUnsafeBytes(of: &address) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
        }
        // Other spellings, such as 127.1 or 0x7f000001, mean the same only to some resolvers.
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0)?.description == String($0) }
    }

    /// Scheme, host and port: who is asked, without what is asked for. Paths may be secret, as those of webhooks are.
    public var origin: String { "\(scheme)://\(authority)" }

    /// Host and port as in the header `Host` (RFC 9110, section 7.2).
    var authority: String { port.map { "\(host):\($0)" } ?? host }

    /// Path and query as in the request line (RFC 9112, section 3.2.1).
    var target: String { query.map { "\(path)?\($0)" } ?? path }

    private static func parse(authority: Substring, scheme: String) throws(Problem) -> (String, Int?) {
        // Not told which: a part of it may be a password.
        guard !authority.contains("@") else { throw .credentials }
        let hostEnd = authority.hasPrefix("[") ? authority.firstIndex(of: "]").map(authority.index(after:)) : authority.firstIndex(of: ":")
        let host = authority[..<(hostEnd ?? authority.endIndex)].lowercased()
        guard isHost(host) else { throw .host(host) }
        let tail = authority[(hostEnd ?? authority.endIndex)...]
        if tail.isEmpty { return (host, nil) }
        let digits = tail.dropFirst()
        guard tail.hasPrefix(":"), digits.utf8.allSatisfy(PercentEncoding.isDigit), let port = Int(digits), 1...65535 ~= port
        else { throw .port(String(digits)) }
        return (host, port == (scheme == "https" ? 443 : 80) ? nil : port)
    }

    private static func isHost(_ host: String) -> Bool {
        if host.hasPrefix("[") {
            var address = in6_addr()
            return host.hasSuffix("]") && inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1
        }
        // A dot at the end says that no domain is to be added.
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        return host.utf8.count <= 253
            && labels.allSatisfy { (1...63).contains($0.utf8.count) && $0.utf8.allSatisfy(PercentEncoding.isHost) }
    }
}

extension WebAddress: CustomStringConvertible {
    /// As it goes to the server.
    public var description: String { origin + target }
}
