internal import Glibc
public import Support

/// An http or https address that was checked: it has a host, no user or password, no fragment and no control
/// characters, and plain http is limited to this machine unless it is explicitly allowed (RFC 3986; RFC 9110, section
/// 4.2).
public struct WebAddress: Hashable, Sendable {
    /// `http` or `https`.
    public let scheme: String
    /// In lower case; an IPv6 address is in brackets.
    public let host: String
    /// 1...65535; nil for the scheme's own, 80 or 443.
    public let port: Int?
    /// The path from its first slash on, percent-encoded.
    public internal(set) var path: String
    /// The query without its question mark, percent-encoded; nil if there is none.
    public internal(set) var query: String?
    /// A secret that is a part of path or query: it is never shown.
    private(set) var secret: Secret?

    /// Bytes. Servers accept up to 8000 (RFC 9110, section 4.1, recommends at least that many).
    static let limit = 8000

    /// - Parameter insecure: plain http to other machines is allowed; otherwise it is allowed to loopback only:
    ///   127.0.0.0/8, `[::1]`, `localhost` and `*.localhost`.
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
        path = try AddressSyntax.checked(parts[0], allowed: AddressSyntax.isPath)
        if path.isEmpty { path = "/" }
        query = parts.count > 1 ? try AddressSyntax.checked(parts[1], allowed: AddressSyntax.isQuery) : nil
        guard scheme == "https" || insecure || isLoopback else { throw .insecure(host: host) }
    }

    /// Whether the host is this machine, independent of name servers.
    public var isLoopback: Bool {
        HostName.isLoopback(host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host)
    }

    /// Scheme, host and port: the server, without the path. Paths may be secret, such as those of webhooks.
    public var origin: String { "\(scheme)://\(authority)" }

    /// Host and port as in the header `Host` (RFC 9110, section 7.2).
    var authority: String { port.map { "\(host):\($0)" } ?? host }

    /// Path and query as in the request line (RFC 9112, section 3.2.1).
    var target: String { query.map { "\(path)?\($0)" } ?? path }

    private static func parse(authority: Substring, scheme: String) throws(Problem) -> (String, Int?) {
        // The error does not contain the text: part of it may be a password.
        guard !authority.contains("@") else { throw .credentials }
        let hostEnd =
            authority.hasPrefix("[")
            ? authority.firstIndex(of: "]").map(authority.index(after:)) : authority.firstIndex(of: ":")
        let host = authority[..<(hostEnd ?? authority.endIndex)].lowercased()
        guard isHost(host) else { throw .host(host) }
        let tail = authority[(hostEnd ?? authority.endIndex)...]
        if tail.isEmpty { return (host, nil) }
        let digits = tail.dropFirst()
        guard tail.hasPrefix(":"), digits.utf8.allSatisfy(AddressSyntax.isDigit), let port = Int(digits),
            1...65535 ~= port
        else { throw .port(String(digits)) }
        return (host, port == (scheme == "https" ? 443 : 80) ? nil : port)
    }

    private static func isHost(_ host: String) -> Bool {
        if host.hasPrefix("[") {
            var address = in6_addr()
            return host.hasSuffix("]") && inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1
        }
        // A dot at the end means that no domain is appended.
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        return host.utf8.count <= 253
            && labels.allSatisfy { (1...63).contains($0.utf8.count) && $0.utf8.allSatisfy(AddressSyntax.isHost) }
    }
}

extension WebAddress: CustomStringConvertible {
    /// The address as it is sent to the server.
    public var description: String { origin + target }
}

extension WebAddress {
    /// The address with the parent of its path, with a slash at the end: `/a/` for `/a/b` and for `/a/b/`, `/` for `/`.
    /// The query stays.
    public var parent: WebAddress {
        let trimmed = path.hasSuffix("/") ? path.dropLast() : path[...]
        var result = self
        result.path = trimmed.lastIndex(of: "/").map { String(trimmed[...$0]) } ?? "/"
        return result
    }

    /// The address with segments added to the path, each percent-encoded, so that a slash in one stays inside of it.
    public func appending(path segments: [String]) -> WebAddress {
        var result = self
        for segment in segments {
            if !result.path.hasSuffix("/") { result.path += "/" }
            result.path += percentEncodedComponent(segment)
        }
        return result
    }

    /// The address with names and values added to the query, percent-encoded.
    ///
    /// Servers show and log addresses: secrets belong in a header or a form.
    public func appending(query items: [(String, String)]) -> WebAddress {
        guard !items.isEmpty else { return self }
        let added = items.map { percentEncodedComponent($0) + "=" + percentEncodedComponent($1) }.joined(separator: "&")
        var result = self
        result.query = query.map { $0.isEmpty ? added : $0 + "&" + added } ?? added
        return result
    }

    /// Fills a template: each `{name}` becomes the value of that name, percent-encoded; then the whole is checked as an
    /// address.
    ///
    /// - Parameter secret: the name of a value that is never shown, and the value. Its colons and slashes stay: what
    ///   services give out as the secret part of an address can be several segments.
    /// - Throws: `Problem.unknownName` for a name without a value, else as `init`.
    public static func filled(
        _ template: String, _ values: [String: String], secret: (name: String, value: Secret)? = nil,
        insecure: Bool = false
    ) throws(Problem) -> WebAddress {
        var text = ""
        var rest = template[...]
        while let opening = rest.firstIndex(of: "{") {
            text += rest[..<opening]
            rest = rest[rest.index(after: opening)...]
            guard let closing = rest.firstIndex(of: "}") else { throw .character("{") }
            let name = String(rest[..<closing])
            if let secret, secret.name == name {
                text += percentEncoded(secret.value.reveal()) { $0.isUnreserved || ":/".utf8.contains($0) }
            } else if let value = values[name] {
                text += percentEncodedComponent(value)
            } else {
                throw .unknownName(name, known: (values.keys + [secret?.name].compactMap(\.self)).sorted())
            }
            rest = rest[rest.index(after: closing)...]
        }
        var address = try WebAddress(text + rest, insecure: insecure)
        address.secret = secret?.value
        return address
    }
}

extension WebAddress {
    /// Why istep does not accept a text as an address.
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
        /// A template contains an unknown name; `known` lists the valid ones.
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
        case .host(""): "there is no host after ://"
        case .host(let host):
            host.unicodeScalars.allSatisfy(\.isASCII)
                ? "\(quoted(host)) is not a host name or address"
                : "\(quoted(host)) is not an ASCII host name; write it in its form with xn--"
        case .port(let port): "\(quoted(port)) is not a port; ports are 1 to 65535"
        case .credentials: "an address cannot contain a user or password; use separate keys for them"
        case .fragment:
            "the address of a service cannot have a fragment (# and what follows); remove it, or write %23 for a literal #"
        case .character(let scalar):
            "the character \(quoted(String(scalar))) is not allowed in an address; write it percent-encoded"
        case .escape: "a % in an address is followed by two hexadecimal digits; write %25 where a % is meant"
        case .tooLong(let limit): "an address cannot have more than \(limit) bytes"
        case .insecure(let host):
            "plain http sends everything, including tokens, unencrypted to \(host); use https, or set `insecure` to true"
        case .unknownName(let name, let known):
            "the template names {\(printable(name))}; known names: " + known.map { "{\($0)}" }.joined(separator: ", ")
        }
    }
}

/// The characters of addresses (RFC 3986) and of HTTP.
enum AddressSyntax {
    /// A part of an address as the user wrote it. Characters that are not ASCII are encoded (RFC 3987, section 3.1).
    static func checked(_ part: Substring, allowed: (UInt8) -> Bool) throws(WebAddress.Problem) -> String {
        let bytes = Array(part.utf8)
        for (index, byte) in bytes.enumerated() where byte < 0x80 && !allowed(byte) {
            guard byte == UInt8(ascii: "%") else { throw .character(Unicode.Scalar(byte)) }
            let digits = bytes[(index + 1)...].prefix(2)
            guard digits.count == 2, digits.allSatisfy(isHexDigit) else { throw .escape }
        }
        return percentEncoded(part) { $0 < 0x80 }
    }

    static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte | 0x20
    }

    static func isHost(_ byte: UInt8) -> Bool { byte.isAlphanumeric || "-_".utf8.contains(byte) }

    static func isPath(_ byte: UInt8) -> Bool { byte.isUnreserved || "!$&'()*+,;=:@/".utf8.contains(byte) }

    static func isQuery(_ byte: UInt8) -> Bool { isPath(byte) || byte == UInt8(ascii: "?") }

    /// Whether a text is a token (RFC 9110, section 5.6.2), such as a method or the name of a header.
    static func isToken(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(\.isToken) }
}
