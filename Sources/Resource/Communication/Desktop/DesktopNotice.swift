/// What a desktop tells its user in a bubble (org.freedesktop.Notifications, Desktop Notifications Specification 1.2).
public struct DesktopNotice: Sendable, Hashable {
    /// One line, plain text.
    public var summary: String
    /// More lines; the specification lets servers read markup in it, so that `&`, `<` and `>` are escaped when it is sent.
    public var body: String

    public init(summary: String, body: String) {
        self.summary = summary
        self.body = body
    }
}
