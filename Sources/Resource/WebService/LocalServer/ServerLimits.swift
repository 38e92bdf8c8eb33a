/// What clients may use. Any process of this machine can connect, so everything is bounded.
public struct ServerLimits: Hashable, Sendable {
    /// Bytes of request line and header fields. Browsers send less than 4 KB.
    public var head = 16_384
    /// Bytes of a form. The greatest has ten fields.
    public var body = 65_536
    /// Connections at a time. A browser uses six for a server.
    public var connections = 64
    /// Time for a request to be complete, and for a client to accept some bytes of a response.
    public var request = Duration.seconds(10)
    /// Time that a connection without a request stays open.
    public var idle = Duration.seconds(30)
    /// Bytes that a client of a stream may be behind.
    public var backlog = 262_144

    public init() {}
}
