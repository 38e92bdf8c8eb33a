internal import TextSafety

/// Why messages were not published, or may not have been.
public enum MQTTError: Error, Hashable, Sendable {
    /// No message reached the broker, or it answered that it accepted none; a retry may succeed.
    case notSent(reason: String)
    /// Messages were sent, and not all were acknowledged: the broker may have any of them.
    case unanswered(reason: String)
    /// The broker does not accept this, and a retry would not help. `credentials`: because of the user. Of several messages it may have
    /// accepted others.
    case refused(credentials: Bool, reason: String)
    /// libmosquitto is missing, or is not the expected library. Nothing was sent.
    case libraryMissing(reason: String)
    /// The task was cancelled, before any message was sent or after.
    case cancelled(wasSent: Bool)
}

extension MQTTError: CustomStringConvertible {
    /// One sentence without a full stop.
    public var description: String {
        switch self {
        case .notSent(let reason): "nothing was published: \(reason)"
        case .unanswered(let reason): "it is not known whether everything was published: \(reason)"
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
        case .libraryMissing: "Install it: `sudo apt-get install libmosquitto1`"
        case .cancelled: "Run it again."
        }
    }
}

/// A broker's answer, by its number.
///
/// MQTT 5.0, sections 2.4, 3.2.2.2 and 3.4.2.1 (128 and above are failures); for connections also MQTT 3.1.1, table 3.1.
struct BrokerCode: Hashable {
    enum Verdict: Hashable {
        case accepted
        /// MQTT 5 is too new for this broker.
        case otherVersion
        case refused(credentials: Bool)
        /// Temporarily not accepted.
        case busy
    }

    let number: Int

    var isFailure: Bool { number != 0 && !(16..<128).contains(number) }

    /// Of an answer to CONNECT.
    var onConnecting: Verdict {
        switch number {
        case 0: .accepted
        case 1, 0x84: .otherVersion
        case 3: .busy
        // Bad user name or password, not authorized; also banned and bad authentication method.
        case 4, 5, 0x86, 0x87, 0x8A, 0x8C: .refused(credentials: true)
        default: Self.temporary.contains(number) ? .busy : .refused(credentials: false)
        }
    }

    /// Of an answer to PUBLISH, or of a DISCONNECT.
    var onPublishing: Verdict {
        switch number {
        // 16 means that there are no subscribers.
        case 0..<128: .accepted
        case 0x87: .refused(credentials: true)
        default: Self.temporary.contains(number) ? .busy : .refused(credentials: false)
        }
    }

    /// Unspecified, specific to the implementation, unavailable, busy, shutting down, keep alive, taken over, quota exceeded,
    /// administrative action, another server, connection rate exceeded, maximum connect time.
    private static let temporary: Set = [0x80, 0x83, 0x88, 0x89, 0x8B, 0x8D, 0x8E, 0x97, 0x98, 0x9C, 0x9F, 0xA0]
}

/// A log line of the library, shortened for an error text.
enum Complaint {
    /// The last part of a line such as `OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed`.
    static func essence(of line: String) -> String {
        let last = line.split(separator: ":").last { !$0.allSatisfy(\.isWhitespace) } ?? ""
        let text = String(stripped(String(last)).unicodeScalars.prefix(120)).trimmingPrefix(" ")
        return text.hasSuffix(".") ? String(text.dropLast()) : String(text)
    }
}
