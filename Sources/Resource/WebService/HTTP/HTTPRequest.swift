internal import Foundation
public import Support

/// A request to a web service.
public struct HTTPRequest: Hashable, Sendable {
    /// Such as `PUT`.
    public var method: String
    public var url: WebAddress
    /// Besides `Host`, `User-Agent`, `Accept`, `Accept-Encoding` and `Content-Length`, which are set automatically.
    public var headers: [Header]
    public var body: Body?
    /// Whether the server may receive it twice without harm. Such a request is sent again automatically if a kept
    /// connection turns out to be closed; any other request gets a connection of its own.
    public var isRepeatable: Bool

    /// - Parameter isRepeatable: nil means by the method: GET, HEAD, OPTIONS, PUT and DELETE are (RFC 9110, section
    ///   9.2.2).
    public init(
        method: String, url: WebAddress, headers: [Header] = [], body: [UInt8]? = nil, isRepeatable: Bool? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body.map { .bytes($0) }
        self.isRepeatable = isRepeatable ?? ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"].contains(method)
    }

    /// A request with a form as its body, as web pages send them (`application/x-www-form-urlencoded`).
    public static func form(
        _ fields: [Field], to url: WebAddress, method: String = "POST", headers: [Header] = [],
        isRepeatable: Bool? = nil
    ) -> HTTPRequest {
        let type = Header("Content-Type", "application/x-www-form-urlencoded")
        var request = HTTPRequest(method: method, url: url, headers: [type] + headers, isRepeatable: isRepeatable)
        request.body = .form(fields)
        return request
    }

    public struct Header: Hashable, Sendable {
        public var name: String
        public var value: Value

        public init(_ name: String, _ value: Value) {
            self.name = name
            self.value = value
        }

        public init(_ name: String, _ value: String) { self.init(name, .plain(value)) }

        /// `Authorization: Bearer` (RFC 6750, section 2.1).
        public static func bearer(_ token: Secret) -> Header {
            Header("Authorization", .secret(prefix: "Bearer ", token))
        }

        /// `Authorization: Basic` (RFC 7617). There cannot be a colon in `user`.
        public static func basic(user: String, password: Secret) -> Header {
            Header("Authorization", .basic(user: user, password: password))
        }

        /// `Authorization: Digest` (RFC 7616). The request is first sent as a whole without it: only the server's
        /// answer to that (401) has what the header is calculated from. There cannot be a colon in `user`.
        public static func digest(user: String, password: Secret) -> Header {
            Header("Authorization", .digest(user: user, password: password))
        }
    }

    /// The value of a header or of a field of a form.
    public enum Value: Hashable, Sendable {
        case plain(String)
        /// A secret after a prefix that is not secret, such as `Bearer `.
        case secret(prefix: String = "", Secret)
        /// `Basic ` and both in base64.
        case basic(user: String, password: Secret)
        /// Calculated by libcurl from both and from what the server sends. Only as the header `Authorization`.
        case digest(user: String, password: Secret)
    }

    /// A field of a form.
    public struct Field: Hashable, Sendable {
        public var name: String
        public var value: Value

        public init(_ name: String, _ value: Value) {
            self.name = name
            self.value = value
        }

        public init(_ name: String, _ value: String) { self.init(name, .plain(value)) }
    }

    public enum Body: Hashable, Sendable {
        case bytes([UInt8])
        case form([Field])
    }
}

extension HTTPRequest.Header {
    private static let own: Set<String> = [
        "connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Whether a text can be the name of a header (RFC 9110, section 5.1).
    public static func isName(_ text: String) -> Bool { AddressSyntax.isToken(text) }

    /// Whether this header defines the framing of a message, or is set automatically, whatever its case. Setting one of
    /// these twice allows request smuggling (RFC 9112, section 11.2).
    public static func isOwn(_ name: String) -> Bool { own.contains(name.lowercased()) }
}

extension HTTPRequest {
    /// Why the request cannot be sent as it is; nil if it can. Values are never included, as they may be secret.
    var problem: String? {
        guard AddressSyntax.isToken(method) else { return "\(quoted(method)) is not a method" }
        for header in headers {
            guard Header.isName(header.name) else { return "\(quoted(header.name)) is not a header name" }
            if Header.isOwn(header.name) { return "the header \(header.name) cannot be set; istep sets it" }
            if let user = header.value.user, user.contains(":") {
                return "a user of basic or digest authentication cannot have a colon in the name"
            }
            // A line break in a value would begin another header, or another request.
            if header.value.revealed.unicodeScalars.contains(where: { $0.value < 0x20 || 0x7f...0x9f ~= $0.value }) {
                return "the value of the header \(header.name) has a control character in it"
            }
        }
        return nil
    }
}

extension HTTPRequest {
    /// Every secret of the request: a server's answer may repeat them.
    public var secrets: [Secret] {
        var values = headers.map(\.value)
        if case .form(let fields) = body { values += fields.map(\.value) }
        return values.compactMap(\.secret) + [url.secret].compactMap(\.self)
    }

    /// Whether it authenticates by `Header.digest`.
    public var usesDigest: Bool { digest != nil }

    var digest: (user: String, password: Secret)? {
        for header in headers {
            if case .digest(let user, let password) = header.value { return (user, password) }
        }
        return nil
    }

    /// The body as it is sent; nil if there is none.
    var payload: [UInt8]? {
        switch body {
        case .bytes(let bytes): bytes
        case .form(let fields): Array(HTTPRequest.encoded(fields) { $0.revealed }.utf8)
        case nil: nil
        }
    }

    static func encoded(_ fields: [Field], _ text: (Value) -> String) -> String {
        fields.map { percentEncodedComponent($0.name) + "=" + percentEncodedComponent(text($0.value)) }.joined(
            separator: "&")
    }
}

extension HTTPRequest.Value {
    /// The text that is sent, for the transport only; of Digest what is sent as it is.
    var revealed: String {
        switch self {
        case .plain(let text): text
        case .secret(let prefix, let secret): prefix + secret.reveal()
        case .basic(let user, let password):
            "Basic " + Data((user + ":" + password.reveal()).utf8).base64EncodedString()
        case .digest(let user, _): user
        }
    }

    /// The text to be shown.
    var masked: String {
        switch self {
        case .plain(let text): text
        case .secret(let prefix, let secret): prefix + secret.description
        case .basic(_, let password): "Basic " + password.description
        case .digest(_, let password): "Digest " + password.description
        }
    }

    var secret: Secret? {
        switch self {
        case .plain: nil
        case .secret(_, let secret), .basic(_, let secret), .digest(_, let secret): secret
        }
    }

    fileprivate var user: String? {
        switch self {
        case .plain, .secret: nil
        case .basic(let user, _), .digest(let user, _): user
        }
    }
}

extension HTTPRequest {
    /// The request, for display: the request line and the headers with secrets as bullets, an empty line, the body.
    /// Lines end with `\n`, control characters are escaped. `User-Agent` is missing, as the transport sets it.
    public var preview: String {
        var lines = ["\(method) \(url.maskedTarget) HTTP/1.1", "Host: \(url.authority)"]
        if !has("Accept") { lines.append("Accept: */*") }
        if !has("Accept-Encoding") { lines.append("Accept-Encoding: identity") }
        lines += headers.map { "\($0.name): \($0.value.masked)" }
        if let length = announcedLength { lines.append("Content-Length: \(length)") }
        return (lines.map { printable($0) } + ["", shownBody]).joined(separator: "\n")
    }

    // MARK: Parts

    /// Whether a header of this name, whatever its case, is among those that are set.
    func has(_ name: String) -> Bool { headers.contains { $0.name.lowercased() == name.lowercased() } }

    /// The length of a missing body is sent as zero if a server expects a body by the method (RFC 9110, section 8.6).
    var announcesLength: Bool { body != nil || ["POST", "PUT", "PATCH"].contains(method) }

    private var announcedLength: String? {
        guard announcesLength else { return nil }
        // The length of a form would reveal that of its secrets.
        if case .form(let fields) = body, let secret = fields.compactMap(\.value.secret).first {
            return secret.description
        }
        return String(payload?.count ?? 0)
    }

    private var shownBody: String {
        switch body {
        case .bytes(let bytes):
            String(validating: bytes, as: UTF8.self).map { printable($0, keeping: ["\n", "\t"]) }
                ?? "(\(bytes.count) bytes that are not text)"
        case .form(let fields):
            fields.map {
                let value = $0.value.secret == nil ? percentEncodedComponent($0.value.masked) : $0.value.masked
                return percentEncodedComponent($0.name) + "=" + value
            }.joined(separator: "&")
        case nil: ""
        }
    }
}

extension WebAddress {
    /// Words in the name of a query parameter whose value services use as a secret, such as `access_token` or
    /// `api_key`.
    private static let secretWords = ["token", "key", "secret", "pass", "auth", "sig", "code", "credential"]

    /// Names of folders after which services put a secret, such as `/api/webhook/…`.
    private static let secretFolders: Set = ["webhook", "webhooks", "hook", "hooks", "token", "tokens", "key", "keys"]

    /// The path, with parts that look like secrets as bullets: the address of a webhook is its password.
    private var maskedPath: String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let masked = parts.enumerated().map { index, part -> Substring in
            let isAfterFolder = index > 0 && Self.secretFolders.contains(parts[index - 1].lowercased())
            return Self.looksSecret(part, isAfterFolder: isAfterFolder) ? Substring(Secret.bullets) : part
        }
        return masked.joined(separator: "/")
    }

    /// Whether a part of a path is like one of a webhook: 16 or more letters, digits, -, _ and :, of which both letters
    /// and digits; where it follows a folder of secrets, any text with a digit or of this length. A date is no part of
    /// a secret.
    private static func looksSecret(_ part: Substring, isAfterFolder: Bool) -> Bool {
        let rest = part.replacing(/\d{4}-\d\d-\d\d/, with: "")
        guard rest.utf8.allSatisfy({ $0.isAlphanumeric || "-_:".utf8.contains($0) }) else { return false }
        let hasDigit = rest.contains(where: \.isNumber), isLong = rest.utf8.count >= 16
        return isAfterFolder ? hasDigit || isLong : isLong && hasDigit && rest.contains(where: \.isLetter)
    }

    /// Path and query, with parts of the path and values of parameters that look like secrets as bullets.
    var maskedTarget: String {
        let target = maskedByShape
        return secret?.scrubbed(from: target) ?? target
    }

    private var maskedByShape: String {
        guard let query else { return maskedPath }
        let parameters = query.split(separator: "&", omittingEmptySubsequences: false).map { parameter -> String in
            guard let equals = parameter.firstIndex(of: "=") else { return String(parameter) }
            let name = parameter[..<equals].lowercased()
            guard Self.secretWords.contains(where: name.contains) else { return String(parameter) }
            return "\(parameter[...equals])\(Secret.bullets)"
        }
        return "\(maskedPath)?\(parameters.joined(separator: "&"))"
    }
}
