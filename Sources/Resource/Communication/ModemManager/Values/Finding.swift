/// What ModemManager knows of a message that may have been sent.
///
/// There is no finding that says "surely not sent". ModemManager notes a message as sent when the modem confirmed it, and before
/// that, while it is being sent and after an attempt that failed or whose end the modem never told, it has the same state as one
/// that nobody tried to send (read in ModemManager 1.20.4 and 1.25). And it forgets all messages that it ended with.
public enum Finding: Sendable, Hashable {
    /// Sent, as the modem confirmed. The path of the message on the bus.
    case sent(String)
    /// The message is there and not noted as sent: it was never tried, is being sent just now, or an attempt had no clear end.
    case unclear(String)
    /// No such message is known: it was never made, was deleted, or ModemManager or the modem started anew since.
    case absent
}
