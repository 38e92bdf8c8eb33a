internal import CCurl

/// libcurl's handles, and the loop that moves one transfer. Used and let go on one thread.
final class CurlEngine {
    /// Keeps the connections.
    private let multi: UnsafeMutableRawPointer
    private let settings: CurlSettings

    /// Nil where memory is short.
    init?(_ settings: CurlSettings) {
        guard let multi = ccurl_multi_init() else { return nil }
        (self.multi, self.settings) = (multi, settings)
    }

    deinit { ccurl_multi_cleanup(multi) }

    /// Rings until the engine is let go.
    var alarm: CurlAlarm { CurlAlarm(multi: multi) }

    /// Until the alarm rings.
    func sleep() { ccurl_multi_poll(multi, .max) }

    /// Sends a request and waits for its end.
    /// - Parameter awake: called whenever the alarm may have rung.
    func perform(_ exchange: Exchange, awake: () -> Void) {
        // A new handle for each request: up to 8.0, libcurl remembers in one that is used again a header of the answer before, which is freed
        // by then, and writes there if the next answer begins with a folded line.
        guard let easy = ccurl_easy_init() else { return exchange.finish(.failure(CurlEngine.poor)) }
        let transfer = Transfer(exchange.request, settings.limits)
        let options = CurlOptions(easy)
        // All of it after the sender was told: it can take long, where a name server does not answer.
        defer {
            ccurl_multi_remove_handle(multi, easy)
            ccurl_easy_cleanup(easy)
            withExtendedLifetime((transfer, options)) {}
        }
        guard options.set(exchange.request, settings, transfer), ccurl_multi_add_handle(multi, easy) == CURLM_OK else {
            return exchange.finish(.failure(CurlEngine.poor))
        }
        while true {
            var running: Int32 = 0
            ccurl_multi_perform(multi, &running)
            var result = CURLE_OK
            if ccurl_multi_ended(multi, &result) != 0 {
                return exchange.finish(transfer.outcome(result, osError: osError(of: easy)))
            }
            if exchange.cancellation.isCancelled {
                return exchange.finish(.failure(.cancelled(wasSent: transfer.departures > 0)))
            }
            transfer.note(uploaded: uploaded(by: easy))
            guard let patience = transfer.patience else { return exchange.finish(.failure(transfer.silent)) }
            ccurl_multi_poll(multi, patience)
            awake()
        }
    }

    private static let poor = TransportError.notSent(reason: "libcurl is older than 7.80, or memory is short")

    private func uploaded(by easy: UnsafeMutableRawPointer) -> curl_off_t {
        var bytes: curl_off_t = 0
        ccurl_get_size(easy, CURLINFO_SIZE_UPLOAD_T, &bytes)
        return bytes
    }

    private func osError(of easy: UnsafeMutableRawPointer) -> Int32 {
        var number = 0
        ccurl_get_long(easy, CURLINFO_OS_ERRNO, &number)
        return Int32(truncatingIfNeeded: number)
    }
}

/// Wakes the thread of an engine, from any other. Unchecked: `curl_multi_wakeup` is made for that.
struct CurlAlarm: @unchecked Sendable {
    fileprivate let multi: UnsafeMutableRawPointer

    func ring() { ccurl_multi_wakeup(multi) }
}
