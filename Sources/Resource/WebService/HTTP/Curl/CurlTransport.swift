internal import CCurl
internal import Glibc
internal import Support
internal import Synchronization

/// Sends requests with libcurl, which is loaded with the first one.
///
/// It keeps its connections and sends one request at a time: further requests wait. It has a thread of its own, from
/// the first request until the transport is released. TLS is verified. Proxies are taken from the usual environment
/// variables, except for loopback.
public final class CurlTransport: HTTPTransport {
    private let worker: CurlWorker
    let settings: CurlSettings

    /// - Parameters:
    ///   - userAgent: program and version, such as `istep/1.0`, as sent to servers.
    ///   - authorities: path of a PEM file with the certificates of authorities to trust instead of the system's; nil
    ///     takes that of the environment variable `SSL_CERT_FILE`, if it is set.
    public init(userAgent: String, limits: HTTPLimits = HTTPLimits(), authorities: String? = nil) {
        let named = getenv("SSL_CERT_FILE").map { String(cString: $0) } ?? ""
        settings = CurlSettings(
            userAgent: userAgent, limits: limits, authorities: authorities ?? (named.isEmpty ? nil : named))
        worker = CurlWorker(settings)
    }

    deinit { worker.stop() }

    public func trusting(_ authorities: String) -> CurlTransport {
        CurlTransport(userAgent: settings.userAgent, limits: settings.limits, authorities: authorities)
    }

    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        if let problem = request.problem { throw .notSent(reason: problem) }
        let cancellation = Cancellation()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                worker.enqueue(CurlExchange(request: request, cancellation: cancellation, continuation: continuation))
            }
        } onCancel: {
            cancellation.cancel()
            worker.wake()
        }
        return try outcome.get()
    }
}

/// Settings for every request of a transport.
struct CurlSettings: Sendable {
    var userAgent: String
    var limits: HTTPLimits
    var authorities: String?
}

/// libcurl's connections, and the loop that runs one transfer. Used and released on one thread.
final class CurlEngine {
    /// Keeps the connections.
    private let multi: UnsafeMutableRawPointer
    /// The transfer before this one. Its release is left for the time in which the next one waits for its server.
    private var ended: PreparedTransfer?

    /// Nil if memory is short.
    init?() {
        guard let multi = ccurl_multi_init() else { return nil }
        self.multi = multi
    }

    deinit {
        ended = nil
        ccurl_multi_cleanup(multi)
    }

    /// Valid until the engine is released.
    var wakeup: CurlWakeup { CurlWakeup(multi: multi) }

    /// Blocks until the thread is woken.
    func sleep() {
        ended = nil
        ccurl_multi_poll(multi, .max)
    }

    /// Sends a request and waits for its end.
    /// - Parameters:
    ///   - meanwhile: called once after the first bytes of it may have been sent, if it has not ended by then.
    ///   - onWakeup: called whenever the thread may have been woken.
    func perform(_ prepared: PreparedTransfer, meanwhile: () -> Void, onWakeup: () -> Void) {
        if prepared.isCancelled { return prepared.finish(.failure(.cancelled(wasSent: false))) }
        guard let easy = prepared.easy, ccurl_multi_add_handle(multi, easy) == CURLM_OK else {
            return prepared.finish(.failure(.notSent(reason: "libcurl is older than 7.80, or memory is short")))
        }
        defer {
            // Called after the sender got the outcome, because this can take long if a name server does not answer.
            ccurl_multi_remove_handle(multi, easy)
            ended = prepared
        }
        let transfer = prepared.transfer
        var isFirst = true
        while true {
            var running: Int32 = 0
            ccurl_multi_perform(multi, &running)
            var result = CURLE_OK
            if ccurl_multi_ended(multi, &result) != 0 {
                return prepared.finish(transfer.outcome(result, osError: osError(of: easy)))
            }
            if isFirst {
                isFirst = false
                ended = nil
                meanwhile()
            }
            if prepared.isCancelled {
                return prepared.finish(.failure(.cancelled(wasSent: transfer.mayHaveArrived)))
            }
            transfer.note(uploaded: uploaded(by: easy))
            guard let timeUntilSilence = transfer.timeUntilSilence else {
                return prepared.finish(.failure(transfer.silent))
            }
            ccurl_multi_poll(multi, timeUntilSilence)
            onWakeup()
        }
    }

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

/// A request with a handle of libcurl for it. Used and released on one thread.
final class PreparedTransfer {
    private let exchange: CurlExchange
    let transfer: Transfer
    /// Nil if memory is short, or libcurl does not know an option.
    let easy: UnsafeMutableRawPointer?
    private let handle: UnsafeMutableRawPointer?
    private let options: CurlOptions?
    /// Whether the sender has the outcome.
    private(set) var isFinished = false

    init(_ exchange: CurlExchange, _ settings: CurlSettings) {
        self.exchange = exchange
        transfer = Transfer(exchange.request, settings.limits)
        // A new handle for each request: up to 8.0, libcurl keeps a reference to a header of the previous answer in a
        // reused handle. That header is freed by then, and libcurl writes there if the next answer begins with a folded
        // line.
        handle = ccurl_easy_init()
        options = handle.map(CurlOptions.init)
        easy = options?.set(exchange.request, settings, transfer) == true ? handle : nil
    }

    deinit {
        // Released before the memory that it refers to.
        if let handle { ccurl_easy_cleanup(handle) }
    }

    var isCancelled: Bool { exchange.cancellation.isCancelled }

    func finish(_ outcome: CurlExchange.Outcome) {
        if isFinished { return }
        isFinished = true
        exchange.continuation.resume(returning: outcome)
    }
}

/// Wakes the thread of an engine, from any other thread. Unchecked: `curl_multi_wakeup` is made for that.
struct CurlWakeup: @unchecked Sendable {
    let multi: UnsafeMutableRawPointer

    func signal() { ccurl_multi_wakeup(multi) }
}

/// Why a transfer failed, in words for a user.
struct CurlFailure {
    let code: CURLcode
    let osError: Int32
    /// libcurl's message, which may contain parts of a certificate.
    let words: String
    let excess: String?
    let origin: String
    let limits: HTTPLimits

    /// The reason if nothing of the request was sent.
    var reasonBeforeSending: String {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            "no address was found for \(origin); check its name and this machine's network"
        case CURLE_COULDNT_RESOLVE_PROXY:
            "no address was found for the proxy on the way to \(origin); check the environment variables of proxies"
        case CURLE_OPERATION_TIMEDOUT:
            "no connection to \(origin) within \(min(limits.connect, limits.whole).inSeconds); check its address and the network"
        case CURLE_COULDNT_CONNECT:
            "no connection to \(origin): \(osReason ?? reason); check its address and whether the server runs"
        case CURLE_PEER_FAILED_VERIFICATION:
            "the certificate of \(origin) is not trusted: \(reason); check the address, or name the file of its authority in `ca_file`"
        case CURLE_SSL_CACERT_BADFILE:
            "there are no certificates of authorities to check \(origin) against: \(reason); check `ca_file` and SSL_CERT_FILE, or sudo apt-get install ca-certificates"
        case CURLE_SSL_CONNECT_ERROR:
            "no TLS connection to \(origin): \(reason); check that its port is one for https"
        default: "no connection to \(origin): \(reason)"
        }
    }

    /// The reason if the request may have arrived. Without libcurl's message, as it may contain text from the server
    /// that repeats the request.
    var reasonAfterSending: String {
        if let excess { return "\(origin) answered with \(excess); check the address" }
        return switch code {
        case CURLE_OK: "\(origin) sent no final answer"
        case CURLE_GOT_NOTHING: "\(origin) closed the connection without an answer"
        case CURLE_PARTIAL_FILE: "\(origin) closed the connection in the middle of its answer"
        case CURLE_OPERATION_TIMEDOUT: "no whole answer from \(origin) within \(limits.whole.inSeconds)"
        // A bad argument: the code of libcurl's header store for a line that is not a header.
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING,
            CURLE_BAD_FUNCTION_ARGUMENT,
            CURLE_HTTP2, CURLE_HTTP2_STREAM:
            "the answer of \(origin) is not HTTP; check the address"
        // libcurl's code for a header longer than 100 KiB; from 8.6 on it has its own code, CURLE_TOO_LARGE.
        case CURLE_OUT_OF_MEMORY, CURLcode(rawValue: 100):
            "\(origin) answered with a header that is too long; check the address"
        case CURLE_RECV_ERROR where osError == 0: "the answer of \(origin) could not be read to its end"
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_ABORTED_BY_CALLBACK:
            "the connection to \(origin) was lost" + (osReason.map { ": " + $0 } ?? "")
        default: "no answer from \(origin): \(String(cString: ccurl_easy_strerror(code)))"
        }
    }

    private var osReason: String? { osError == 0 ? nil : String(cString: strerror(osError)) }

    private var reason: String { printable(words.isEmpty ? String(cString: ccurl_easy_strerror(code)) : words) }
}

/// libcurl, loaded when it is first needed.
enum CurlLibrary {
    /// Why it cannot be used; nil if it can.
    static let problem: String? = load("libcurl.so.4")

    /// Must not be called by two threads at once.
    static func load(_ name: String) -> String? {
        guard let reason = ccurl_load(name) else { return nil }
        return "sharing needs libcurl: sudo apt-get install libcurl4 (\(printable(String(cString: reason))))"
    }
}

/// Whether the sender of a request has stopped waiting.
final class Cancellation: Sendable {
    private let flag = Atomic(false)

    var isCancelled: Bool { flag.load(ordering: .acquiring) }

    func cancel() { flag.store(true, ordering: .releasing) }
}

/// A request and the continuation that waits for its answer.
struct CurlExchange: Sendable {
    typealias Outcome = Result<HTTPResponse, TransportError>

    let request: HTTPRequest
    let cancellation: Cancellation
    let continuation: CheckedContinuation<Outcome, Never>

    func finish(_ outcome: Outcome) { continuation.resume(returning: outcome) }
}
