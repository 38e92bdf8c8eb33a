/// How long ModemManager may take.
public struct MessageLimits: Sendable, Hashable {
    /// For everything but sending.
    public var call: Duration
    /// For sending a message, all of its parts. ModemManager itself gives each part up to five minutes; what takes longer than
    /// this limit is `TextMessageError.unanswered`, and may be found as sent later.
    public var send: Duration

    /// The limits that serve a network with bad reception.
    public init(call: Duration = .seconds(25), send: Duration = .seconds(120)) {
        self.call = call
        self.send = send
    }
}
