internal import HTTP
internal import StepDomain

/// Asks a web service and reads its answer by the rules that all destinations share: what is confirmed, what is to be tried again, what
/// may have arrived.
struct Exchange: Sendable {
    let transport: any HTTPTransport

    /// Sends a request.
    ///
    /// - Parameter advice: what to do where the service does not find what the address names (404, 410) and that is not
    ///   this day but something of the configuration; nil where it may be the day, which is refused then.
    /// - Returns: the answer, with a status of 2xx: what a confirmation besides has to hold is the destination's to check.
    /// - Throws: what any other answer, or none, means for the ledger.
    func confirmed(_ request: HTTPRequest, ifNotFound advice: String? = nil) async throws(ShareFailure) -> HTTPResponse {
        let response = try await answer(to: request)
        if let failure = ShareFailure(response, to: request, ifNotFound: advice) { throw failure }
        return response
    }

    /// Sends a request; whatever the answer's status, it is returned.
    func answer(to request: HTTPRequest) async throws(ShareFailure) -> HTTPResponse {
        do {
            return try await transport.send(request)
        } catch {
            throw ShareFailure(error.mayHaveArrived ? .unanswered : .unreachable, error.description)
        }
    }
}

extension ShareFailure {
    /// What the status of an answer means (RFC 9110, section 15); nil where it confirms.
    ///
    /// - Parameter advice: what to do where what the configuration names is not found; nil where that may be the day.
    init?(_ response: HTTPResponse, to request: HTTPRequest, ifNotFound advice: String? = nil) {
        let words = response.words(hiding: request.secrets)
        let said = "\(request.url.host) answered \(response.status)\(words.isEmpty ? "" : ": \(words)")"
        switch response.status {
        case 200..<300:
            return nil
        case 300..<400:
            // A sign-in page of a hotel looks like this: no reason to give a day up.
            self.init(
                .unreachable, said + (response.header("Location") == nil ? "" : ", a redirection, which is not followed"),
                advice: "If the service has moved for good, set `url` to its new address.")
        case 401, 403:
            self.init(.credentials, said, advice: "Renew the token or password, or grant it the right to write.")
        case 407:
            self.init(.unreachable, said, advice: "A proxy wants to know who you are: look at the variables https_proxy and no_proxy.")
        // 425 is Too Early (RFC 8470): not processed.
        case 408, 425, 429, 503:
            self.init(.busy, said, retryAfter: response.retryAfter)
        case 404 where advice != nil, 410 where advice != nil:
            self.init(.misconfigured, said, advice: advice)
        case 400..<500:
            self.init(.rejected, said)
        default:
            self.init(.unanswered, said, retryAfter: response.retryAfter)
        }
    }

    /// An answer of 2xx that does not confirm: most likely it is not from the service at all.
    static func unconfirmed(_ request: HTTPRequest, _ what: String) -> ShareFailure {
        ShareFailure(.unanswered, "\(request.url.host) did not confirm: \(what)", advice: "Check `url`: something else may answer there.")
    }
}
