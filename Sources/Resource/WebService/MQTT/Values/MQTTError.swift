/// Why messages were not published, or perhaps were.
public enum MQTTError: Error, Hashable, Sendable {
    /// No message reached the broker, or it said that it took none; the same may well work later.
    case notSent(reason: String)
    /// Messages went out, and not all were acknowledged: the broker may have any of them.
    case unanswered(reason: String)
    /// The broker does not take this, and will not later. `credentials`: because of who is asking. Of several messages it may have
    /// taken others.
    case refused(credentials: Bool, reason: String)
    /// libmosquitto is not there, or is not the one it should be. Nothing was sent.
    case libraryMissing(reason: String)
    /// The task was cancelled, before any message went out or after.
    case cancelled(wasSent: Bool)
}

extension MQTTError: CustomStringConvertible {
    /// One sentence without a full stop.
    public var description: String {
        switch self {
        case .notSent(let reason): "nothing was published: \(reason)"
        case .unanswered(let reason): "whether everything was published is not known: \(reason)"
        case .refused(credentials: true, let reason): "the broker refused the user: \(reason)"
        case .refused(credentials: false, let reason): "the broker refused: \(reason)"
        case .libraryMissing(let reason): "libmosquitto cannot be used: \(reason)"
        case .cancelled(wasSent: false): "cancelled before anything was published"
        case .cancelled(wasSent: true): "cancelled while messages were being published; the broker may have some"
        }
    }

    /// What the user can do next.
    public var advice: String {
        switch self {
        case .notSent: "Check that the broker runs and can be reached under this name and port."
        case .unanswered: "Publishing again does no harm where messages are retained: the last one counts."
        case .refused(credentials: true, _): "Check the user's name and password, and which topics the broker lets this user write."
        case .refused(credentials: false, _): "Change what the broker names, here or in its configuration."
        case .libraryMissing: "Install it: apt-get install libmosquitto1."
        case .cancelled: "Start again when you like."
        }
    }
}
