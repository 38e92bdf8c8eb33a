import HTTP
import SOAP
import Support
import Testing

@Suite(.timeLimit(.minutes(5))) struct SOAPServiceTests {
    private func service(_ change: (inout SOAPService) -> Void = { _ in }) throws -> SOAPService {
        var service = SOAPService(
            name: "Steps", endpoint: try WebAddress("https://example.com/soap"), namespace: "urn:steps")
        change(&service)
        return service
    }

    private let call = SOAPCall("share", [.init("steps", "1")])
    private let result = Envelopes.wrap(
        "<m:shareResponse xmlns:m=\"urn:steps\"><m:shareResult>ok</m:shareResult></m:shareResponse>")

    private func answer(_ status: Int, _ body: String) -> HTTPResponse {
        HTTPResponse(status: status, body: Array(body.utf8))
    }

    private func error(_ status: Int, _ body: String) -> SOAPError? {
        do throws(SOAPError) {
            _ = try SOAPService.result(of: answer(status, body), expecting: "shareResponse")
            return nil
        } catch {
            return error
        }
    }

    @Test func `the result is the expected element`() throws {
        let element = try SOAPService.result(of: answer(200, result), expecting: "shareResponse")
        #expect(element.name == XMLName("shareResponse", in: "urn:steps"))
        #expect(element.children.map(\.text) == ["ok"])
        #expect(
            try SOAPService.result(of: answer(200, Envelopes.wrap("<done/>")), expecting: "done").name
                == XMLName("done"))
    }

    @Test func `the older SOAP version sends the action as a quoted header`() throws {
        let service = try service { $0.action = "urn:steps/{service}/{operation}" }
        let request = try service.request(call, headers: [.bearer(Secret("token"))])
        #expect(request.method == "POST" && request.url == service.endpoint)
        #expect(
            request.headers == [
                .init("Content-Type", "text/xml; charset=utf-8"), .init("SOAPAction", "\"urn:steps/Steps/share\""),
                .bearer(Secret("token")),
            ])
        #expect(!request.isRepeatable)
    }

    @Test func `the newer SOAP version sends the action in the content type`() throws {
        let request = try service { ($0.version, $0.action) = (.v12, "urn:a") }.request(call, isRepeatable: true)
        #expect(request.headers == [.init("Content-Type", "application/soap+xml; charset=utf-8; action=\"urn:a\"")])
        #expect(request.isRepeatable)
    }

    @Test func `only older SOAP sends an action header without an action`() throws {
        #expect(try service().request(call).headers.last == .init("SOAPAction", "\"\""))
        #expect(
            try service { $0.version = .v12 }.request(call).headers == [
                .init("Content-Type", "application/soap+xml; charset=utf-8")
            ])
    }

    @Test(arguments: [200, 202, 400, 500]) func `a fault is reported for any HTTP status`(status: Int) {
        guard case .fault(let fault, let response) = error(status, Envelopes.fault11("s:Client", "no shoes")) else {
            Issue.record("no fault")
            return
        }
        #expect(fault.reason == "no shoes")
        #expect(fault.faultCause == .sender)
        #expect(response.status == status)
    }

    @Test(arguments: [200, 500, 404]) func `an answer without SOAP is reported with its status`(status: Int) {
        let html = "<html>oops</html>"
        #expect(
            error(status, html) == .noSOAP(answer(status, html), reason: "not SOAP, but XML with the root \"html\""))
    }

    @Test func `an unexpected result is rejected`() {
        let other = Envelopes.wrap("<m:readResponse xmlns:m=\"urn:steps\"/>")
        #expect(error(200, other) == .unexpected(XMLName("readResponse", in: "urn:steps"), answer(200, other)))
        #expect(error(500, result) == .unexpected(XMLName("shareResponse", in: "urn:steps"), answer(500, result)))
    }

    @Test func `an invalid call makes no request`() throws {
        #expect(throws: SOAPError.badName("sh are")) { try service().request(SOAPCall("sh are")) }
        #expect(throws: SOAPError.badName("a><b")) { try service().request(SOAPCall("share", [.init("a><b", "")])) }
        #expect(throws: SOAPError.badAction("a\"\r\nX: y")) { try service { $0.action = "a\"\r\nX: y" }.request(call) }
    }

    @Test func `errors contain no text of the service`() {
        for body in [Envelopes.wrap("<t0ps3cret/>"), Envelopes.fault11("t0ps3cret", "t0ps3cret"), "<t0ps3cret/>"] {
            #expect(error(200, body).map { "\($0)".contains("t0ps3cret") } == false)
        }
    }
}
