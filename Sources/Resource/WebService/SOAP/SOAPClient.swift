public import HTTP
internal import Support

/// A service that is called by SOAP, and how it is reached.
public struct SOAPService: Hashable, Sendable {
    /// The value of `{service}` in the action.
    public var name: String
    public var endpoint: WebAddress
    /// URI of the namespace in which its operations are, as its WSDL has it in `targetNamespace`.
    public var namespace: String
    /// URI of the action; `{service}` and `{operation}` in it are replaced. Empty if the service needs none.
    public var action: String
    public var version: SOAPVersion
    /// Whether arguments are in the namespace of the operation: services of .NET and spyne expect that, most services
    /// of Java do not.
    public var qualifiesArguments: Bool

    public init(
        name: String, endpoint: WebAddress, namespace: String, action: String = "", version: SOAPVersion = .v11,
        qualifiesArguments: Bool = true
    ) {
        self.name = name
        self.endpoint = endpoint
        self.namespace = namespace
        self.action = action
        self.version = version
        self.qualifiesArguments = qualifiesArguments
    }

    /// Whether a text can stand between the quotes of a header: ASCII without quotes, backslashes, spaces and control
    /// characters.
    public static func isAction(_ text: String) -> Bool {
        text.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
}

extension SOAPService {
    /// The request that calls an operation.
    ///
    /// - Parameters:
    ///   - headers: the credentials.
    ///   - isRepeatable: whether the service may get the call twice without harm.
    public func request(
        _ call: SOAPCall, headers: [HTTPRequest.Header] = [], isRepeatable: Bool = false
    ) throws(SOAPError) -> HTTPRequest {
        for name in [call.operation] + call.arguments.map(\.name) where !XMLName.isPlain(name) { throw .badName(name) }
        let action = action.replacing("{service}", with: name).replacing("{operation}", with: call.operation)
        guard SOAPService.isAction(action) else { throw .badAction(action) }
        let envelope = SOAPEnvelope(version: version, namespace: namespace, qualifiesArguments: qualifiesArguments)
        return HTTPRequest(
            method: "POST", url: endpoint,
            headers: version.headers(action: action).map { HTTPRequest.Header($0, $1) } + headers,
            body: Array(envelope.document(call).utf8), isRepeatable: isRepeatable)
    }

    /// The result of a call.
    ///
    /// - Parameters:
    ///   - answer: what the service has answered to the request.
    ///   - response: name of the result's element. Its namespace is ignored, as services differ in it.
    /// - Returns: that element.
    /// - Throws: a fault as a fault, whatever its HTTP status.
    public static func result(of answer: HTTPResponse, expecting response: String) throws(SOAPError) -> XMLElement {
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
            guard 200..<300 ~= answer.status, element.name.local == response else {
                throw .unexpected(element.name, answer)
            }
            return element
        }
    }
}

/// A service's description of itself: WSDL 1.1 (W3C Note of 15 March 2001), as far as it is needed to check a
/// configuration.
public struct SOAPDescription: Hashable, Sendable {
    /// `targetNamespace`, most of the time also that of the operations' elements.
    public let namespace: String?
    /// Names of the operations, sorted. Empty if they are in another document that this one imports.
    public let operations: [String]

    private static let wsdl = "http://schemas.xmlsoap.org/wsdl/"

    /// Nil if it is not WSDL 1.1.
    public init?(_ bytes: [UInt8]) {
        guard let root = try? XMLReader.read(bytes), root.name == XMLName("definitions", in: Self.wsdl) else {
            return nil
        }
        namespace = root.attributes[XMLName("targetNamespace")]
        let operations = root.children.filter { $0.name == XMLName("portType", in: Self.wsdl) }.flatMap(\.children)
            .filter { $0.name == XMLName("operation", in: Self.wsdl) }.compactMap { $0.attributes[XMLName("name")] }
        self.operations = Set(operations).sorted()
    }
}

/// Why a call has no result.
public enum SOAPError: Error, Hashable, Sendable {
    /// Nothing was sent: no element can have this name.
    case badName(String)
    /// Nothing was sent: no header can have this action.
    case badAction(String)
    /// The service answered with a fault.
    case fault(SOAPFault, HTTPResponse)
    /// An answer that is not SOAP: only its status is known. The reason continues a sentence that begins with "the
    /// answer is", and may have names of any length in it that the server chose.
    case noSOAP(HTTPResponse, reason: String)
    /// A result that does not belong to the call, or came with a status of failure.
    case unexpected(XMLName, HTTPResponse)
}

extension SOAPError: CustomStringConvertible {
    /// One line, without text from the server, which may repeat what was sent.
    public var description: String {
        switch self {
        case .badName(let name):
            "\(quoted(name)) cannot be the name of an element; it takes ASCII letters, digits, _ - ."
        case .badAction(let action):
            "\(quoted(action)) cannot be an action; it takes ASCII without spaces, quotes and backslashes"
        case .fault: "the service answered with a fault"
        case .noSOAP(let response, _): "the answer (HTTP \(response.status)) is not SOAP"
        case .unexpected(_, let response): "the answer (HTTP \(response.status)) is not a result of the call"
        }
    }
}
