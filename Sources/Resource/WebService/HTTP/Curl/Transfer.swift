internal import CCurl

/// What happens while a request is under way: libcurl's callbacks end here.
final class Transfer {
    private let request: HTTPRequest
    private let limits: HTTPLimits
    /// libcurl's own words for what went wrong.
    let words = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    /// How often the request was about to go out on a connection that stands. Zero means that no byte of it did.
    private(set) var departures = 0
    private var answer: AnswerReader
    /// When something last went out or came in, from the departure on.
    private var lastSign: ContinuousClock.Instant?
    private var uploaded: curl_off_t = 0

    init(_ request: HTTPRequest, _ limits: HTTPLimits) {
        (self.request, self.limits) = (request, limits)
        answer = AnswerReader(limits: limits)
        words.initialize(repeating: 0)
    }

    deinit { words.deallocate() }

    /// - Returns: whether the request may go out now. libcurl sends again by itself where a kept connection was closed without an answer:
    ///   the server may have got the request all the same, so that only one that may arrive twice goes out twice.
    func depart() -> Bool {
        departures += 1
        lastSign = .now
        return departures == 1 || request.isRepeatable
    }

    func take(line: UnsafeRawBufferPointer) -> Bool {
        lastSign = .now
        return answer.take(line: line)
    }

    func take(body: UnsafeRawBufferPointer) -> Bool {
        lastSign = .now
        return answer.take(body: body)
    }

    func note(uploaded bytes: curl_off_t) {
        guard bytes != uploaded else { return }
        uploaded = bytes
        lastSign = .now
    }

    /// Milliseconds to wait for the next sign; nil if it was silent for too long. Before the departure libcurl watches the time.
    var patience: Int32? {
        guard let lastSign else { return .max }
        let left = limits.silence - lastSign.duration(to: .now)
        return left > .zero ? Int32(clamping: left.milliseconds) : nil
    }

    var silent: TransportError {
        .unanswered(reason: "\(request.url.origin) was silent for \(limits.silence.inSeconds)")
    }

    func outcome(_ result: CURLcode, osError: Int32) -> Exchange.Outcome {
        if result == CURLE_OK, let response = answer.response { return .success(response) }
        let failure = CurlFailure(
            code: result, osError: osError, words: String(cString: words.baseAddress!), excess: answer.excess,
            origin: request.url.origin, limits: limits)
        return .failure(departures == 0 ? .notSent(reason: failure.beforeDeparture) : .unanswered(reason: failure.afterDeparture))
    }
}

extension Duration {
    /// Rounded up, so that what is left is never waited for in turns of zero.
    var milliseconds: Int64 { components.seconds * 1000 + (components.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000 }

    var inSeconds: String {
        let (seconds, rest) = components
        return rest == 0 ? "\(seconds) s" : "\(milliseconds) ms"
    }
}
