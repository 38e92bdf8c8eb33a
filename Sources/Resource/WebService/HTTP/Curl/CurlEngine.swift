internal import CCurl

/// libcurl's handles, and the loop that moves one transfer. Used and let go on one thread.
final class CurlEngine {
    private let multi: UnsafeMutableRawPointer
    private let easy: UnsafeMutableRawPointer
    private let settings: CurlSettings

    /// Nil where memory is short.
    init?(_ settings: CurlSettings) {
        guard let multi = ccurl_multi_init() else { return nil }
        guard let easy = ccurl_easy_init() else {
            ccurl_multi_cleanup(multi)
            return nil
        }
        (self.multi, self.easy, self.settings) = (multi, easy, settings)
    }

    deinit {
        ccurl_easy_cleanup(easy)
        ccurl_multi_cleanup(multi)
    }

    /// Rings until the engine is let go.
    var alarm: CurlAlarm { CurlAlarm(multi: multi) }

    /// Until the alarm rings.
    func sleep() { ccurl_multi_poll(multi, .max) }

    /// Sends a request and waits for its end.
    /// - Parameter awake: called whenever the alarm may have rung.
    func perform(_ exchange: Exchange, awake: () -> Void) {
        let transfer = Transfer(exchange.request, settings.limits)
        let options = CurlOptions(easy)
        defer {
            // What it still points to lives as long as this function.
            ccurl_easy_reset(easy)
            withExtendedLifetime((transfer, options)) {}
        }
        guard options.set(exchange.request, settings, transfer), ccurl_multi_add_handle(multi, easy) == CURLM_OK else {
            return exchange.finish(.failure(.notSent(reason: "libcurl is too old or out of memory; 7.80 or later is needed")))
        }
        // After the sender was told: it can take long, where a name server does not answer.
        defer { ccurl_multi_remove_handle(multi, easy) }

        while true {
            var running: Int32 = 0
            ccurl_multi_perform(multi, &running)
            var result = CURLE_OK
            if ccurl_multi_ended(multi, &result) != 0 {
                return exchange.finish(transfer.outcome(result, osError: osError))
            }
            if exchange.cancellation.isCancelled {
                return exchange.finish(.failure(.cancelled(wasSent: transfer.departures > 0)))
            }
            transfer.note(uploaded: uploaded)
            guard let patience = transfer.patience else { return exchange.finish(.failure(transfer.silent)) }
            ccurl_multi_poll(multi, patience)
            awake()
        }
    }

    private var uploaded: curl_off_t {
        var bytes: curl_off_t = 0
        ccurl_get_size(easy, CURLINFO_SIZE_UPLOAD_T, &bytes)
        return bytes
    }

    private var osError: Int32 {
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
