/// Why a text message was not sent, or perhaps was.
///
/// `mayHaveBeenSent` parses the cases by what matters most: after `unanswered` and `cancelled(wasSent: true)` the message may be on
/// its way, and sending it again may send it twice. After all others nothing was sent.
public enum TextMessageError: Error, Sendable, Hashable {
    // MARK: The machine, from the bottom up

    /// The system bus cannot be reached, or went away before anything was sent.
    case noBus(String)
    /// ModemManager does not run and could not be started.
    case notRunning
    /// ModemManager knows no modem, or not the one that was asked for.
    case noModem(wanted: String?)
    /// There are several modems, and none was asked for.
    case severalModems([String])
    /// The modem cannot send text messages.
    case noMessaging(modem: String)
    /// The modem or its SIM is locked. `lock` is ModemManager's name of what it waits for, such as `sim-pin`.
    case locked(modem: String, index: String, lock: String)
    /// The modem is switched off. It is left so: somebody wanted it.
    case disabled(modem: String, index: String)
    /// The modem is switched on, and not registered in a network.
    case notRegistered(modem: String, index: String)
    /// The modem does not work (yet). `state` says what it is at.
    case notReady(modem: String, index: String, state: String)
    /// The bus or polkit refuses this user.
    case accessDenied(String)

    // MARK: The message

    /// No telephone number.
    case badNumber(String)
    /// Not a text that can be sent; says why.
    case badText(String)
    /// It takes more parts than allowed; nil if it is so long that they were not counted.
    case textTooLong(parts: Int?, limit: Int)

    // MARK: Sending

    /// ModemManager, the modem or the network refused, and will the next time. Nothing was sent.
    case refused(reason: String)
    /// They cannot now, for want of a network or because they are busy. Nothing was sent.
    case notNow(reason: String)
    /// Sending began, and how it ended is not known: the message may have been sent.
    case unanswered(reason: String)
    /// The task was cancelled, before sending began or after.
    case cancelled(wasSent: Bool)
}

extension TextMessageError {
    /// Whether the message may be on its way. If not, it surely is not, and sending again is safe.
    public var mayHaveBeenSent: Bool {
        switch self {
        case .unanswered: true
        case .cancelled(let wasSent): wasSent
        default: false
        }
    }

    /// Whether the same may well work later without anybody changing anything: no network now, a modem that is just starting.
    public var isTransient: Bool {
        switch self {
        case .noBus, .notRunning, .noModem, .notRegistered, .notReady, .notNow, .cancelled(wasSent: false): true
        default: false
        }
    }
}
