internal import HTTP
internal import SOAP
internal import Settings
internal import StepDomain

extension DestinationKind {
    static let soap = DestinationKind(
        key: "soap", title: "a service that is called by SOAP 1.1 or 1.2",
        specificExample: """
            [share.clinic]
            kind = "soap"
            url = "https://example.org/services/steps"
            # The targetNamespace of the service's WSDL.
            namespace = "urn:example:steps"
            # The operation gets these elements, in this order: user, date (YYYY-MM-DD), steps, distance (metres),
            # calories (kcal above rest), goal (steps), percentage (of the goal), completeness ("complete" or "partial").
            # Elements without a known value are left out.
            operation = "shareStepData"
            # A file that contains only the password, readable by you only: chmod 600. Or password_env, or password_credential.
            username = "anna"
            password_file = "~/.config/istep/clinic.password"

            # token_file = "~/.config/istep/clinic.token"   # a bearer token instead; or token_env, or token_credential
            # auth = "basic"                       # or "digest", "bearer", "header"; default: according to the keys
            # header_name = "X-Api-Key"            # the header that contains the token
            # version = "1.1"                      # or "1.2"
            # action = ""                          # SOAPAction; {service} and {operation} are replaced
            # service = "StepDataService"          # for {service}
            # response = "shareStepDataResponse"   # the element of a confirmation; default: operation and "Response"
            # qualified = true                     # false: the elements of the operation are in no namespace (JAX-WS)
            # idempotent = false                   # true: the service replaces the day if it is sent again. Otherwise
            #                                      # a day is sent once, when it is over, and never corrected.
            \(webKeys)
            """
    ) { reader, context in
        let url = reader.address("url", "the address of the service, such as https://example.org/services/steps")
        let namespace = reader.requireText("namespace", "the namespace of the service, such as urn:example:steps")
        let version = reader.choice("version", of: SOAPVersion.self) ?? .v11
        let operation = reader.elementName("operation", "the operation to call") ?? "shareStepData"
        // As in every WSDL that tools generate (WS-I Basic Profile 1.1, R2729).
        let response = reader.elementName("response", "the element that confirms") ?? operation + "Response"
        let serviceName = reader.elementName("service", "the name of the service") ?? "StepDataService"
        let action = reader.action()
        let isQualified = reader.flag("qualified") ?? true
        let isIdempotent = reader.flag("idempotent") ?? false
        let authentication = reader.authentication()
        let exchange = context.exchange(&reader)
        guard let url, let namespace else { return nil }
        return SOAPDestination(
            context: context, exchange: exchange,
            service: SOAPService(
                name: serviceName, endpoint: url, namespace: namespace, action: action, version: version,
                qualifiesArguments: isQualified),
            operation: operation, response: response, authentication: authentication,
            // SOAP does not define the effect of a call that is made twice; only the user knows what this service does.
            traits: isIdempotent
                ? .replacing : ShareTraits(resending: .repeats, corrects: false, acceptsUnfinishedDays: false))
    }
}

extension TableReader {
    fileprivate mutating func elementName(_ key: String, _ what: String) -> String? {
        value(key, what + ", of ASCII letters, digits, _ - .") { XMLName.isPlain($0) ? $0 : nil }
    }

    fileprivate mutating func action() -> String {
        let expected = "a URI of ASCII, without spaces, quotes and backslashes"
        guard let action = text("action", expected, mayBeEmpty: true) else { return "" }
        if !SOAPService.isAction(action) { refuse("action", expected: expected) }
        return action
    }
}

/// A service that is called by SOAP, one operation for a day.
struct SOAPDestination: AuthenticatedDestination, SingleDayDestination {
    let context: DestinationContext
    let exchange: Exchange
    let service: SOAPService
    let operation: String
    /// Name of the element that confirms.
    let response: String
    let authentication: Authentication
    let traits: ShareTraits

    var location: String { service.endpoint.origin }

    func preview(_ payloads: [SharePayload]) throws(ShareFailure) -> String {
        try payloads.map { (payload) throws(ShareFailure) in try request(payload, .shown).preview }.joined(
            separator: "\n\n")
    }

    func deliver(_ payload: SharePayload) async throws(ShareFailure) -> ShareReceipt {
        let request = try request(payload, credentials)
        let answer = try await exchange.answer(to: request)
        do throws(SOAPError) {
            _ = try SOAPService.result(of: answer, expecting: response)
        } catch {
            throw ShareFailure(error, to: request)
        }
        return ShareReceipt()
    }

    private func request(_ payload: SharePayload, _ credentials: Credentials) throws(ShareFailure) -> HTTPRequest {
        let headers = try authentication.headers(credentials)
        let call = SOAPCall(operation, arguments(payload.day))
        do throws(SOAPError) {
            return try service.request(call, headers: headers, isRepeatable: traits.resending == .replaces)
        } catch {
            throw ShareFailure(.misconfigured, error.description)
        }
    }

    /// Values in the formats of XML Schema (part 2: `string`, `date`, `int`, `decimal`). Unknown ones are left out
    /// (`minOccurs="0"`).
    private func arguments(_ day: SharedDay) -> [SOAPCall.Argument] {
        let values: [(String, String?)] = [
            ("user", day.user.name), ("date", "\(day.day)"), ("steps", "\(day.steps)"),
            ("distance", day.metres.map(String.init)),
            ("calories", day.kilocalories.map(String.init)), ("goal", day.summary.goal.map(String.init)),
            ("percentage", day.percentage.map { "\($0)" }), ("completeness", day.summary.completeness.rawValue),
        ]
        return values.compactMap { name, value in value.map { SOAPCall.Argument(name, $0) } }
    }
}

extension SOAPDestination {
    fileprivate static let address = Addressed.service(
        advice: "Check `url`: it must be the address of the service itself.")

    /// Reads the service's description, which nearly every service has at `?wsdl`. A call would not be harmless.
    func check() async throws(ShareFailure) -> String {
        let request = HTTPRequest(method: "GET", url: try description, headers: try authentication.headers(credentials))
        let response = try await exchange.answer(to: request)
        if let failure = ShareFailure(response, to: request, at: .item) {
            // A service without a description refuses this request.
            guard failure.kind == .rejected else { throw failure }
            return "answers, and has no WSDL description (HTTP \(response.status) to ?wsdl)"
        }
        guard let description = SOAPDescription(response.body) else {
            return "answers, and has no WSDL 1.1 description"
        }
        guard description.operations.isEmpty || description.operations.contains(operation) else {
            let known = description.operations.prefix(8).map { request.quotation(of: $0, limit: 80) }.joined(
                separator: ", ")
            throw ShareFailure(
                .misconfigured, "\(request.url.host) has no operation \(operation); it has \(known)",
                advice: "Set `operation`, or `url`.")
        }
        var words =
            "answers, and describes " + (description.operations.isEmpty ? "its operations elsewhere" : operation)
        if let namespace = description.namespace, namespace != service.namespace {
            words += "; its namespace is \(request.quotation(of: namespace, limit: 200)), where `namespace` is another"
        }
        return words
    }

    private var description: WebAddress {
        get throws(ShareFailure) {
            let endpoint = service.endpoint
            do {
                // The endpoint was checked for plain http already.
                return try WebAddress(
                    endpoint.origin + endpoint.path + (endpoint.query.map { "?\($0)&" } ?? "?") + "wsdl", insecure: true
                )
            } catch {
                throw ShareFailure(.misconfigured, "`url` gives no valid address for ?wsdl: \(error.description)")
            }
        }
    }
}

extension ShareFailure {
    /// What an error of a call means for the ledger.
    ///
    /// - Parameter request: what the call sent, or would have sent.
    init(_ error: SOAPError, to request: HTTPRequest) {
        let address = SOAPDestination.address
        switch error {
        case .fault(let fault, let response): self.init(fault, response, to: request)
        case .noSOAP(let response, let reason):
            self =
                ShareFailure(response, to: request, at: address)
                ?? .unconfirmed(request, "the answer is \(request.line(of: reason))")
        case .unexpected(let name, let response):
            self =
                ShareFailure(response, to: request, at: address)
                ?? .unconfirmed(
                    request,
                    "it answered with \(request.quotation(of: name.local, limit: 80)), which is not a response to the operation"
                )
        case .badName, .badAction: self.init(.misconfigured, error.description)
        }
        if case .noSOAP(let response, _) = error, response.status == 415 {
            advice = "It may need the other version of SOAP: set `version`."
        }
    }

    /// The status decides what the user must do, if it is specific enough; otherwise the fault's code. With SOAP 1.1
    /// almost any fault comes with the status 500, no matter which side caused it (section 6.2).
    private init(_ fault: SOAPFault, _ response: HTTPResponse, to request: HTTPRequest) {
        let message = [fault.codes.map(\.local).joined(separator: " "), fault.reason].filter { !$0.isEmpty }.joined(
            separator: ": ")
        let failure = ShareFailure(response, to: request, at: SOAPDestination.address, saying: message)
        if let failure, failure.kind != .rejected, failure.kind != .misconfigured,
            failure.kind != .unanswered || response.status < 500
        {
            self = failure
            return
        }
        let words = request.line(of: message)
        let said = "\(request.url.host) answered with a fault" + (words.isEmpty ? "" : ": " + words)
        switch fault.faultCause {
        // A server of many services answers like this where there is none (404).
        case .sender where failure?.kind == .misconfigured: self.init(.misconfigured, said, advice: failure?.advice)
        case .sender: self.init(.rejected, said)
        case .version: self.init(.rejected, said, advice: "It needs the other version of SOAP: set `version`.")
        case .understanding: self.init(.rejected, said, advice: "It requires a header that istep does not send.")
        case .credentials:
            self.init(.credentials, said, advice: "Renew the credentials or their rights.")
        case .receiver: self.init(.unanswered, said, retryAfter: response.retryAfter)
        }
    }
}
