public import HTTP

/// One way to call any operation of any service: a name says which, a table says how it is reached.
public struct SOAPClient: Sendable {
    private let services: [String: SOAPService]
    private let transport: any HTTPTransport

    public init(services: [String: SOAPService], transport: any HTTPTransport) {
        self.services = services
        self.transport = transport
    }

    /// Calls an operation and waits for its result.
    ///
    /// - Parameters:
    ///   - headers: who is asking.
    ///   - isRepeatable: whether the service may get the call twice without harm.
    ///   - response: name of the element that a result is; nil for the operation's with `Response` behind it, as in every WSDL that tools
    ///     make (WS-I Basic Profile 1.1, R2729). Its namespace is not looked at, as services differ in it.
    /// - Returns: that element.
    /// - Throws: a fault as a fault, whatever the status that it came with.
    public func call(
        _ call: SOAPCall, headers: [HTTPRequest.Header] = [], isRepeatable: Bool = false, response: String? = nil
    ) async throws(SOAPError) -> XMLElement {
        let request = try request(call, headers: headers, isRepeatable: isRepeatable)
        return try await send(request, expecting: response ?? call.operation + "Response")
    }

    /// The second half of `call`, for callers that keep the request, to tell of it or to know its secrets.
    ///
    /// - Parameter response: name of the element that a result is.
    public func send(_ request: HTTPRequest, expecting response: String) async throws(SOAPError) -> XMLElement {
        let answer: HTTPResponse
        do {
            answer = try await transport.send(request)
        } catch {
            throw .transport(error)
        }
        let reply: SOAPReply
        do {
            reply = try SOAPReply(answer.body)
        } catch {
            throw .noSOAP(answer, reason: error.description)
        }
        switch reply {
        case .fault(let fault): throw .fault(fault, answer)
        case .result(let element):
            // Where the status contradicts, something between here and there has had its say: a result counts with 2xx only.
            guard 200..<300 ~= answer.status, element.name.local == response else { throw .unexpected(element.name, answer) }
            return element
        }
    }

    /// The first half of `call`: what it sends.
    public func request(
        _ call: SOAPCall, headers: [HTTPRequest.Header] = [], isRepeatable: Bool = false
    ) throws(SOAPError) -> HTTPRequest {
        guard let service = services[call.service] else { throw .unknownService(call.service, known: services.keys.sorted()) }
        for name in [call.operation] + call.arguments.map(\.name) where !XMLName.isPlain(name) { throw .badName(name) }
        let action = service.action(of: call)
        guard SOAPService.isAction(action) else { throw .badAction(action) }
        let envelope = SOAPEnvelope(
            version: service.version, namespace: service.namespace, qualifiesArguments: service.qualifiesArguments)
        return HTTPRequest(
            method: "POST", url: service.endpoint,
            headers: service.version.headers(action: action).map { HTTPRequest.Header($0, $1) } + headers,
            body: Array(envelope.document(call).utf8), isRepeatable: isRepeatable)
    }
}
