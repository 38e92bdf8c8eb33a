internal import Support

/// A call of a service's operation.
public struct SOAPCall: Hashable, Sendable {
    /// An element's name.
    public var operation: String
    /// In the order in which they are sent: most schemas define a sequence.
    public var arguments: [Argument]

    public init(_ operation: String, _ arguments: [Argument] = []) {
        self.operation = operation
        self.arguments = arguments
    }

    public struct Argument: Hashable, Sendable {
        /// An element's name.
        public var name: String
        /// Any text, as XML Schema writes values of the argument's type.
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }
}

/// The versions of SOAP.
public enum SOAPVersion: String, Hashable, Sendable, CaseIterable {
    /// W3C Note of 8 May 2000.
    case v11 = "1.1"
    /// W3C Recommendation, second edition, 27 April 2007.
    case v12 = "1.2"

    /// The namespace of the envelope and its parts.
    var namespace: String {
        switch self {
        case .v11: "http://schemas.xmlsoap.org/soap/envelope/"
        case .v12: "http://www.w3.org/2003/05/soap-envelope"
        }
    }

    /// The headers that name the action: a header of its own, in quotes and mandatory (1.1, section 6.1.1), or a
    /// parameter of the type, which is optional (1.2, part 2, section 6.5.3, and appendix A).
    ///
    /// - Parameter action: a URI, checked to have no quotes in it; empty if the service needs none.
    func headers(action: String) -> [(String, String)] {
        switch self {
        case .v11: [("Content-Type", "text/xml; charset=utf-8"), ("SOAPAction", "\"\(action)\"")]
        case .v12:
            [("Content-Type", "application/soap+xml; charset=utf-8" + (action.isEmpty ? "" : "; action=\"\(action)\""))]
        }
    }
}

/// Writes the envelope of a call: the operation is the one element of the body, its arguments are the elements of that
/// (the style "document/literal wrapped", which is also what "rpc/literal" looks like: WS-I Basic Profile 1.1, section
/// 4.4).
struct SOAPEnvelope {
    let version: SOAPVersion
    let namespace: String
    /// Whether the arguments are in the namespace of the operation (`elementFormDefault="qualified"` of XML Schema).
    let qualifiesArguments: Bool

    /// In one line: some services treat white space as an element.
    ///
    /// - Parameter call: its names were checked.
    func document(_ call: SOAPCall) -> String {
        let prefix = qualifiesArguments ? "m:" : ""
        let arguments = call.arguments.map { argument in
            "<\(prefix)\(argument.name)>\(xmlEscaped(argument.value, in: .text))</\(prefix)\(argument.name)>"
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>\
            <soap:Envelope xmlns:soap="\(version.namespace)"><soap:Body>\
            <m:\(call.operation) xmlns:m="\(xmlEscaped(namespace, in: .attribute))">\(arguments.joined())</m:\(call.operation)>\
            </soap:Body></soap:Envelope>
            """
    }
}

/// The content of an answer.
enum SOAPReply: Hashable, Sendable {
    /// The first element of the body.
    case result(XMLElement)
    case fault(SOAPFault)

    /// Why an answer is not SOAP.
    enum Problem: Error, Hashable, Sendable {
        case xml(XMLProblem)
        /// Another document: its root.
        case noEnvelope(XMLName)
        case emptyBody
    }

    /// Reads an envelope of either version: a service that supports only the other version reports that in its own
    /// (SOAP 1.2, part 1, appendix A).
    init(_ bytes: [UInt8]) throws(Problem) {
        let root: XMLElement
        do {
            root = try XMLReader.read(bytes)
        } catch {
            throw .xml(error)
        }
        guard root.name.local == "Envelope",
            let version = SOAPVersion.allCases.first(where: { $0.namespace == root.name.namespace })
        else { throw .noEnvelope(root.name) }
        let body = root.children.first { $0.name == XMLName("Body", in: version.namespace) }
        guard let content = body?.children.first else { throw .emptyBody }
        self = content.name == XMLName("Fault", in: version.namespace) ? .fault(SOAPFault(content)) : .result(content)
    }
}

extension SOAPReply.Problem: CustomStringConvertible {
    /// Continues a sentence that begins with "the answer is". A name in it is whole: it can be cut once secrets are
    /// masked.
    var description: String {
        switch self {
        case .xml(let problem): problem.description
        case .noEnvelope(let root): "not SOAP, but XML with the root \(quoted(root.local))"
        case .emptyBody: "SOAP with an empty body"
        }
    }
}

/// The error that a service returns instead of a result.
public struct SOAPFault: Error, Hashable, Sendable {
    /// The cause of the fault.
    public enum FaultCause: Hashable, Sendable {
        /// The message is wrong, and a retry would be wrong again; nothing was done (`Client`, `Sender`).
        case sender
        /// The service failed; what it had done by then is not known (`Server`, `Receiver`, and codes of the service's
        /// own).
        case receiver
        /// The service does not accept the credentials (`FailedAuthentication` of WS-Security).
        case credentials
        /// The service uses another version of SOAP.
        case version
        /// The service requires a header, or does not know one that must be understood.
        case understanding
    }

    /// The code, and in SOAP 1.2 its subcodes, from the general to the specific.
    public let codes: [XMLName]
    /// The service's message, unchanged: not for terminals, and it may repeat what was sent.
    public let reason: String

    /// Namespace of the security extensions (WSS SOAP Message Security 1.1, section 12).
    private static let security = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"

    public var faultCause: FaultCause {
        if codes.contains(XMLName("FailedAuthentication", in: Self.security)) { return .credentials }
        // Codes of SOAP 1.1 can have more parts after a dot: `Client.Authentication` (section 4.4.1). Codes in no
        // namespace come from services that write a prefix they do not declare, or none.
        guard let code = codes.first, code.namespace.map({ Self.namespaces.contains($0) }) ?? true else {
            return .receiver
        }
        switch code.local.split(separator: ".").first {
        case "Client", "Sender": return .sender
        case "VersionMismatch": return .version
        case "MustUnderstand", "DataEncodingUnknown": return .understanding
        default: return .receiver
        }
    }

    private static let namespaces = Set(SOAPVersion.allCases.map(\.namespace))
}

extension SOAPFault {
    /// Reads both forms: SOAP 1.1, section 4.4, and SOAP 1.2, part 1, section 5.4.
    init(_ element: XMLElement) {
        if let code = element.child("Code") {
            var codes: [XMLName] = []
            var next: XMLElement? = code
            while let level = next, codes.count < 8 {
                if let value = level.child("Value") { codes.append(value.resolve(value.text)) }
                next = level.child("Subcode")
            }
            let texts = element.child("Reason")?.children ?? []
            let english = texts.first { text in
                text.attributes.contains { $0.key.local == "lang" && $0.value.lowercased().hasPrefix("en") }
            }
            self.init(codes: codes, reason: (english ?? texts.first)?.text.trimmed ?? "")
        } else {
            self.init(
                codes: element.child("faultcode").map { [$0.resolve($0.text)] } ?? [],
                reason: element.child("faultstring")?.text.trimmed ?? "")
        }
    }
}
