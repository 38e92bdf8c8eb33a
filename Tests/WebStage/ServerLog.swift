/// What happened at a `LoopbackServer` so far.
public struct ServerLog: Sendable {
    /// In the order in which they were complete.
    public internal(set) var requests: [ReceivedRequest] = []
    /// What clients sent that is no HTTP.
    public internal(set) var violations: [String] = []
    /// How many connections came.
    public internal(set) var connections = 0
    /// How many of them are there no more.
    public internal(set) var closedConnections = 0
    /// How often a client left in the middle of its own request.
    public internal(set) var cutOffs = 0
    /// How often a client left in the middle of an answer, or while it waited for one.
    public internal(set) var hangups = 0
}
