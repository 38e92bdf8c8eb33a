/// What a service says instead of a result.
public struct SOAPFault: Error, Hashable, Sendable {
    /// Whose fault it is.
    public enum Blame: Hashable, Sendable {
        /// The message is wrong and would be again; nothing was done (`Client`, `Sender`).
        case sender
        /// The service failed; what it had done by then is open (`Server`, `Receiver`, and codes of the service's own).
        case receiver
        /// The service does not accept who is asking (`FailedAuthentication` of WS-Security).
        case credentials
        /// The service speaks another version of SOAP.
        case version
        /// The service demands, or does not know, what a header must be understood for.
        case understanding
    }

    /// The code, and in SOAP 1.2 the codes below it, from the general to the special.
    public let codes: [XMLName]
    /// In the service's words, as they came: not for terminals, and it may repeat what was sent.
    public let reason: String

    /// Of the security extensions (WSS SOAP Message Security 1.1, section 12).
    private static let security = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"

    public var blame: Blame {
        if codes.contains(XMLName("FailedAuthentication", in: Self.security)) { return .credentials }
        // Names of SOAP 1.1 go on behind points: `Client.Authentication` (section 4.4.1). In no namespace are those of services that write
        // a prefix they do not declare, or none.
        guard let code = codes.first, code.namespace.map({ Self.namespaces.contains($0) }) ?? true else { return .receiver }
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
