public import HTTP
internal import TextSafety

/// Calls any operation of any service: a name selects the service, a table contains how it is reached.
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
    ///   - headers: the credentials.
    ///   - isRepeatable: whether the service may get the call twice without harm.
    ///   - response: name of the result's element; nil for the operation's name followed by `Response`, as in every WSDL that tools
    ///     generate (WS-I Basic Profile 1.1, R2729). Its namespace is ignored, as services differ in it.
    /// - Returns: that element.
    /// - Throws: a fault as a fault, whatever its HTTP status.
    public func call(
        _ call: SOAPCall, headers: [HTTPRequest.Header] = [], isRepeatable: Bool = false, response: String? = nil
    ) async throws(SOAPError) -> XMLElement {
        let request = try request(call, headers: headers, isRepeatable: isRepeatable)
        return try await send(request, expecting: response ?? call.operation + "Response")
    }

    /// The second half of `call`, for callers that keep the request, to report it or to read its secrets.
    ///
    /// - Parameter response: name of the result's element.
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
            // A result counts with 2xx only: with any other status, an intermediary has changed the answer.
            guard 200..<300 ~= answer.status, element.name.local == response else { throw .unexpected(element.name, answer) }
            return element
        }
    }

    /// The first half of `call`: creates the request.
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

/// How a service is reached.
public struct SOAPService: Hashable, Sendable {
    public var endpoint: WebAddress
    /// URI of the namespace in which its operations are, as its WSDL has it in `targetNamespace`.
    public var namespace: String
    /// URI of the action; `{service}` and `{operation}` in it are replaced. Empty if the service needs none.
    public var action: String
    public var version: SOAPVersion
    /// Whether arguments are in the namespace of the operation: services of .NET and spyne expect that, most services of Java do not.
    public var qualifiesArguments: Bool

    public init(
        endpoint: WebAddress, namespace: String, action: String = "", version: SOAPVersion = .v11, qualifiesArguments: Bool = true
    ) {
        self.endpoint = endpoint
        self.namespace = namespace
        self.action = action
        self.version = version
        self.qualifiesArguments = qualifiesArguments
    }

    /// Whether a text can stand between the quotes of a header: ASCII without quotes, backslashes, spaces and control characters.
    public static func isAction(_ text: String) -> Bool {
        text.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }

    func action(of call: SOAPCall) -> String {
        action.replacing("{service}", with: call.service).replacing("{operation}", with: call.operation)
    }
}

/// A service's description of itself: WSDL 1.1 (W3C Note of 15 March 2001), as far as it is needed to check a configuration.
public struct SOAPDescription: Hashable, Sendable {
    /// `targetNamespace`, most of the time also that of the operations' elements.
    public let namespace: String?
    /// Names of the operations, sorted. Empty if they are in another document that this one imports.
    public let operations: [String]

    private static let wsdl = "http://schemas.xmlsoap.org/wsdl/"

    /// Nil if it is not WSDL 1.1.
    public init?(_ bytes: [UInt8]) {
        guard let root = try? XMLReader.read(bytes), root.name == XMLName("definitions", in: Self.wsdl) else { return nil }
        namespace = root.attributes[XMLName("targetNamespace")]
        let operations = root.children.filter { $0.name == XMLName("portType", in: Self.wsdl) }.flatMap(\.children)
            .filter { $0.name == XMLName("operation", in: Self.wsdl) }.compactMap { $0.attributes[XMLName("name")] }
        self.operations = Set(operations).sorted()
    }
}

/// Why a call has no result.
public enum SOAPError: Error, Hashable, Sendable {
    /// Nothing was sent.
    case unknownService(String, known: [String])
    /// Nothing was sent: no element can have this name.
    case badName(String)
    /// Nothing was sent: no header can have this action.
    case badAction(String)
    /// There is no answer; the error states whether the call may have arrived.
    case transport(TransportError)
    /// The service answered with a fault.
    case fault(SOAPFault, HTTPResponse)
    /// An answer that is not SOAP: only its status is known.
    case noSOAP(HTTPResponse, reason: String)
    /// A result that does not belong to the call, or came with a status of failure.
    case unexpected(XMLName, HTTPResponse)
}

extension SOAPError: CustomStringConvertible {
    /// In one line, without a fault's reason and other text from the server, which may repeat what was sent.
    public var description: String {
        switch self {
        case .unknownService(let name, let known):
            "there is no service \(quoted(name)); known services: " + known.map(quoted).joined(separator: ", ")
        case .badName(let name): "\(quoted(name)) cannot be the name of an element; it takes ASCII letters, digits, _ - ."
        case .badAction(let action): "\(quoted(action)) cannot be an action; it takes ASCII without spaces, quotes and backslashes"
        case .transport(let error): error.description
        case .fault(let fault, _): "the service answered with the fault \(fault.codes.first?.description ?? "without a code")"
        case .noSOAP(let response, let reason): "the answer (HTTP \(response.status)) is \(reason)"
        case .unexpected(let name, let response): "the answer (HTTP \(response.status)) holds \(name), which is not a result of the call"
        }
    }
}
