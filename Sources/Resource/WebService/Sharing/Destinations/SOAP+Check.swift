internal import HTTP
internal import Quoting
internal import SOAP
internal import StepDomain

extension SOAPDestination {
    /// Asks for the service's description, which is where nearly every service has it: behind `?wsdl`. A call would not be harmless.
    func check() async throws(ShareFailure) -> String {
        let request = HTTPRequest(method: "GET", url: try description, headers: try authentication.headers(credentials))
        let response = try await exchange.answer(to: request)
        let origin = service.endpoint.origin
        if let failure = ShareFailure(response, to: request) {
            // A service without a description declines to show it.
            guard failure.kind == .rejected else { throw failure }
            return "\(origin) answers, and shows no description (HTTP \(response.status) to ?wsdl)"
        }
        guard let description = SOAPDescription(response.body) else {
            return "\(origin) answers, and shows no description that is WSDL 1.1"
        }
        guard description.operations.isEmpty || description.operations.contains(operation) else {
            let known = description.operations.prefix(8).map { quoted(request.scrubbed(String($0.prefix(80)))) }.joined(separator: ", ")
            throw ShareFailure(
                .misconfigured, "\(request.url.host) has no operation \(operation); it has \(known)", advice: "Set `operation`, or `url`.")
        }
        var words = "\(origin) answers, and describes " + (description.operations.isEmpty ? "its operations elsewhere" : operation)
        if let namespace = description.namespace, namespace != service.namespace {
            words += "; its namespace is \(quoted(request.scrubbed(String(namespace.prefix(200))))), where `namespace` is another"
        }
        return words
    }

    private var description: WebAddress {
        get throws(ShareFailure) {
            do {
                // The endpoint was checked for plain http already.
                return try WebAddress(place + (service.endpoint.query.map { "?\($0)&" } ?? "?") + "wsdl", insecure: true)
            } catch {
                throw ShareFailure(.misconfigured, "`url` makes no address for ?wsdl: \(error.description)")
            }
        }
    }
}
