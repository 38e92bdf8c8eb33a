/// Limits for the time of a request and the size of an answer.
public struct HTTPLimits: Hashable, Sendable {
    /// Time to resolve the host, connect and negotiate TLS.
    public var connect: Duration
    /// Time without a byte sent or received.
    public var silence: Duration
    /// Time from the start of the name lookup to the last byte of the answer.
    public var whole: Duration
    /// Bytes of the answer's body.
    public var body: Int
    /// Bytes of the answer's headers, interim answers included.
    public var head: Int

    public init(
        connect: Duration = .seconds(10), silence: Duration = .seconds(20), whole: Duration = .seconds(60),
        body: Int = 256 * 1024, head: Int = 64 * 1024
    ) {
        self.connect = connect
        self.silence = silence
        self.whole = whole
        self.body = body
        self.head = head
    }
}
