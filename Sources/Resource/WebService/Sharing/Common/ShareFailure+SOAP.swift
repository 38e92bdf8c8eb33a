internal import HTTP
internal import Quoting
internal import SOAP
internal import StepDomain

extension ShareFailure {
    /// What an error of a call means for the ledger.
    ///
    /// - Parameter request: what the call sent, or would have.
    init(_ error: SOAPError, to request: HTTPRequest) {
        switch error {
        case .transport(let error): self.init(error.mayHaveArrived ? .unanswered : .unreachable, error.description)
        case .fault(let fault, let response): self.init(fault, response, to: request)
        case .noSOAP(let response, let reason):
            self = ShareFailure(response, to: request) ?? .unconfirmed(request, "the answer is \(request.scrubbed(reason))")
        case .unexpected(let name, let response):
            self = ShareFailure(response, to: request)
                ?? .unconfirmed(request, "it answered with \(request.scrubbed(name.description)), which is no response to the operation")
        case .unknownService, .badName, .badAction: self.init(.misconfigured, error.description)
        }
        if case .noSOAP(let response, _) = error, response.status == 415 {
            advice = "Perhaps it speaks the other version of SOAP: set `version`."
        }
    }

    /// The status says who is asked to do something about it, where it does; else the fault's code. With SOAP 1.1 almost any fault comes
    /// with the status 500, whosever fault it is (section 6.2).
    private init(_ fault: SOAPFault, _ response: HTTPResponse, to request: HTTPRequest) {
        var told = response
        let code = fault.codes.map(\.local).joined(separator: " ")
        told.body = Array([code, fault.reason].filter { !$0.isEmpty }.joined(separator: ": ").utf8)
        if let failure = ShareFailure(told, to: request), ![.rejected, .unanswered].contains(failure.kind) {
            self = failure
            return
        }
        let words = told.words(hiding: request.secrets)
        let said = "\(request.url.host) answered with a fault" + (words.isEmpty ? "" : ": " + words)
        switch fault.blame {
        case .sender: self.init(.rejected, said)
        case .version: self.init(.rejected, said, advice: "It speaks the other version of SOAP: set `version`.")
        case .understanding: self.init(.rejected, said, advice: "It demands a header that istep does not send.")
        case .credentials: self.init(.credentials, said, advice: "Renew the token or password, or grant it the right to write.")
        case .receiver: self.init(.unanswered, said, retryAfter: response.retryAfter)
        }
    }
}

extension HTTPRequest {
    /// A text of the server's without the secrets of the request, which it may repeat.
    func scrubbed(_ text: String) -> String { secrets.reduce(text) { $1.scrubbed(from: $0) } }
}
