internal import Quoting

extension TextMessageError: CustomStringConvertible {
    /// One sentence without a full stop: what failed, on what, and why.
    public var description: String {
        switch self {
        case .noBus(let reason): "no connection to the D-Bus bus: \(reason)"
        case .notRunning: "ModemManager is not running"
        case .noModem(nil): "ModemManager knows no modem"
        case .noModem(let wanted?): "ModemManager knows no modem \(quoted(wanted))"
        case .severalModems(let modems): "there are \(modems.count) modems: \(modems.joined(separator: ", "))"
        case .noMessaging(let modem): "\(modem) cannot send text messages"
        case .locked(let modem, _, let lock): "\(modem) is locked (\(lock))"
        case .disabled(let modem, _): "\(modem) is switched off"
        case .notRegistered(let modem, _): "\(modem) is not registered in a network"
        case .notReady(let modem, _, let state): "\(modem) is not ready: \(state)"
        case .accessDenied(let what): "access denied: \(what)"
        case .badNumber(let number): "\(quoted(number)) is no telephone number"
        case .badText(let reason): "the text cannot be sent as a text message: \(reason)"
        case .textTooLong(let parts?, let limit): "the text takes \(parts) text messages, and \(limit) is the limit"
        case .textTooLong(nil, let limit): "the text is too long: \(limit) text messages is the limit"
        case .refused(let reason): "the text message was refused: \(reason)"
        case .notNow(let reason): "the text message cannot be sent now: \(reason)"
        case .unanswered(let reason): "whether the text message was sent is not known: \(reason)"
        case .cancelled(wasSent: false): "cancelled before anything was sent"
        case .cancelled(wasSent: true): "cancelled while the text message was being sent; it may have been"
        }
    }
}
