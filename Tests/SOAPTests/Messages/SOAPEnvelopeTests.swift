import Testing

@testable import SOAP

@Suite(.timeLimit(.minutes(5))) struct SOAPEnvelopeTests {
    private let call = SOAPCall("shareStepData", [.init("user", "Zoë <&\"'>"), .init("steps", "8123")])

    @Test func `an envelope of the older SOAP version is written`() {
        #expect(
            SOAPEnvelope(version: .v11, namespace: "urn:steps", qualifiesArguments: true).document(call) == """
                <?xml version="1.0" encoding="UTF-8"?>\
                <soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><m:shareStepData xmlns:m="urn:steps">\
                <m:user>Zoë &lt;&amp;&quot;&apos;&gt;</m:user><m:steps>8123</m:steps></m:shareStepData></soap:Body></soap:Envelope>
                """)
    }

    @Test func `an envelope of the newer SOAP version is written`() {
        #expect(
            SOAPEnvelope(version: .v12, namespace: "http://example.com/?a=1&b=\"2\"", qualifiesArguments: false)
                .document(call) == """
                    <?xml version="1.0" encoding="UTF-8"?>\
                    <soap:Envelope xmlns:soap="http://www.w3.org/2003/05/soap-envelope"><soap:Body>\
                    <m:shareStepData xmlns:m="http://example.com/?a=1&amp;b=&quot;2&quot;">\
                    <user>Zoë &lt;&amp;&quot;&apos;&gt;</user><steps>8123</steps></m:shareStepData></soap:Body></soap:Envelope>
                    """)
    }

    @Test(arguments: SOAPVersion.allCases, [true, false]) func `an envelope is read back as it was written`(
        version: SOAPVersion, qualifies: Bool
    ) throws {
        let document = SOAPEnvelope(version: version, namespace: "urn:\"steps\"", qualifiesArguments: qualifies)
            .document(call)
        guard case .result(let element) = try SOAPReply(Array(document.utf8)) else {
            Issue.record("no result")
            return
        }
        #expect(element.name == XMLName("shareStepData", in: "urn:\"steps\""))
        let namespace = qualifies ? "urn:\"steps\"" : nil
        #expect(element.children.map(\.name) == [XMLName("user", in: namespace), XMLName("steps", in: namespace)])
        #expect(element.children.map(\.text) == ["Zoë <&\"'>", "8123"])
    }
}
