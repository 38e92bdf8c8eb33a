internal import DBus

/// What a failed `Sms.Send` means: was nothing sent for sure, or may something have been?
///
/// In doubt, it may have been. What is sure is what the bus itself refuses, what ModemManager checks before it gives anything to
/// the modem, and, for a message of one part, what a modem or network refuses in so many words. Of several parts the first may
/// have gone before a later one was refused.
struct SendFailure {
    let error: TextMessageError

    init(_ error: DBusError, parts: Int) {
        switch error {
        case .invalidMessage(let what): self.error = .refused(reason: what)
        case .cannotConnect, .disconnected, .nameTaken:
            self.error = .unanswered(reason: "the bus went away in the middle")
        case .timedOut(_, let seconds): self.error = .unanswered(reason: "no answer within \(TextMessageError.text(seconds)) s")
        // The call had gone out, or else cancelling would have been noticed before it.
        case .cancelled: self.error = .cancelled(wasSent: true)
        case .remote(let name, let message): self.error = Self.error(name, message, parts: parts)
        }
    }

    private static func error(_ name: String, _ message: String, parts: Int) -> TextMessageError {
        let bus = MessageErrorName.bus
        if name == MessageErrorName.unauthorized || name == bus + "AccessDenied" {
            return TextMessageError(.remote(name: name, message: message), doing: "sending a text message")
        }
        // The one ModemManager that knew the message is not there any more, and did not get the call.
        if name == bus + "ServiceUnknown" || name == bus + "NameHasNoOwner" { return .notRunning }
        let words = TextMessageError.words(name, message)
        if isBeforeSending(name) || parts == 1 && isRefusal(name, message) { return .notSent(name, reason: words) }
        if name == bus + "NoReply" { return .unanswered(reason: "ModemManager ended in the middle") }
        return .unanswered(reason: words)
    }

    /// What is answered before a modem gets anything to send.
    private static func isBeforeSending(_ name: String) -> Bool {
        let bus = ["UnknownMethod", "UnknownObject", "UnknownInterface", "InvalidArgs"].map { MessageErrorName.bus + $0 }
        let core = ["InvalidArgs", "Unsupported", "WrongState", "WrongSimState", "TooMany"].map { MessageErrorName.core + $0 }
        return (bus + core).contains(name)
    }

    /// What a modem or network answers instead of sending. Time-outs of the network, failures of the modem's memory and unknown
    /// errors are not among them: a message may have left before.
    private static func isRefusal(_ name: String, _ message: String) -> Bool {
        if name == MessageErrorName.message + "Unknown" { return isRefusedByNetwork(message) }
        return refusals.contains(name)
    }

    private static let refusals = Set(
        ["Retry", "Connected"].map { MessageErrorName.core + $0 }
            + [
                "SmsServiceReserved", "NotAllowed", "NotSupported", "InvalidPduParameter", "InvalidTextParameter", "SimNotInserted",
                "SimPin", "PhSimPin", "SimBusy", "SimWrong", "SimPuk", "SimPin2", "SimPuk2", "SmscAddressUnknown", "NoNetwork",
            ].map { MessageErrorName.message + $0 }
            + [
                "NotAllowed", "NotSupported", "PhSimPin", "SimNotInserted", "SimPin", "SimPuk", "SimBusy", "SimWrong", "SimPin2",
                "SimPuk2", "TextTooLong", "InvalidChars", "DialStringTooLong", "DialStringInvalid", "NoNetwork",
                "NetworkNotAllowed", "IncorrectParameters", "FixedDialNumberOnly",
            ].map { MessageErrorName.equipment + $0 })

    /// ModemManager hands the causes of a network on as an unknown error with the number at the end.
    ///
    /// Only causes that last: unassigned number, barring, transfer rejected, unidentified or unknown subscriber, facility
    /// rejected, not subscribed, not implemented (3GPP TS 24.011, table 8.4). Temporary ones, modems also give for a lost answer.
    private static func isRefusedByNetwork(_ message: String) -> Bool {
        guard let number = message.split(separator: " ").last.flatMap({ Int($0) }) else { return false }
        return [1, 8, 10, 21, 28, 29, 30, 50, 69].contains(number)
    }
}
