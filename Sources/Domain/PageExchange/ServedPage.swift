/// A request as a browser sent it, complete and within the limits.
public struct ServedRequest: Hashable, Sendable {
    /// Such as `GET`.
    public var method: String
    /// Path and query as they were sent; begins with a slash.
    public var target: String
    /// Names in lower case.
    public var headers: [String: String]
    public var body: [UInt8]

    public init(method: String, target: String, headers: [String: String] = [:], body: [UInt8] = []) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }
}

/// The response to a request.
public struct ServedResponse: Sendable {
    public enum Body: Sendable {
        case bytes([UInt8])
        /// Sent as it arrives; the connection is closed after it.
        case stream(AsyncStream<[UInt8]>)
    }

    public var status: Int
    public var headers: [(name: String, value: String)]
    public var body: Body

    public init(status: Int, headers: [(name: String, value: String)] = [], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
