public import DBus

/// A session's notification server, over the session's bus.
///
/// A session without one is nothing out of the ordinary: a text console, a service of the machine.
public actor DesktopNotifier {
    private let bus: DBusConnection
    private let limit: Duration
    /// Whether the server reads markup in bodies: then what could be taken for it is escaped.
    private let readsMarkup: Bool

    private init(_ bus: DBusConnection, readsMarkup: Bool, limit: Duration) {
        self.bus = bus
        self.readsMarkup = readsMarkup
        self.limit = limit
    }

    private static let name = "org.freedesktop.Notifications"
    private static let path: ObjectPath = "/org/freedesktop/Notifications"
    /// As it is installed: a file `istep.desktop` need not be there.
    private static let program = "istep"

    /// Connects to the server of a session; the bus starts one if it can.
    ///
    /// - Parameters:
    ///   - address: of the session's bus.
    ///   - limit: for each answer.
    /// - Returns: nil where nobody shows notifications: no bus, no server, or none that answers.
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
    /// - Returns: the number by which the server knows it; nil where it has been handed over and the answer was not waited for any longer:
    ///   many a server answers late what it shows at once.
    /// - Throws: `DBusError`: the server refused it or went away, or the task was cancelled before.
    @discardableResult
    public func show(_ notice: DesktopNotice) async throws(DBusError) -> Int? {
        if Task.isCancelled { throw .cancelled(call: "Notify") }
        var hints: [String: DBusValue] = [
            "urgency": .byte(notice.urgency.rawValue), "desktop-entry": .string(Self.program),
        ]
        if let category = notice.category { hints["category"] = .string(category) }
        let body = readsMarkup ? Self.escaped(notice.body) : notice.body
        do throws(DBusError) {
            let reply = try await bus.call(
                Self.name, Self.path, Self.name, "Notify",
                [
                    // It takes the place of none, and the server decides how long it stays.
                    .string(Self.program), .uint32(0), .string(notice.icon), .string(notice.summary), .string(body),
                    .array(element: "s", []), .properties(hints), .int32(-1),
                ], timeout: limit)
            return reply.first?.intValue ?? 0
        } catch {
            switch error {
            case .timedOut, .cancelled: return nil
            case .cannotConnect, .disconnected, .remote, .invalidMessage, .nameTaken: throw error
            }
        }
    }

    public func close() async { await bus.close() }

    /// `&`, `<` and `>` are all that begins or ends markup.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }
}
