internal import Glibc

/// Requests by libcurl, which is loaded with the first one.
///
/// It keeps its connections, and sends one request at a time: others wait for their turn. It has a thread of its own, from the first
/// request until nobody holds it any more. TLS is verified; proxies are those of the usual environment variables, but for loopback.
public final class CurlTransport: HTTPTransport {
    private let worker: CurlWorker

    /// - Parameters:
    ///   - userAgent: program and version, such as `istep/1.0`, as servers get it.
    ///   - authorities: path of a PEM file with the certificates of authorities to trust instead of the system's; nil takes that of the
    ///     environment variable `SSL_CERT_FILE`, if it is set.
    public init(userAgent: String, limits: HTTPLimits = HTTPLimits(), authorities: String? = nil) {
        let named = getenv("SSL_CERT_FILE").map { String(cString: $0) } ?? ""
        let settings = CurlSettings(
            userAgent: userAgent, limits: limits, authorities: authorities ?? (named.isEmpty ? nil : named))
        worker = CurlWorker(settings)
    }

    deinit { worker.stop() }

    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        if let problem = request.problem { throw .notSent(reason: problem) }
        let cancellation = Cancellation()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                worker.enqueue(Exchange(request: request, cancellation: cancellation, continuation: continuation))
            }
        } onCancel: {
            cancellation.cancel()
            worker.wake()
        }
        return try outcome.get()
    }
}

/// What holds for every request of a transport.
struct CurlSettings: Sendable {
    var userAgent: String
    var limits: HTTPLimits
    var authorities: String?
}
