import StepDomain
import Testing
import WebTestSupport

@Suite(.timeLimit(.minutes(5))) struct SOAPTests {
    private func destination(_ url: String, _ more: String = "") throws -> any ShareDestination {
        try Fixture.destination(
            "[share.garden]\nkind = 'soap'\nurl = '\(url)/soap?x=1'\nnamespace = 'urn:steps'\ntoken_env = '\(TestSecret.variable)'\n\(more)"
        )
    }

    private func withServer(
        _ more: String = "", answers: @escaping @Sendable (ReceivedRequest) -> Answer,
        _ body: (any ShareDestination, LoopbackServer) async throws -> Void
    ) async throws {
        let server = try LoopbackServer.start(answers)
        defer { server.stop() }
        try await body(try destination(server.url, more), server)
    }

    @Test func `a day is sent as a call of one operation`() throws {
        #expect(
            try destination("https://example.org").preview([SharePayload(.easter())]) == """
                POST /soap?x=1 HTTP/1.1
                Host: example.org
                Accept: */*
                Accept-Encoding: identity
                Content-Type: text/xml; charset=utf-8
                SOAPAction: ""
                Authorization: Bearer •••••
                Content-Length: 426

                <?xml version="1.0" encoding="UTF-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>\
                <m:shareStepData xmlns:m="urn:steps"><m:user>Anna</m:user><m:date>2014-04-20</m:date><m:steps>8123</m:steps>\
                <m:distance>5432</m:distance><m:calories>232</m:calories><m:goal>10000</m:goal><m:percentage>81.2</m:percentage>\
                <m:completeness>complete</m:completeness></m:shareStepData></soap:Body></soap:Envelope>
                """)
    }

    @Test func `unknown figures of a day are omitted`() throws {
        let day = SharedDay.easter(metres: nil, kilocalories: nil, goal: nil, completeness: .partial)
        let more =
            "version = '1.2'\noperation = 'send'\nqualified = false\naction = '{service}/{operation}'\nservice = 'S'"
        let preview = try destination("https://example.org", more).preview([SharePayload(day)])
        #expect(
            preview.contains(
                """
                <m:send xmlns:m="urn:steps"><user>Anna</user><date>2014-04-20</date><steps>8123</steps>\
                <completeness>partial</completeness></m:send>
                """))
        #expect(preview.contains("\nContent-Type: application/soap+xml; charset=utf-8; action=\"S/send\"\n"))
    }

    @Test func `a service counts as idempotent only if it is configured so`() throws {
        #expect(
            try destination("https://example.org").traits
                == ShareTraits(resending: .repeats, corrects: false, acceptsUnfinishedDays: false))
        #expect(try destination("https://example.org", "idempotent = true").traits == .replacing)
    }

    /// If a kept connection turns out to be closed, the request is sent again.
    @Test(arguments: [("", [1, 2]), ("idempotent = true", [1, 1])])
    func `a call that is not idempotent uses a separate connection`(more: String, connections: [Int]) async throws {
        let body =
            "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body><shareStepDataResponse/></s:Body></s:Envelope>"
        try await withServer(more, answers: { _ in .reply(body: body) }) { destination, server in
            for _ in 0..<2 { _ = try await destination.deliver([SharePayload(.easter())]) }
            #expect(server.requests.map(\.connection) == connections)
        }
    }

    // MARK: Faults

    private static func fault(_ code: String, _ reason: String = "the cat sleeps") -> String {
        """
        <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault>\
        <faultcode xmlns:w="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd">\(code)</faultcode>\
        <faultstring>\(reason)</faultstring></s:Fault></s:Body></s:Envelope>
        """
    }

    @Test(
        arguments: [
            (200, "s:Client", .rejected), (500, "s:Client.NoShoes", .rejected), (200, "s:Server", .unanswered),
            (500, "s:Server", .unanswered),
            (500, "own", .unanswered), (500, "w:FailedAuthentication", .credentials),
            (500, "s:VersionMismatch", .rejected),
            (500, "s:MustUnderstand", .rejected), (401, "s:Client", .credentials), (403, "s:Server", .credentials),
            (503, "s:Server", .unanswered),
            (429, "s:Client", .busy), (400, "s:Client", .rejected), (404, "s:Server", .unanswered),
            (404, "s:Client", .misconfigured),
            (302, "s:Client", .unanswered),
        ] as [(Int, String, ShareFailure.Kind)])
    func `a fault is recognized with any HTTP status`(status: Int, code: String, kind: ShareFailure.Kind) async throws {
        try await withServer(answers: { _ in
            .reply(status: status, headers: [("Retry-After", "60")], body: Self.fault(code))
        }) {
            destination, _ in
            let failure = await destination.failure(delivering: SharePayload(.easter()))
            #expect(failure?.kind == kind)
            #expect(failure?.reason.contains("the cat sleeps") == true)
            if kind == .busy || kind == .unanswered { #expect(failure?.retryAfter == 60) }
        }
    }

    @Test func `a fault is reported without secrets and control characters`() async throws {
        let reason =
            "Bearer \(TestSecret.text.replacing("&", with: "&amp;").replacing("<", with: "&lt;"))&#x202E; is &#13;&#10;wrong"
        try await withServer(answers: { _ in .reply(status: 500, body: Self.fault("s:Client", reason)) }) {
            destination, _ in
            let failure = await destination.failure(delivering: SharePayload(.easter()))
            #expect(failure?.reason == "127.0.0.1 answered with a fault: Client: Bearer •••••? is wrong")
        }
    }

    @Test func `names in an answer are reported without secrets`() async throws {
        let envelope =
            "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body><tok-3n/></s:Body></s:Envelope>"
        let long = (30...80).map { "<\(String(repeating: "c", count: $0))tok-3n/>" }
        for body in ["<tok-3n/>", "<?xml version='1.0' encoding='tok-3n'?><a/>", envelope]
            + long.flatMap({ [$0, envelope.replacing("<tok-3n/>", with: $0)] })
        {
            let server = try LoopbackServer.start { _ in .reply(body: body) }
            defer { server.stop() }
            let destination = try Fixture.destination(
                "[share.a]\nkind='soap'\nurl='\(server.url)'\nnamespace='urn:steps'\ntoken_env='TOKEN'",
                environment: ["TOKEN": "tok-3n"])
            let failure = await destination.failure(delivering: SharePayload(.easter()))
            #expect(failure?.kind == .unanswered)
            let reason = failure?.reason ?? ""
            #expect(reason.contains { "•…".contains($0) } && !reason.contains("tok"), "\(reason)")
        }
    }

    @Test func `an answer to another operation does not confirm a delivery`() async throws {
        let body =
            "<s:Envelope xmlns:s='http://www.w3.org/2003/05/soap-envelope'><s:Body><r:readResponse xmlns:r='urn:steps'/></s:Body></s:Envelope>"
        try await withServer(answers: { _ in .reply(body: body) }) { destination, _ in
            let failure = await destination.failure(delivering: SharePayload(.easter()))
            #expect(failure?.kind == .unanswered)
            #expect(
                failure?.reason
                    == "127.0.0.1 did not confirm: it answered with \"readResponse\", which is not a response to the operation"
            )
        }
        try await withServer("response = 'readResponse'", answers: { _ in .reply(body: body) }) { destination, _ in
            let receipts = try await destination.deliver([SharePayload(.easter())])
            #expect(receipts == [ShareReceipt()])
        }
    }

    @Test func `status 415 gives advice about the version`() async throws {
        try await withServer(answers: { _ in .reply(status: 415) }) { destination, _ in
            let failure = await destination.failure(delivering: SharePayload(.easter()))
            #expect(failure?.kind == .rejected)
            #expect(failure?.advice?.contains("`version`") == true)
        }
    }

    // MARK: Checking

    private static func description(_ operations: String..., namespace: String = "urn:steps") -> String {
        let operations = operations.map { "<operation name='\($0)'/>" }.joined()
        return
            "<definitions xmlns='http://schemas.xmlsoap.org/wsdl/' targetNamespace='\(namespace)'><portType>\(operations)</portType></definitions>"
    }

    @Test(arguments: [
        (description("read", "shareStepData"), "answers, and describes shareStepData"),
        (description(), "answers, and describes its operations elsewhere"),
        (
            description("shareStepData", namespace: "urn:other"),
            "answers, and describes shareStepData; its namespace is \"urn:other\", where `namespace` is another"
        ),
        ("<!DOCTYPE html><html>", "answers, and has no WSDL 1.1 description"),
        ("<description xmlns='http://www.w3.org/ns/wsdl'/>", "answers, and has no WSDL 1.1 description"),
        ("", "answers, and has no WSDL 1.1 description"),
    ])
    func `a check reports what the service describes`(body: String, words: String) async throws {
        try await withServer(answers: { _ in .reply(body: body) }) { destination, server in
            let said = try await destination.check()
            #expect(said == words)
            #expect(server.requests.map { "\($0.method) \($0.target)" } == ["GET /soap?x=1&wsdl"])
        }
    }

    @Test func `a check accepts a service without a description`() async throws {
        try await withServer(answers: { _ in .reply(status: 405) }) { destination, _ in
            let said = try await destination.check()
            #expect(said == "answers, and has no WSDL description (HTTP 405 to ?wsdl)")
        }
    }

    @Test func `the displayed address omits the path, which may be secret`() throws {
        #expect(try destination("https://example.org").location == "https://example.org")
    }

    @Test func `a check reports a missing operation`() async throws {
        try await withServer(answers: { _ in .reply(body: Self.description("read", "wr\u{202E}ite")) }) {
            destination, _ in
            let failure = await destination.failureOfCheck()
            #expect(failure?.kind == .misconfigured)
            #expect(failure?.reason == "127.0.0.1 has no operation shareStepData; it has \"read\", \"wr\\u{202e}ite\"")
        }
    }

    @Test(arguments: [
        "operation = 'a b'", "operation = '<a>'", "service = 'ä'", "response = '1a'", "action = 'a\"b'",
        "action = 'a b'", "version = '1.3'",
    ])
    func `an invalid name, action or version is rejected`(line: String) {
        #expect(throws: (any Error).self) { try destination("https://example.org", line) }
    }
}
