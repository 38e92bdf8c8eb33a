internal import Foundation
internal import HTTP
internal import StepDomain
internal import TextSafety

/// Sends requests to a web service and reads its answers by the rules that all destinations share: what is confirmed, what is retried, what
/// may have arrived.
struct Exchange: Sendable {
    let transport: any HTTPTransport
    let now: @Sendable () -> Timestamp
    /// No request is begun from then on; nil without such a limit.
    private var end: Timestamp?

    /// Seconds for requests that follow from one another. Each has a limit of its own, but many that are just within it could hold up a sync
    /// for an hour.
    private static let longestSeries = 120

    /// Whether the time for requests that follow from one another is over.
    var isOver: Bool { end.map { now() >= $0 } ?? false }

    init(transport: any HTTPTransport, now: @escaping @Sendable () -> Timestamp) {
        self.transport = transport
        self.now = now
    }

    /// The same for requests that follow from one another and deliver no day themselves: a search, an upload, folders that are created.
    func limited() -> Exchange {
        var limited = self
        limited.end = now() + Self.longestSeries
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
        if isOver { throw ShareFailure(.unreachable, "\(request.url.host) took more than \(Self.longestSeries) s") }
        do {
            return try await transport.send(request)
        } catch {
            throw ShareFailure(error.mayHaveArrived ? .unanswered : .unreachable, error.description)
        }
    }
}

/// What the address of a request identifies: this decides what 404 and 410 mean.
enum Addressed: Hashable, Sendable {
    /// The service, or a part of it that the configuration names, such as an account: the same for all days. `advice`: what to check.
    case service(advice: String)
    /// What may be missing although the configuration is right: a day, what an earlier delivery created, a description.
    case item
}

extension ShareFailure {
    /// The meaning of an answer's status (RFC 9110, section 15); nil if it confirms.
    ///
    /// A request that must not be repeated (`isRepeatable`) may have been carried out in two more cases: 302 and 303 are what many
    /// programs answer after they have processed a POST, and 503 is what proxies answer when a server behind them is too slow (Varnish
    /// "Backend fetch failed", Fastly "first byte timeout", Heroku H12), with `Retry-After` or without.
    ///
    /// - Parameters:
    ///   - address: if nothing is there, the configuration is wrong, or this day is refused.
    ///   - message: the server's message, if this service has it in an unusual place; nil takes it from the usual places.
    init?(_ response: HTTPResponse, to request: HTTPRequest, at address: Addressed, saying message: String? = nil) {
        let words = message.map { request.line(of: $0) } ?? response.words(hiding: request.secrets)
        let reason = "\(request.url.host) answered \(response.status)\(words.isEmpty ? "" : ": \(words)")"
        switch response.status {
        case 200..<300:
            return nil
        case 302 where !request.isRepeatable, 303 where !request.isRepeatable:
            self.init(
                .unanswered, reason + ", a redirection, which is not followed",
                advice: "If the service has moved permanently, set `url` to its new address.", retryAfter: response.retryAfter)
        case 503 where !request.isRepeatable:
            self.init(.unanswered, reason, retryAfter: response.retryAfter)
        case 300..<400:
            // The sign-in page of a network answers like this: this is no reason to give up a day.
            self.init(
                .unreachable, reason + (response.header("Location") == nil ? "" : ", a redirection, which is not followed"),
                advice: "If the service has moved permanently, set `url` to its new address.")
        case 401, 403:
            self.init(.credentials, reason, advice: "Renew the token or password, or grant it the right to write.")
        case 407:
            self.init(.unreachable, reason, advice: "The proxy requires authentication: check the variables https_proxy and no_proxy.")
        // 425 is Too Early (RFC 8470): not processed.
        case 408, 425, 429, 503:
            self.init(.busy, reason, retryAfter: response.retryAfter)
        case 400..<500:
            if case .service(let advice) = address, [404, 410].contains(response.status) {
                self.init(.misconfigured, reason, advice: advice)
            } else {
                self.init(.rejected, reason)
            }
        default:
            self.init(.unanswered, reason, retryAfter: response.retryAfter)
        }
    }

    /// An answer of 2xx that does not confirm: most likely it is not from the service at all.
    static func unconfirmed(_ request: HTTPRequest, _ what: String) -> ShareFailure {
        ShareFailure(.unanswered, "\(request.url.host) did not confirm: \(what)", advice: "Check `url`: something else may answer there.")
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
    func quotation(of text: String, limit: Int) -> String { quoted(HTTPResponse.excerpt(of: text, hiding: secrets, limit: limit)) }
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
    /// The body, if it is JSON of this form; other content is ignored. The transport limits its size, the decoder its depth.
    func json<Form: Decodable>(_ form: Form.Type) -> Form? { try? JSONDecoder().decode(form, from: Data(body)) }

    /// Whether it is a web page: the sign-in page of a network, or the start page of a site that answers every request with it.
    ///
    /// The type alone is not enough: PHP and others call every answer HTML, even an empty one.
    var isPage: Bool {
        // There may be blanks before the semicolon (RFC 9110, section 5.6.6).
        let type = header("Content-Type")?.prefix { !"; \t".contains($0) }.lowercased() ?? ""
        guard type == "text/html" || type == "application/xhtml+xml" else { return false }
        // A byte order mark may stand first.
        return body.first { !" \t\r\n\u{c}\u{feff}".utf8.contains($0) } == UInt8(ascii: "<")
    }

    /// Whether it is JSON that reports a failure, as many services do with a status of 200: `ok` or `success` is false, or neither is true and
    /// there is an `error`, or there are `errors`.
    var reportsFailure: Bool {
        guard let result = json(ReportedResult.self) else { return false }
        if [result.ok?.flag, result.success?.flag].contains(false) { return true }
        if [result.ok?.flag, result.success?.flag].contains(true) { return false }
        return [result.error, result.errors].contains { $0?.isError == true }
    }
}

/// The keys by which services report the result of a request.
private struct ReportedResult: Decodable {
    var ok, success, error, errors: Value?

    struct Value: Decodable {
        /// The value, if it is true or false.
        var flag: Bool?
        /// Whether it describes an error: true, a text, a number other than 0, or a list or an object with such a value.
        let isError: Bool

        private static let noError: Set = ["", "0", "none", "null", "false", "ok", "success"]

        /// Levels of lists and objects that are read. Each type that is tried costs as much as the path to the value is long.
        private static let deepest = 8

        init(from decoder: any Decoder) throws {
            guard decoder.codingPath.count <= Self.deepest else {
                isError = true
                return
            }
            let container = try decoder.singleValueContainer()
            if let value = try? container.decode(Bool.self) {
                (flag, isError) = (value, value)
            } else if let text = try? container.decode(String.self) {
                isError = !Self.noError.contains(text.lowercased())
            } else if let number = try? container.decode(Double.self) {
                isError = number != 0
            } else if let list = try? container.decode([Value].self) {
                isError = list.contains(where: \.isError)
            } else if let object = try? container.decode([String: Value].self) {
                isError = object.values.contains(where: \.isError)
            } else {
                isError = false
            }
        }
    }
}
