/// What a desktop tells its user in a bubble (org.freedesktop.Notifications, Desktop Notifications Specification 1.2).
public struct DesktopNotice: Sendable, Hashable {
    /// How much it matters; servers keep a critical one until somebody has clicked it away.
    public enum Urgency: UInt8, Sendable, Hashable {
        case low, normal, critical
    }

    /// One line, plain text.
    public var summary: String
    /// More lines, plain text too; empty for none.
    public var body: String
    public var urgency: Urgency
    /// What it is about, as the specification has it, such as `device.error`; nil for none.
    public var category: String?
    /// Name of an icon in the theme (Icon Naming Specification); empty for none.
    public var icon: String

    public init(
        summary: String, body: String, urgency: Urgency = .normal, category: String? = nil, icon: String = ""
    ) {
        self.summary = summary
        self.body = body
        self.urgency = urgency
        self.category = category
        self.icon = icon
    }
}
