/// Shows notifications to a user who is doing something else: what a desktop must do for the domain.
public protocol Notifier: Sendable {
    /// Connects to what shows notifications at this moment; nil if nothing does (nobody is logged in, a text console).
    func connect() async -> (any NotifierSession)?
}

/// A connection to what shows notifications.
public protocol NotifierSession: Sendable {
    /// Returns when the notification was handed over.
    ///
    /// - Throws: if it is certain that it was not shown.
    func show(_ notification: UserNotification) async throws

    func close() async
}

/// A notification, in words.
public struct UserNotification: Hashable, Sendable {
    /// One line.
    public var summary: String
    /// More lines; empty for none.
    public var body: String
    /// What it is about; nil for several different things.
    public var kind: Notice.Kind?

    public init(summary: String, body: String = "", kind: Notice.Kind? = nil) {
        self.summary = summary
        self.body = body
        self.kind = kind
    }
}
