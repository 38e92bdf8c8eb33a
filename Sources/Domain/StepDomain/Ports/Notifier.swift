/// Shows notifications to a user who is doing something else: what a desktop must do for the domain.
public protocol Notifier: Sendable {
    /// Connects to the current notification service; nil if there is none (nobody is logged in, a text console).
    func connect() async -> (any NotifierSession)?
}

/// A connection to a notification service.
public protocol NotifierSession: Sendable {
    /// Returns when the notification was passed to the service.
    ///
    /// - Throws: if it is certain that it was not shown.
    func show(_ notification: UserNotification) async throws

    func close() async
}

/// The text of a notification.
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
