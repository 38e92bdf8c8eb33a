/// What happened at a `LoopbackServer` so far.
public struct ServerLog: Sendable {
    /// In the order in which they were completed.
    public internal(set) var requests: [ReceivedRequest] = []
    /// What clients sent in violation of HTTP.
    public internal(set) var violations: [String] = []
    /// How many connections were accepted.
    public internal(set) var connections = 0
    /// How many of them are closed.
    public internal(set) var closedConnections = 0
    /// How often a client closed the connection in the middle of its request.
    public internal(set) var cutOffs = 0
    /// How often a client closed the connection in the middle of an answer, or while it waited for one.
    public internal(set) var hangups = 0
}
