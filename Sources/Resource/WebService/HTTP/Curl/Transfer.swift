internal import CCurl
internal import Foundation
internal import Support

/// The state of a request in progress: libcurl's callbacks end here.
final class Transfer {
    private let request: HTTPRequest
    private let limits: HTTPLimits
    /// libcurl's own error message.
    let errorBuffer = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    /// How often the request was about to be sent on an established connection. Zero means that no byte of it was sent.
    private(set) var sendCount = 0
    /// How often it was sent again because the server asked for credentials, or for new ones (`stale`).
    private var challengeCount = 0
    /// The server asks for other credentials again and again: its last answer counts.
    private var isGivenUp = false
    private var answer: AnswerReader
    /// Time of the last data sent or received; nil until the request is sent.
    private var lastActivity: ContinuousClock.Instant?
    private var uploaded: curl_off_t = 0

    init(_ request: HTTPRequest, _ limits: HTTPLimits) {
        (self.request, self.limits) = (request, limits)
        answer = AnswerReader(limits: limits)
        errorBuffer.initialize(repeating: 0)
    }

    deinit { errorBuffer.deallocate() }

    /// libcurl itself would answer a server without end that calls each of its nonces stale.
    private static let maximumChallenges = 3

    /// - Returns: whether the request may be sent now. libcurl itself sends a request again if a kept connection was
    ///   closed without an answer. The server may have received the request anyway, so only a request that may arrive
    ///   twice is sent twice. It also sends it again after a challenge, where that is answered.
    func shouldSend() -> Bool {
        sendCount += 1
        lastActivity = .now
        guard sendCount > 1 else { return true }
        if isChallenged {
            challengeCount += 1
            isGivenUp = challengeCount > Self.maximumChallenges
            if isGivenUp { return false }
        } else if !request.isRepeatable {
            return false
        }
        // What follows is another answer, with limits of its own.
        answer = AnswerReader(limits: limits)
        return true
    }

    /// Whether the last answer asks for the credentials that libcurl then sends. The server has done nothing.
    private var isChallenged: Bool { request.usesDigest && answer.status == 401 && answer.excess == nil }

    /// Whether the server may have acted on the request.
    var mayHaveArrived: Bool { sendCount > 0 && !isChallenged }

    func take(line: UnsafeRawBufferPointer) -> Bool {
        lastActivity = .now
        return answer.take(line: line)
    }

    func take(body: UnsafeRawBufferPointer) -> Bool {
        lastActivity = .now
        return answer.take(body: body)
    }

    func note(uploaded bytes: curl_off_t) {
        guard bytes != uploaded else { return }
        uploaded = bytes
        lastActivity = .now
    }

    /// Milliseconds to wait for the next data; nil if the server was silent for too long. Before the request is sent,
    /// libcurl checks the time.
    var timeUntilSilence: Int32? {
        guard let lastActivity else { return .max }
        let left = limits.silence - lastActivity.duration(to: .now)
        return left > .zero ? Int32(clamping: left.milliseconds) : nil
    }

    var silent: TransportError {
        let reason = "\(request.url.origin) was silent for \(limits.silence.inSeconds)"
        return mayHaveArrived ? .unanswered(reason: reason) : .notSent(reason: reason)
    }

    func outcome(_ result: CURLcode, osError: Int32) -> CurlExchange.Outcome {
        if result == CURLE_OK || isGivenUp, let response = answer.response { return .success(response) }
        let failure = CurlFailure(
            code: result, osError: osError, words: String(cString: errorBuffer.baseAddress!), excess: answer.excess,
            origin: request.url.origin, limits: limits)
        return .failure(
            mayHaveArrived
                ? .unanswered(reason: failure.reasonAfterSending)
                : .notSent(reason: sendCount > 0 ? failure.reasonAfterSending : failure.reasonBeforeSending))
    }
}

extension Duration {
    /// Rounded up, so that a remaining time never becomes a wait of zero.
    var milliseconds: Int64 {
        components.seconds * 1000 + (components.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }

    var inSeconds: String {
        let (seconds, rest) = components
        return rest == 0 ? "\(seconds) s" : "\(milliseconds) ms"
    }
}

/// Builds an answer from the lines and pieces that libcurl passes, within limits.
struct AnswerReader {
    private let limits: HTTPLimits
    private var lastStatus = 0
    private var headers: [(String, String)] = []
    private var body: [UInt8] = []
    private var headBytes = 0
    private var state = State.betweenHeads
    /// The part of the answer that exceeded a limit.
    private(set) var excess: String?

    private enum State {
        case betweenHeads, inHead
        /// Further header lines are trailers: they could contradict what was read (RFC 9110, section 6.5.1).
        case afterHead
    }

    init(limits: HTTPLimits) { self.limits = limits }

    /// A line of a head, with its line break.
    /// - Returns: false if it is too much.
    mutating func take(line bytes: UnsafeRawBufferPointer) -> Bool {
        headBytes += bytes.count
        guard headBytes <= limits.head else {
            excess = "headers of more than \(limits.head / 1024) KiB"
            return false
        }
        guard state != .afterHead else { return true }
        let line = String(decoding: bytes, as: UTF8.self)[...].trimmed
        if state == .betweenHeads {
            state = .inHead
            headers = []
            // "HTTP/1.1 200 OK", and "HTTP/2 200".
            let words = line.split(separator: " ")
            lastStatus = words.count > 1 ? Int(words[1]) ?? 0 : 0
        } else if line.isEmpty {
            state = 100...199 ~= lastStatus ? .betweenHeads : .afterHead
        } else if let colon = line.firstIndex(of: ":") {
            headers.append((line[..<colon].trimmed, line[line.index(after: colon)...].trimmed))
        }
        return true
    }

    /// - Returns: false if it is too much.
    mutating func take(body bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= limits.body else {
            excess = "more than \(limits.body / 1024) KiB"
            return false
        }
        body += bytes
        return true
    }

    /// That of the answer, once its head is complete; nil if there were only interim ones.
    var status: Int? { state == .afterHead && 200...999 ~= lastStatus ? lastStatus : nil }

    /// The answer, once it is complete; nil if there were only interim ones.
    var response: HTTPResponse? { status.map { HTTPResponse(status: $0, headers: headers, body: body) } }
}

extension Substring {
    /// By scalars, as a carriage return and line feed are one character.
    fileprivate var trimmed: String { String(unicodeScalars.trimming { " \t\r\n".unicodeScalars.contains($0) }) }
}
