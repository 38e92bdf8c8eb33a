public import DBus
public import StepDomain
internal import Support

/// A session's notification server, over the session's bus.
///
/// A session without one is normal: a text console, a service of the machine.
public actor DesktopNotifier {
    private let bus: DBusConnection
    private let limit: Duration
    /// Whether the server interprets markup in bodies: then characters of markup are escaped.
    private let readsMarkup: Bool

    private init(_ bus: DBusConnection, readsMarkup: Bool, limit: Duration) {
        self.bus = bus
        self.readsMarkup = readsMarkup
        self.limit = limit
    }

    private static let name = "org.freedesktop.Notifications"
    private static let path: ObjectPath = "/org/freedesktop/Notifications"
    /// The installed name: a file `istep.desktop` is not required.
    private static let program = "istep"

    /// Connects to the server of a session; the bus starts one if it can.
    ///
    /// - Parameters:
    ///   - address: the address of the session's bus.
    ///   - limit: the time limit for each answer.
    /// - Returns: nil if there is no notification service: no bus, no server, or none that answers.
    public static func open(_ address: DBusAddress, limit: Duration = .seconds(5)) async -> DesktopNotifier? {
        guard let bus = try? await DBusConnection.open(address, timeout: limit) else { return nil }
        guard let reply = try? await bus.call(name, path, name, "GetCapabilities", timeout: limit),
            let capabilities = reply.first?.arrayValue
        else {
            await bus.close()
            return nil
        }
        return DesktopNotifier(bus, readsMarkup: capabilities.contains(.string("body-markup")), limit: limit)
    }

    /// Shows a notice.
    ///
    /// - Returns: the number by which the server knows it; nil if it was handed over and the answer did not arrive
    ///   within the limit: many servers show a notification at once and answer late.
    /// - Throws: `DBusError`: the server refused it or went away, or the task was cancelled before it was handed over.
    @discardableResult
    public func show(_ notice: DesktopNotice) async throws(DBusError) -> Int? {
        var hints: [String: DBusValue] = [
            "urgency": .byte(notice.urgency.rawValue), "desktop-entry": .string(Self.program),
        ]
        if let category = notice.category { hints["category"] = .string(category) }
        let body = readsMarkup ? xmlEscaped(notice.body, in: .notification) : notice.body
        do throws(DBusError) {
            let reply = try await bus.call(
                Self.name, Self.path, Self.name, "Notify",
                [
                    // It replaces no other notification, and the server decides how long it stays.
                    .string(Self.program), .uint32(0), .string(notice.icon), .string(notice.summary), .string(body),
                    .array(element: "s", []), .properties(hints), .int32(-1),
                ], timeout: limit)
            return reply.first?.intValue ?? 0
        } catch {
            switch error {
            case .timedOut, .cancelled(_, wasSent: true): return nil
            case .cancelled, .cannotConnect, .disconnected, .remote, .invalidMessage, .nameTaken: throw error
            }
        }
    }

    public func close() async { await bus.close() }
}

/// A notification of the desktop (org.freedesktop.Notifications, Desktop Notifications Specification 1.2).
public struct DesktopNotice: Sendable, Hashable {
    /// The importance; servers keep a critical one until the user closes it.
    public enum Urgency: UInt8, Sendable, Hashable {
        case low, normal, critical
    }

    /// One line, plain text.
    public var summary: String
    /// More lines, plain text too; empty for none.
    public var body: String
    public var urgency: Urgency
    /// The category as in the specification, such as `device.error`; nil for none.
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

/// The notification server of a user's session.
public struct SessionNotifier: Notifier {
    private let address: DBusAddress

    /// - Parameter address: the address of the session's bus.
    public init(_ address: DBusAddress) { self.address = address }

    public func connect() async -> (any NotifierSession)? { await DesktopNotifier.open(address) }
}

extension DesktopNotifier: NotifierSession {
    /// - Throws: `DBusError`.
    public func show(_ notification: UserNotification) async throws {
        try await show(DesktopNotice(notification))
    }
}

extension DesktopNotice {
    init(_ notification: UserNotification) {
        let (category, icon) = Self.appearance(of: notification.kind)
        self.init(
            summary: notification.summary, body: notification.body,
            urgency: notification.kind == .goalReached ? .low : .normal,
            category: category, icon: icon)
    }

    /// Categories by the Desktop Notifications Specification, icons by the Icon Naming Specification: every theme has
    /// these.
    private static func appearance(of kind: Notice.Kind?) -> (category: String?, icon: String) {
        switch kind {
        case .nightsFailed, .notSeen, .daysMissing, .clockWasOff, .stepsLost, .stepsInDoubt:
            ("device.error", "dialog-warning")
        case .batteryLow: ("device", "battery-caution")
        case .shareRejected, .shareInDoubt, .destinationStopped, .shareWaiting: ("transfer.error", "dialog-warning")
        case .goalReached: ("x-istep.goal", "dialog-information")
        case nil: (nil, "dialog-information")
        }
    }
}
