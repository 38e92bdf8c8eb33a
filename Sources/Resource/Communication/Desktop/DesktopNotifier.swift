public import DBus
public import StepDomain
internal import Support

/// A session's notification server (org.freedesktop.Notifications, Desktop Notifications Specification 1.2), over the
/// session's bus.
///
/// A session without one is normal: a text console, a service of the machine.
public actor DesktopNotifier: NotifierSession {
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

    /// Shows a notification. It replaces no other, and the server decides how long it stays.
    ///
    /// Many servers show a notification at once and answer late: one that was handed over counts as shown if the answer
    /// does not arrive within the limit.
    ///
    /// - Throws: the server refused it or went away, or the task was cancelled before it was handed over.
    public func show(_ notification: UserNotification) async throws(DBusError) {
        let (category, icon) = Self.appearance(of: notification.kind)
        let urgency: UInt8 = notification.kind == .goalReached ? 0 : 1  // low, normal
        var hints: [String: DBusValue] = ["urgency": .byte(urgency), "desktop-entry": .string(Self.program)]
        if let category { hints["category"] = .string(category) }
        let body = readsMarkup ? xmlEscaped(notification.body, in: .notification) : notification.body
        do throws(DBusError) {
            _ = try await bus.call(
                Self.name, Self.path, Self.name, "Notify",
                [
                    .string(Self.program), .uint32(0), .string(icon), .string(notification.summary), .string(body),
                    .array(element: "s", []), .properties(hints), .int32(-1),
                ], timeout: limit)
        } catch {
            switch error {
            case .timedOut, .cancelled(_, wasSent: true): return
            case .cancelled, .cannotConnect, .disconnected, .remote, .invalidMessage, .nameTaken: throw error
            }
        }
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

    public func close() async { await bus.close() }
}

/// The notification server of a user's session.
public struct SessionNotifier: Notifier {
    private let address: DBusAddress

    /// - Parameter address: the address of the session's bus.
    public init(_ address: DBusAddress) { self.address = address }

    public func connect() async -> (any NotifierSession)? { await DesktopNotifier.open(address) }
}
