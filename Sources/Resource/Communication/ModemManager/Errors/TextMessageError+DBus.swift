internal import DBus
internal import Quoting

extension TextMessageError {
    /// What a failed call means that sends nothing.
    init(_ error: DBusError, doing operation: String) {
        switch error {
        case .cannotConnect(let address, let reason): self = .noBus("\(quoted(address)): \(reason)")
        case .disconnected: self = .noBus("it went away while \(operation)")
        case .timedOut(_, let seconds): self = .notNow(reason: "ModemManager did not answer within \(Self.text(seconds)) s when \(operation)")
        case .cancelled: self = .cancelled(wasSent: false)
        case .invalidMessage(let what), .nameTaken(let what): self = .refused(reason: "\(operation): \(what)")
        case .remote(let name, let message): self.init(remote: name, message, doing: operation)
        }
    }

    private init(remote name: String, _ message: String, doing operation: String) {
        let bus = MessageErrorName.bus
        switch name {
        // The bus says NoReply for a receiver that left before it answered: ModemManager ended.
        case bus + "ServiceUnknown", bus + "NameHasNoOwner", bus + "NoReply": self = .notRunning
        case _ where name.hasPrefix(bus + "Spawn") || name.hasPrefix("org.freedesktop.systemd1."): self = .notRunning
        case bus + "AccessDenied", bus + "AuthFailed", bus + "InteractiveAuthorizationRequired", MessageErrorName.unauthorized:
            self = .accessDenied("\(operation): \(Self.words(message))")
        default: self = .notSent(name, reason: "\(operation): \(Self.words(name, message))")
        }
    }

    /// What an error means after which nothing was sent for sure.
    static func notSent(_ name: String, reason: String) -> TextMessageError {
        MessageErrorName.passing.contains(name) ? .notNow(reason: reason) : .refused(reason: reason)
    }

    /// An error as ModemManager, a modem or whoever else told it, in one line that a terminal only shows.
    static func words(_ name: String, _ message: String) -> String {
        let short = String(name.prefix(100).split(separator: ".").suffix(2).joined(separator: "."))
        return message.isEmpty ? words(short) : "\(words(message)) (\(plain(short)))"
    }

    /// Without the fraction that most limits do not have.
    static func text(_ seconds: Double) -> String {
        seconds == seconds.rounded() && abs(seconds) < 1e9 ? String(Int(seconds)) : String(seconds)
    }

    private static func words(_ message: String) -> String {
        quoted(String(message.prefix(200)))
    }

    private static func plain(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.isUnfitForTerminals }))
    }
}

extension DBusError {
    /// Whether ModemManager answered that there is no such object: gone, or never there.
    var saysUnknownObject: Bool {
        switch remoteName {
        // GDBus answers UnknownMethod for paths where nothing is exported (before GLib 2.58, and for some interfaces).
        case "org.freedesktop.DBus.Error.UnknownObject", "org.freedesktop.DBus.Error.UnknownMethod",
            "org.freedesktop.DBus.Error.UnknownInterface", "org.freedesktop.DBus.Error.InvalidArgs":
            true
        default: false
        }
    }
}
