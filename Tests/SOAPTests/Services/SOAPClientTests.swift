import HTTP
import TextSafety
import SOAP
import Testing

@Suite(.timeLimit(.minutes(5))) struct SOAPClientTests {
    private func client(_ transport: ScriptedTransport, _ change: (inout SOAPService) -> Void = { _ in }) throws -> SOAPClient {
        var service = SOAPService(endpoint: try WebAddress("https://example.com/soap"), namespace: "urn:steps")
        change(&service)
        return SOAPClient(services: ["Steps": service, "Other": service], transport: transport)
    }

    private let call = SOAPCall("share", of: "Steps", [.init("steps", "1")])
    private let result = Envelopes.wrap("<m:shareResponse xmlns:m=\"urn:steps\"><m:shareResult>ok</m:shareResult></m:shareResponse>")

    private func error(_ transport: ScriptedTransport, _ call: SOAPCall? = nil) async throws -> SOAPError? {
        let client = try client(transport)
        do {
            _ = try await client.call(call ?? self.call)
            return nil
        } catch {
            return error
        }
    }

    @Test func `the result is the response element of the operation`() async throws {
        let element = try await client(ScriptedTransport(200, result)).call(call)
        #expect(element.name == XMLName("shareResponse", in: "urn:steps"))
        #expect(element.children.map(\.text) == ["ok"])
        let named = Envelopes.wrap("<done/>")
        #expect(try await client(ScriptedTransport(200, named)).call(call, response: "done").name == XMLName("done"))
    }

    @Test func `the older SOAP version sends the action as a quoted header`() async throws {
        let transport = ScriptedTransport(200, result)
        let client = try client(transport) { $0.action = "urn:steps/{service}/{operation}" }
        _ = try await client.call(call, headers: [.bearer(Secret("token"))])
        let request = try #require(transport.requests.first)
        #expect(request.method == "POST")
        #expect(
            request.headers == [
                .init("Content-Type", "text/xml; charset=utf-8"), .init("SOAPAction", "\"urn:steps/Steps/share\""), .bearer(Secret("token")),
            ])
        #expect(!request.isRepeatable)
    }

    @Test func `the newer SOAP version sends the action in the content type`() async throws {
        let transport = ScriptedTransport(200, result)
        _ = try await client(transport) { ($0.version, $0.action) = (.v12, "urn:a") }.call(call, isRepeatable: true)
        let request = try #require(transport.requests.first)
        #expect(request.headers == [.init("Content-Type", "application/soap+xml; charset=utf-8; action=\"urn:a\"")])
        #expect(request.isRepeatable)
    }

    @Test func `only older SOAP sends an action header without an action`() throws {
        let transport = ScriptedTransport()
        #expect(try client(transport).request(call).headers.last == .init("SOAPAction", "\"\""))
        #expect(
            try client(transport) { $0.version = .v12 }.request(call).headers == [.init("Content-Type", "application/soap+xml; charset=utf-8")])
    }

    @Test(arguments: [200, 202, 400, 500]) func `a fault is reported for any HTTP status`(status: Int) async throws {
        let answer = Envelopes.fault11("s:Client", "no shoes")
        guard case .fault(let fault, let response) = try await error(ScriptedTransport(status, answer)) else {
            Issue.record("no fault")
            return
        }
        #expect(fault.reason == "no shoes")
        #expect(fault.blame == .sender)
        #expect(response.status == status)
    }

    @Test(arguments: [200, 500, 404]) func `an answer without SOAP is reported with its status`(status: Int) async throws {
        let html = HTTPResponse(status: status, body: Array("<html>oops</html>".utf8))
        #expect(try await error(ScriptedTransport(.success(html))) == .noSOAP(html, reason: "no SOAP, but XML with the root \"html\""))
    }

    @Test func `an unexpected result is rejected`() async throws {
        let other = HTTPResponse(status: 200, body: Array(Envelopes.wrap("<m:readResponse xmlns:m=\"urn:steps\"/>").utf8))
        #expect(try await error(ScriptedTransport(.success(other))) == .unexpected(XMLName("readResponse", in: "urn:steps"), other))
        let failed = HTTPResponse(status: 500, body: Array(result.utf8))
        #expect(try await error(ScriptedTransport(.success(failed))) == .unexpected(XMLName("shareResponse", in: "urn:steps"), failed))
    }

    @Test func `a transport error is passed on`() async throws {
        #expect(try await error(ScriptedTransport(.failure(.unanswered(reason: "gone")))) == .transport(.unanswered(reason: "gone")))
    }

    @Test func `an invalid call is not sent`() async throws {
        let transport = ScriptedTransport(200, result)
        #expect(try await error(transport, SOAPCall("share", of: "Walks")) == .unknownService("Walks", known: ["Other", "Steps"]))
        #expect(try await error(transport, SOAPCall("sh are", of: "Steps")) == .badName("sh are"))
        #expect(try await error(transport, SOAPCall("share", of: "Steps", [.init("a><b", "")])) == .badName("a><b"))
        let client = try client(transport) { $0.action = "a\"\r\nX: y" }
        #expect(throws: SOAPError.badAction("a\"\r\nX: y")) { try client.request(call) }
        #expect(transport.requests.isEmpty)
    }

    @Test func `control characters in errors are escaped`() async throws {
        let answer = Envelopes.wrap("<shäre\u{202E}d/>")
        let error = try await error(ScriptedTransport(200, answer))
        #expect(error.map { "\($0)".contains("\u{202E}") } == false)
        #expect("\(SOAPError.unknownService("a\u{1B}", known: ["b"]))" == "there is no service \"a\\u{1b}\"; known services: \"b\"")
    }
}
