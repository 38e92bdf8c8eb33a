internal import Foundation
internal import HTTP
internal import StepDomain
internal import Support

/// Sends requests to a web service and reads its answers by the rules that all destinations share: what is confirmed,
/// what is retried, what may have arrived.
struct Exchange: Sendable {
    let transport: any HTTPTransport
    let now: @Sendable () -> Timestamp
    /// No request is begun from then on; nil without such a limit.
    private(set) var end: Timestamp?

    /// Seconds for requests that follow from one another. Each has a limit of its own, but many that are just within it
    /// could hold up a sync for an hour.
    private static let maximumSeries = 120

    /// Whether the time for requests that follow from one another is over.
    var isOver: Bool { end.map { now() >= $0 } ?? false }

    /// The same for requests that follow from one another and deliver no day themselves: a search, an upload, folders
    /// that are created.
    func limited() -> Exchange {
        var limited = self
        limited.end = now() + Self.maximumSeries
        return limited
    }

    /// Sends a request.
    ///
    /// - Returns: the answer, with a status of 2xx. The destination checks what else a confirmation must contain.
    /// - Throws: what any other answer, or none, means for the ledger.
    func confirmed(_ request: HTTPRequest, at address: Addressed) async throws(ShareFailure) -> HTTPResponse {
        let response = try await answer(to: request)
        if let failure = ShareFailure(response, to: request, at: address) { throw failure }
        return response
    }

    /// Sends a request and returns the answer, whatever its status.
    func answer(to request: HTTPRequest) async throws(ShareFailure) -> HTTPResponse {
        if isOver { throw ShareFailure(.unreachable, "\(request.url.host) took more than \(Self.maximumSeries) s") }
        do {
            return try await transport.send(request)
        } catch {
            throw ShareFailure(error.mayHaveArrived ? .unanswered : .unreachable, error.description)
        }
    }
}

/// What the address of a request identifies: this decides what 404 and 410 mean.
enum Addressed: Hashable, Sendable {
    /// The service, or a part of it that the configuration names, such as an account: the same for all days. `advice`:
    /// what to check.
    case service(advice: String)
    /// What may be missing although the configuration is right: a day, what an earlier delivery created, a description.
    case item
}

extension ShareFailure {
    /// Advice where an answer is not the service's.
    static let somethingElse = "Check `url`: something else may answer there."

    /// The meaning of an answer's status (RFC 9110, section 15); nil if it confirms.
    ///
    /// A request that must not be repeated (`isRepeatable`) may have been carried out in two more cases: 302 and 303
    /// are what many programs answer after they have processed a POST, and 503 is what proxies answer when a server
    /// behind them is too slow (Varnish "Backend fetch failed", Fastly "first byte timeout", Heroku H12), with
    /// `Retry-After` or without.
    ///
    /// - Parameters:
    ///   - address: if nothing is there, the configuration is wrong, or this day is refused.
    ///   - message: the server's message, if this service has it in an unusual place; nil takes it from the usual
    ///     places.
    init?(_ response: HTTPResponse, to request: HTTPRequest, at address: Addressed, saying message: String? = nil) {
        let words = message.map { request.line(of: $0) } ?? response.words(hiding: request.secrets)
        let reason = "\(request.url.host) answered \(response.status)\(words.isEmpty ? "" : ": \(words)")"
        let redirection = ", a redirection, which is not followed"
        let moved = "If the service has moved permanently, set `url` to its new address."
        switch response.status {
        case 200..<300:
            return nil
        // Some services send a client without credentials to their sign-in page, whatever it asked for.
        case 302 where response.leadsToSignIn(of: request), 303 where response.leadsToSignIn(of: request):
            self.init(
                .credentials, reason + ", its sign-in page", advice: Challenge.advice(onRefused: request, response))
        case 302 where !request.isRepeatable, 303 where !request.isRepeatable:
            self.init(.unanswered, reason + redirection, advice: moved, retryAfter: response.retryAfter)
        case 503 where !request.isRepeatable:
            self.init(.unanswered, reason, retryAfter: response.retryAfter)
        case 300..<400:
            // The sign-in page of a network answers like this: this is no reason to give up a day.
            self.init(
                .unreachable, reason + (response.header("Location") == nil ? "" : redirection), advice: moved)
        case 401, 403:
            self.init(.credentials, reason, advice: Challenge.advice(onRefused: request, response))
        case 407:
            self.init(
                .unreachable, reason,
                advice: "The proxy requires authentication: check the variables https_proxy and no_proxy.")
        case _ where response.isBusy:
            self.init(.busy, reason, retryAfter: response.retryAfter)
        case 400..<500:
            if case .service(let advice) = address, [404, 410].contains(response.status) {
                self.init(.misconfigured, reason, advice: advice)
            } else {
                self.init(.rejected, reason)
            }
        // The server does not know the method, for whatever day (RFC 9110, section 15.6.2).
        case 501:
            self.init(
                .misconfigured, reason,
                advice: "Check `url`: the server that answers there does not support \(request.method).")
        // A network's sign-in page; the service has not received anything (RFC 6585, section 6).
        case 511:
            self.init(
                .unreachable, reason, advice: "The network requires that you sign in: open a web page in a browser.")
        default:
            self.init(.unanswered, reason, retryAfter: response.retryAfter)
        }
    }

    /// An answer of 2xx that does not confirm: most likely it is not from the service at all.
    static func unconfirmed(_ request: HTTPRequest, _ what: String) -> ShareFailure {
        ShareFailure(
            .unanswered, "\(request.url.host) did not confirm: \(what)", advice: somethingElse)
    }
}

extension HTTPRequest {
    /// A request with JSON as its body (RFC 8259).
    static func json(
        _ method: String, _ url: WebAddress, headers: [Header], _ body: some Encodable, isRepeatable: Bool? = nil
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, url: url, headers: [Header("Content-Type", "application/json")] + headers,
            body: Array(Sharing.json(body).utf8), isRepeatable: isRepeatable)
    }
}

extension HTTPRequest {
    /// A text of the server in one line, without the secrets of the request, which the server may repeat.
    func line(of text: String) -> String { HTTPResponse.line(of: text, hiding: secrets) }

    /// The same in quotes, cut to so many characters.
    func quotation(of text: String, limit: Int) -> String {
        quoted(HTTPResponse.excerpt(of: text, hiding: secrets, limit: limit))
    }
}

extension Sequence<HTTPRequest> {
    /// Requests in the order in which they are sent, with an empty line between them.
    var preview: String {
        map { request in
            var text = request.preview
            while text.last == "\n" { text.removeLast() }
            return text
        }.joined(separator: "\n\n")
    }
}

extension HTTPResponse {
    /// Whether it redirects to a page of the same server with a name such as `/login` or `/auth/sign_in`.
    fileprivate func leadsToSignIn(of request: HTTPRequest) -> Bool {
        guard let location = header("Location") else { return false }
        let path: Substring
        if location.hasPrefix("/"), !location.hasPrefix("//") {
            path = location[...]
        } else if let address = try? WebAddress(location, insecure: true), address.host == request.url.host {
            path = address.path[...]
        } else {
            return false
        }
        let names: Set = ["login", "log_in", "log-in", "signin", "sign_in", "sign-in"]
        return path.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").last.map { names.contains($0.lowercased()) }
            ?? false
    }

    /// The body, if it is JSON of this form; other content is ignored. The transport limits its size, the decoder its
    /// depth.
    func json<Form: Decodable>(_ form: Form.Type) -> Form? { try? JSONDecoder().decode(form, from: Data(body)) }
}

extension HTTPResponse {
    /// Whether the server has not processed the request, and may do so later. 423 is Locked (RFC 4918, section 11.3): a
    /// program of the user has the file open, or the server is writing it. 425 is Too Early (RFC 8470).
    var isBusy: Bool { [408, 423, 425, 429, 503].contains(status) }
}
