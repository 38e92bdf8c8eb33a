import Testing

@testable import SOAP

@Suite(.timeLimit(.minutes(5))) struct SOAPReplyTests {
    private func fault(_ text: String) throws -> SOAPFault {
        guard case .fault(let fault) = try SOAPReply(Array(text.utf8)) else {
            throw NoFault()
        }
        return fault
    }

    private struct NoFault: Error {}

    @Test(
        arguments: [
            ("s:Client", .sender), ("s:Client.Authentication.Expired", .sender), ("s:Server", .receiver),
            ("s:Server.X", .receiver),
            ("s:VersionMismatch", .version), ("s:MustUnderstand", .understanding), ("Client", .sender),
            ("nowhere:Client", .sender),
            ("Server", .receiver), ("m:Client", .receiver), ("m:OutOfShoes", .receiver), ("", .receiver),
            ("s:Clientele", .receiver),
            ("\n s:Client \n", .sender), ("w:FailedAuthentication", .credentials),
            ("m:FailedAuthentication", .receiver),
            ("w:InvalidSecurity", .receiver),
        ] as [(String, SOAPFault.FaultCause)])
    func `fault codes of the older SOAP version determine the cause`(code: String, faultCause: SOAPFault.FaultCause)
        throws
    {
        let text = Envelopes.fault11(
            code,
            declaring: """
                xmlns:m="urn:m" xmlns:w="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
                """)
        #expect(try fault(text).faultCause == faultCause)
    }

    @Test(
        arguments: [
            ("s:Sender", "", .sender), ("s:Receiver", "", .receiver), ("s:VersionMismatch", "", .version),
            ("s:MustUnderstand", "", .understanding),
            ("s:DataEncodingUnknown", "", .understanding),
            (
                "s:Sender",
                "<s:Subcode><s:Value>s:X</s:Value><s:Subcode><s:Value>s:Y</s:Value></s:Subcode></s:Subcode>", .sender
            ),
            (
                "s:Sender",
                """
                <s:Subcode xmlns:w="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd">\
                <s:Value>w:FailedAuthentication</s:Value></s:Subcode>
                """, .credentials
            ),
        ] as [(String, String, SOAPFault.FaultCause)])
    func `fault codes of the newer SOAP version determine the cause`(
        code: String, subcode: String, faultCause: SOAPFault.FaultCause
    ) throws {
        #expect(try fault(Envelopes.fault12(code, subcode: subcode)).faultCause == faultCause)
    }

    @Test func `the reason of a fault is the text from the service`() throws {
        #expect(try fault(Envelopes.fault11("s:Client", " steps &lt; 0 ")).reason == "steps < 0")
        let german = "<s:Text xml:lang=\"de\">Schritte</s:Text>"
        #expect(
            try fault(Envelopes.fault12("s:Sender", reasons: german + "<s:Text xml:lang=\"en-GB\">steps</s:Text>"))
                .reason == "steps")
        #expect(try fault(Envelopes.fault12("s:Sender", reasons: german)).reason == "Schritte")
        #expect(try fault(Envelopes.fault12("s:Sender", reasons: "")).reason == "")
    }

    @Test func `an empty fault is still a fault`() throws {
        #expect(try fault(Envelopes.wrap("<s:Fault/>")) == SOAPFault(codes: [], reason: ""))
        #expect(try fault(Envelopes.wrap("<s:Fault/>")).faultCause == .receiver)
    }

    @Test func `fault elements in another namespace are accepted`() throws {
        let text = Envelopes.wrap(
            "<s:Fault xmlns:m=\"urn:m\"><m:faultcode>s:Client</m:faultcode><m:faultstring>no</m:faultstring></s:Fault>")
        #expect(try fault(text).faultCause == .sender)
    }

    @Test func `a Fault element in another namespace is a result`() throws {
        guard case .result(let element) = try SOAPReply(Array(Envelopes.wrap("<m:Fault xmlns:m=\"urn:m\"/>").utf8))
        else {
            Issue.record("a fault")
            return
        }
        #expect(element.name == XMLName("Fault", in: "urn:m"))
    }

    @Test func `only the first element of the body is used`() throws {
        let text = """
            <s:Envelope xmlns:s="\(SOAPVersion.v12.namespace)"><s:Header><x/></s:Header><s:Body> <!-- --> <a/><s:Fault/></s:Body></s:Envelope>
            """
        guard case .result(let element) = try SOAPReply(Array(text.utf8)) else {
            Issue.record("a fault")
            return
        }
        #expect(element.name == XMLName("a"))
    }

    @Test func `a document without an envelope is reported with its root`() {
        #expect(throws: SOAPReply.Problem.noEnvelope(XMLName("html"))) { try SOAPReply(Array("<html/>".utf8)) }
        #expect(throws: SOAPReply.Problem.noEnvelope(XMLName("Envelope", in: "urn:x"))) {
            try SOAPReply(Array("<Envelope xmlns='urn:x'/>".utf8))
        }
        #expect(throws: SOAPReply.Problem.emptyBody) { try SOAPReply(Array(Envelopes.wrap(" ").utf8)) }
        #expect(throws: SOAPReply.Problem.emptyBody) {
            try SOAPReply(
                Array("<s:Envelope xmlns:s='\(SOAPVersion.v11.namespace)'><Body><a/></Body></s:Envelope>".utf8))
        }
        #expect("\(SOAPReply.Problem.noEnvelope(XMLName("html")))" == "not SOAP, but XML with the root \"html\"")
        // Secrets in it are masked before it is cut.
        let name = String(repeating: "c", count: 500)
        #expect("\(SOAPReply.Problem.noEnvelope(XMLName("\u{1B}" + name)))".hasSuffix("\"\\u{1b}\(name)\""))
    }
}
