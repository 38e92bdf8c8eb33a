public import Quoting

/// A request to a web service.
public struct HTTPRequest: Hashable, Sendable {
    /// Such as `PUT`.
    public var method: String
    public var url: WebAddress
    /// Besides `Host`, `User-Agent`, `Accept` and `Content-Length`, which come by themselves.
    public var headers: [Header]
    public var body: Body?
    /// Whether the server may get it twice without harm. Such a request goes out a second time by itself where a kept connection turns
    /// out to be closed; another one gets a connection of its own.
    public var isRepeatable: Bool

    /// - Parameter isRepeatable: nil goes by the method: GET, HEAD, OPTIONS, PUT and DELETE are (RFC 9110, section 9.2.2).
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
        _ fields: [Field], to url: WebAddress, method: String = "POST", headers: [Header] = [], isRepeatable: Bool? = nil
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
        public static func bearer(_ token: Secret) -> Header { Header("Authorization", .secret(prefix: "Bearer ", token)) }

        /// `Authorization: Basic` (RFC 7617). There cannot be a colon in `user`.
        public static func basic(user: String, password: Secret) -> Header {
            Header("Authorization", .basic(user: user, password: password))
        }
    }

    /// The value of a header or of a field of a form.
    public enum Value: Hashable, Sendable {
        case plain(String)
        /// A secret, behind what is none, such as `Bearer `.
        case secret(prefix: String = "", Secret)
        /// `Basic ` and both in base64.
        case basic(user: String, password: Secret)
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
