internal import CCurl
internal import Foundation

/// A connection by libcurl and the WebSocket on it. Used on one thread.
final class WebSocketConnection {
    private let multi: UnsafeMutableRawPointer
    private let easy: UnsafeMutableRawPointer
    private let errorBuffer = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private let url: WebAddress
    private let settings: CurlSettings
    private var frames = WebSocketFrames()
    private var random = SystemRandomNumberGenerator()
    /// Set once nothing more can be sent or received.
    private var end: WebSocketError?

    init(_ url: WebAddress, _ settings: CurlSettings) throws(WebSocketError) {
        if let problem = CurlLibrary.problem { throw .failed(.notSent(reason: problem)) }
        guard let multi = ccurl_multi_init() else { throw .failed(.notSent(reason: "libcurl: out of memory")) }
        guard let easy = ccurl_easy_init() else {
            ccurl_multi_cleanup(multi)
            throw .failed(.notSent(reason: "libcurl: out of memory"))
        }
        (self.multi, self.easy, self.url, self.settings) = (multi, easy, url, settings)
        errorBuffer.initialize(repeating: 0)
    }

    deinit {
        ccurl_multi_remove_handle(multi, easy)
        ccurl_easy_cleanup(easy)
        ccurl_multi_cleanup(multi)
        errorBuffer.deallocate()
    }

    var wakeup: CurlWakeup { CurlWakeup(multi: multi) }

    func perform(_ operation: WebSocketWorker.Operation, _ cancellation: Cancellation) throws(WebSocketError) -> String
    {
        if let end { throw end }
        let clock = Watch(cancellation, settings.limits)
        do {
            switch operation {
            case .open: try open(clock)
            case .send(let text): try send(.text, Array(text.utf8), clock)
            case .receive: return try receive(clock)
            case .close:
                // 1000: the purpose is fulfilled (section 7.4.1).
                try send(.close, [0x03, 0xe8], clock)
                end = .closed("the WebSocket is closed")
            }
            return ""
        } catch {
            end = error
            throw error
        }
    }

    // MARK: Opening

    private func open(_ clock: Watch) throws(WebSocketError) {
        try connect(clock)
        let key = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        var handshake = WebSocketHandshake(to: url, userAgent: settings.userAgent, key: key, limits: settings.limits)
        try write(handshake.request, clock)
        while true {
            let bytes = try read(clock)
            switch try checked({ () throws(WebSocketFrames.Violation) in try handshake.take(bytes, isEnd: bytes.isEmpty)
            })
            {
            case .incomplete: continue
            case .accepted(let rest): return frames.append(rest)
            case .refused(let response): throw .refused(response)
            }
        }
    }

    private func connect(_ clock: Watch) throws(WebSocketError) {
        guard setOptions(), ccurl_multi_add_handle(multi, easy) == CURLM_OK else {
            throw .failed(.notSent(reason: "libcurl is older than 7.80, or memory is short"))
        }
        while true {
            var running: Int32 = 0
            ccurl_multi_perform(multi, &running)
            var result = CURLE_OK
            if ccurl_multi_ended(multi, &result) != 0 {
                if result == CURLE_OK { return }
                throw .failed(.notSent(reason: failure(result).reasonBeforeSending))
            }
            guard !clock.isCancelled else { throw .failed(.cancelled(wasSent: false)) }
            ccurl_multi_poll(multi, .max)
        }
    }

    private func setOptions() -> Bool {
        let limits = settings.limits
        var codes = [
            ccurl_set_text(easy, CURLOPT_URL, url.description),
            ccurl_set_long(easy, CURLOPT_PROTOCOLS, Int(CURLPROTO_HTTP | CURLPROTO_HTTPS)),
            ccurl_set_long(easy, CURLOPT_CONNECT_ONLY, 1),
            // TLS must not negotiate HTTP/2, and a proxy must not take the handshake for a request to itself.
            ccurl_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
            ccurl_set_long(easy, CURLOPT_HTTPPROXYTUNNEL, 1),
            ccurl_set_long(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1),
            ccurl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, Int(limits.connect.milliseconds)),
            ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorBuffer.baseAddress),
            ccurl_set_sockets(easy),
        ]
        if let path = settings.authorities { codes.append(ccurl_set_text(easy, CURLOPT_CAINFO, path)) }
        if url.isLoopback { codes.append(ccurl_set_text(easy, CURLOPT_PROXY, "")) }
        ccurl_set_long(easy, CURLOPT_QUICK_EXIT, 1)
        return codes.allSatisfy { $0 == CURLE_OK }
    }

    // MARK: Messages

    private func send(_ opcode: WebSocketFrames.Opcode, _ payload: [UInt8], _ clock: Watch) throws(WebSocketError) {
        try write(
            WebSocketFrames.encoded(opcode, payload, mask: UInt32.random(in: .min ... .max, using: &random)), clock)
    }

    private func receive(_ clock: Watch) throws(WebSocketError) -> String {
        while true {
            switch try checked({ () throws(WebSocketFrames.Violation) in try frames.next() }) {
            case .text(let text): return text
            case .ping(let bytes): try send(.pong, bytes, clock)
            case .close(let code, let reason):
                // The caller has sent the secrets and masks them: the reason of a close has at most 123 bytes and is
                // not cut.
                let words = HTTPResponse.line(of: reason, hiding: [])
                let details = (code.map { " with \($0)" } ?? "") + (words.isEmpty ? "" : ": \(words)")
                throw .closed("\(url.origin) closed the WebSocket\(details)")
            case nil:
                let bytes = try read(clock)
                guard !bytes.isEmpty else { throw .failed(.unanswered(reason: "\(url.origin) closed the connection")) }
                frames.append(bytes)
            }
        }
    }

    private func checked<Value>(_ body: () throws(WebSocketFrames.Violation) -> Value) throws(WebSocketError) -> Value {
        do {
            return try body()
        } catch {
            throw .violation("\(url.origin) \(error.reason)")
        }
    }

    // MARK: Bytes

    private func write(_ bytes: [UInt8], _ clock: Watch) throws(WebSocketError) {
        var sent = 0
        while sent < bytes.count {
            var count = 0
            let code = bytes[sent...].withUnsafeBytes { ccurl_easy_send(easy, $0.baseAddress, $0.count, &count) }
            sent += count
            if code == CURLE_AGAIN {
                try wait(Int16(CURL_WAIT_POLLOUT), clock)
            } else if code != CURLE_OK {
                throw .failed(.unanswered(reason: failure(code).reasonAfterSending))
            } else {
                clock.note()
            }
        }
    }

    /// - Returns: the received bytes; empty if the server closed the connection.
    private func read(_ clock: Watch) throws(WebSocketError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            // Without this check, a server that sends nothing but pongs, or pings, would be read forever.
            try check(clock)
            var count = 0
            // Read before waiting: TLS may have buffered data already.
            let code = bytes.withUnsafeMutableBytes { ccurl_easy_recv(easy, $0.baseAddress, $0.count, &count) }
            if code == CURLE_AGAIN {
                try wait(Int16(CURL_WAIT_POLLIN), clock)
            } else if code != CURLE_OK {
                throw .failed(.unanswered(reason: failure(code).reasonAfterSending))
            } else {
                clock.note()
                return Array(bytes.prefix(count))
            }
        }
    }

    private func check(_ clock: Watch) throws(WebSocketError) {
        guard !clock.isCancelled else { throw .failed(.cancelled(wasSent: true)) }
        guard !clock.isOver else {
            throw .failed(
                .unanswered(reason: "no whole answer from \(url.origin) within \(settings.limits.whole.inSeconds)"))
        }
    }

    private func wait(_ events: Int16, _ clock: Watch) throws(WebSocketError) {
        try check(clock)
        guard let left = clock.left else {
            throw .failed(.unanswered(reason: "\(url.origin) was silent for \(settings.limits.silence.inSeconds)"))
        }
        ccurl_multi_poll_socket(multi, ccurl_active_socket(easy), events, left)
    }

    private func failure(_ code: CURLcode) -> CurlFailure {
        var number = 0
        ccurl_get_long(easy, CURLINFO_OS_ERRNO, &number)
        return CurlFailure(
            code: code, osError: Int32(truncatingIfNeeded: number), words: String(cString: errorBuffer.baseAddress!),
            excess: nil,
            origin: url.origin, limits: settings.limits)
    }
}

/// The time limits of an operation, and whether it was cancelled.
private final class Watch {
    private let cancellation: Cancellation
    private let limits: HTTPLimits
    private let start = ContinuousClock.now
    private var lastActivity = ContinuousClock.now

    init(_ cancellation: Cancellation, _ limits: HTTPLimits) {
        (self.cancellation, self.limits) = (cancellation, limits)
    }

    var isCancelled: Bool { cancellation.isCancelled }

    /// Whether the whole operation has taken longer than it may.
    var isOver: Bool { start.duration(to: .now) >= limits.whole }

    /// Records that data was sent or received.
    func note() { lastActivity = .now }

    /// Milliseconds left; nil if time is up.
    var left: Int32? {
        let left = min(limits.silence - lastActivity.duration(to: .now), limits.whole - start.duration(to: .now))
        return left > .zero ? Int32(clamping: left.milliseconds) : nil
    }
}
