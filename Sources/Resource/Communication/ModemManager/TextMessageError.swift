internal import DBus
internal import Support

/// Why a text message was not sent, or may have been sent.
///
/// `mayHaveBeenSent` divides the cases by what matters most: after `unanswered` and `cancelled(wasSent: true)` the
/// message may be on its way, and sending it again may send it twice. After all others nothing was sent.
public enum TextMessageError: Error, Sendable, Hashable {
    // MARK: The machine, from the bottom up

    /// The system bus cannot be reached, or went away before anything was sent.
    case noBus(String)
    /// ModemManager does not run and could not be started.
    case notRunning
    /// ModemManager has found no modem, or not the one that was asked for.
    case noModem(wanted: String?)
    /// There are several modems, and none was asked for.
    case severalModems([String])
    /// The modem cannot send text messages.
    case noMessaging(modem: String)
    /// The modem or its SIM is locked. `lock` is ModemManager's name of what it waits for, such as `sim-pin`.
    case locked(modem: String, index: String, lock: String)
    /// The modem is switched off. It stays off: a user may have switched it off on purpose.
    case disabled(modem: String, index: String)
    /// The modem is switched on, and not registered in a network.
    case notRegistered(modem: String, index: String)
    /// The modem does not work (yet). `state` is its present state.
    case notReady(modem: String, index: String, state: String)
    /// The bus or polkit refuses this user.
    case accessDenied(String)

    // MARK: The message

    /// No telephone number.
    case badNumber(String)
    /// The text cannot be sent; the value says why.
    case badText(String)
    /// It takes more parts than allowed; nil if it is so long that they were not counted.
    case textTooLong(parts: Int?, limit: Int)

    // MARK: Sending

    /// ModemManager, the modem or the network refused, and will refuse again. Nothing was sent.
    case refused(reason: String)
    /// They cannot send now, because there is no network or they are busy. Nothing was sent.
    case notNow(reason: String)
    /// Sending began, and its result is not known: the message may have been sent.
    case unanswered(reason: String)
    /// The task was cancelled, before sending began or after.
    case cancelled(wasSent: Bool)
}

extension TextMessageError {
    /// Whether the message may be on its way. If false, it certainly is not, and sending again is safe.
    public var mayHaveBeenSent: Bool {
        switch self {
        case .unanswered: true
        case .cancelled(let wasSent): wasSent
        default: false
        }
    }
}

extension TextMessageError: CustomStringConvertible {
    /// One sentence without a full stop: what failed, on what, and why.
    public var description: String {
        switch self {
        case .noBus(let reason): DBusError.noSystemBus(reason)
        case .notRunning: "ModemManager is not running"
        case .noModem(nil): "ModemManager has found no modem"
        case .noModem(let wanted?): "ModemManager has found no modem \(quoted(wanted))"
        case .severalModems(let modems): "there are \(modems.count) modems: \(modems.joined(separator: ", "))"
        case .noMessaging(let modem): "\(modem) cannot send text messages"
        case .locked(let modem, _, let lock): "\(modem) is locked (\(lock))"
        case .disabled(let modem, _): "\(modem) is switched off"
        case .notRegistered(let modem, _): "\(modem) is not registered in a network"
        case .notReady(let modem, _, let state): "\(modem) is not ready: \(state)"
        case .accessDenied(let what): "access denied: \(what)"
        case .badNumber(let number): "\(quoted(number)) is not a telephone number"
        case .badText(let reason): "the text cannot be sent as a text message: \(reason)"
        case .textTooLong(let parts?, let limit): "the text takes \(parts) text messages, and \(limit) is the limit"
        case .textTooLong(nil, let limit): "the text is too long: \(limit) text messages is the limit"
        case .refused(let reason): "the text message was refused: \(reason)"
        case .notNow(let reason): "the text message cannot be sent now: \(reason)"
        case .unanswered(let reason): "it is not known whether the text message was sent: \(reason)"
        case .cancelled(wasSent: false): "cancelled before anything was sent"
        case .cancelled(wasSent: true): "cancelled while the text message was being sent; it may have been"
        }
    }
}

extension TextMessageError {
    /// What the user can do next, in one or two sentences.
    public var advice: String {
        switch self {
        case .noBus: DBusError.noSystemBusAdvice
        case .notRunning:
            "Install the package modemmanager if it is missing, then start ModemManager: `sudo systemctl enable --now ModemManager`"
        case .noModem(nil): "Plug in a modem with a SIM, wait half a minute, and look for it: `mmcli -L`"
        case .noModem: "Name a modem by its number or, better, by its IMEI. To list the modems: `mmcli -L`"
        case .severalModems: "Name the one that sends, preferably by its IMEI (\"equipment id\"): `mmcli -m 0`"
        case .noMessaging: "Use another modem: this one, or its driver, has no text messages."
        case .locked(_, let index, _):
            "Unlock it. To find the number of the SIM: `mmcli -m \(index)`. To enter its PIN: `mmcli -i SIM --pin=PIN`"
        case .disabled(_, let index):
            "istep does not switch on a modem that was switched off. To switch it on: `mmcli -m \(index) --enable`"
        case .notRegistered(_, let index): "Check antenna, SIM and contract. See its state: `mmcli -m \(index)`"
        case .notReady(_, let index, _):
            "If its state does not change, unplug the modem and plug it in again. See its state: `mmcli -m \(index)`"
        case .accessDenied:
            "Users that are not logged in at the machine itself need a polkit rule for org.freedesktop.ModemManager1.Messaging."
        case .badNumber:
            "Write it as it is called from abroad, with the country code and without (0), such as +491701234567."
        case .badText: "Change the text."
        case .textTooLong:
            "Shorten it; one character outside of the GSM alphabet more than halves what fits into a message."
        case .refused: "Check number, credit and the network's message centre. See the modem's state: `mmcli -m any`"
        case .notNow: "Try again later. See the modem's state: `mmcli -m any`"
        case .unanswered, .cancelled(wasSent: true):
            "Before you send it again, ask the receiver, or look at the list of messages: `mmcli -m any --messaging-list-sms`"
        case .cancelled(wasSent: false): "Run it again."
        }
    }
}

extension TextMessageError {
    /// The meaning of a failed call that sends nothing.
    init(_ error: DBusError, doing operation: String) {
        switch error {
        case .cannotConnect(let address, let reason): self = .noBus("\(quoted(address)): \(reason)")
        case .disconnected: self = .noBus("the connection was lost while \(operation)")
        case .timedOut(_, let seconds):
            self = .notNow(reason: "ModemManager did not answer within \(brief(seconds)) s when \(operation)")
        case .cancelled: self = .cancelled(wasSent: false)
        case .invalidMessage(let what), .nameTaken(let what): self = .refused(reason: "\(operation): \(what)")
        case .remote(let name, let message):
            switch (error.kind, name) {
            case (.noService, _): self = .notRunning
            case (.accessDenied, _), (_, MessageErrorName.unauthorized):
                self = .accessDenied("\(operation): \(Self.words(message))")
            default: self = .notSent(name, reason: "\(operation): \(Self.words(name, message))")
            }
        }
    }

    /// The meaning of an error after which it is certain that nothing was sent.
    static func notSent(_ name: String, reason: String) -> TextMessageError {
        MessageErrorName.passing.contains(name) ? .notNow(reason: reason) : .refused(reason: reason)
    }

    /// An error as ModemManager, a modem or another program reported it, as one line that is safe to print on a
    /// terminal.
    static func words(_ name: String, _ message: String) -> String {
        let short = String(name.prefix(100).split(separator: ".").suffix(2).joined(separator: "."))
        return message.isEmpty ? words(short) : "\(words(message)) (\(stripped(short)))"
    }

    private static func words(_ message: String) -> String {
        quoted(String(message.prefix(200)))
    }
}

extension DBusError {
    /// Whether ModemManager answered that there is no such object: it is gone, or never existed.
    /// (GDBus answers UnknownMethod for paths where nothing is exported, before GLib 2.58 and for some interfaces.)
    var saysUnknownObject: Bool { kind == .unknownObject || remoteName == MessageErrorName.bus + "InvalidArgs" }
}

/// Error names of the bus and of ModemManager (its reference manual, "Errors").
enum MessageErrorName {
    static let bus = "org.freedesktop.DBus.Error."
    static let core = "org.freedesktop.ModemManager1.Error.Core."
    static let equipment = "org.freedesktop.ModemManager1.Error.MobileEquipment."
    static let message = "org.freedesktop.ModemManager1.Error.Message."
    static let wrongState = core + "WrongState"
    static let unauthorized = core + "Unauthorized"

    /// Errors that pass without action: storage that is locked, a line in use, a network out of reach, a SIM that is
    /// busy.
    static let passing = Set(
        ["Retry", "InProgress", "Connected", "WrongState"].map { core + $0 }
            + ["NoNetwork", "SimBusy", "SmsServiceReserved"].map { message + $0 }
            + ["NoNetwork", "SimBusy"].map { equipment + $0 })
}

/// What a failed `Sms.Send` means: nothing was sent for certain, or something may have been.
///
/// In doubt, it may have been. It is certain for what the bus itself refuses, for what ModemManager checks before it
/// passes anything to the modem, and, for a message of one part, for an explicit refusal by the modem or network. If a
/// message has several parts, the first may have been sent before a later one was refused.
enum SendFailure {
    static func error(_ error: DBusError, parts: Int) -> TextMessageError {
        switch error {
        case .invalidMessage(let what): .refused(reason: what)
        case .cannotConnect, .disconnected, .nameTaken:
            .unanswered(reason: "the connection to the bus was lost before the answer")
        case .timedOut(_, let seconds): .unanswered(reason: "no answer within \(brief(seconds)) s")
        case .cancelled(_, let wasSent): .cancelled(wasSent: wasSent)
        case .remote(let name, let message): Self.error(name, message, parts: parts)
        }
    }

    private static func error(_ name: String, _ message: String, parts: Int) -> TextMessageError {
        let bus = MessageErrorName.bus
        if name == MessageErrorName.unauthorized || name == bus + "AccessDenied" {
            return TextMessageError(.remote(name: name, message: message), doing: "sending a text message")
        }
        // The ModemManager process that knew the message is gone, and did not receive the call.
        if name == bus + "ServiceUnknown" || name == bus + "NameHasNoOwner" { return .notRunning }
        let words = TextMessageError.words(name, message)
        if isBeforeSending(name) || parts == 1 && isRefusal(name, message) { return .notSent(name, reason: words) }
        if name == bus + "NoReply" { return .unanswered(reason: "ModemManager ended before its answer") }
        return .unanswered(reason: words)
    }

    /// Errors that are returned before a modem receives anything to send.
    private static func isBeforeSending(_ name: String) -> Bool {
        let bus = ["UnknownMethod", "UnknownObject", "UnknownInterface", "InvalidArgs"].map {
            MessageErrorName.bus + $0
        }
        let core = ["InvalidArgs", "Unsupported", "WrongState", "WrongSimState", "TooMany"].map {
            MessageErrorName.core + $0
        }
        return (bus + core).contains(name)
    }

    /// Errors that a modem or network returns instead of sending. Timeouts of the network, failures of the modem's
    /// memory and unknown errors are not among them: the message may have been sent before.
    private static func isRefusal(_ name: String, _ message: String) -> Bool {
        if name == MessageErrorName.message + "Unknown" { return isRefusedByNetwork(message) }
        return refusals.contains(name)
    }

    private static let refusals = Set(
        ["Retry", "Connected"].map { MessageErrorName.core + $0 }
            + [
                "SmsServiceReserved", "NotAllowed", "NotSupported", "InvalidPduParameter", "InvalidTextParameter",
                "SimNotInserted",
                "SimPin", "PhSimPin", "SimBusy", "SimWrong", "SimPuk", "SimPin2", "SimPuk2", "SmscAddressUnknown",
                "NoNetwork",
            ].map { MessageErrorName.message + $0 }
            + [
                "NotAllowed", "NotSupported", "PhSimPin", "SimNotInserted", "SimPin", "SimPuk", "SimBusy", "SimWrong",
                "SimPin2",
                "SimPuk2", "TextTooLong", "InvalidChars", "DialStringTooLong", "DialStringInvalid", "NoNetwork",
                "NetworkNotAllowed", "IncorrectParameters", "FixedDialNumberOnly",
            ].map { MessageErrorName.equipment + $0 })

    /// ModemManager passes the causes of a network on as an unknown error with the number at the end.
    ///
    /// Only permanent causes: unassigned number, barring, transfer rejected, unidentified or unknown subscriber,
    /// facility rejected, not subscribed, not implemented (3GPP TS 24.011, table 8.4). Modems also report temporary
    /// ones for a lost answer.
    private static func isRefusedByNetwork(_ message: String) -> Bool {
        guard let number = message.split(separator: " ").last.flatMap({ Int($0) }) else { return false }
        return [1, 8, 10, 21, 28, 29, 30, 50, 69].contains(number)
    }
}
