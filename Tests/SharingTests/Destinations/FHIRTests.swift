import StepDomain
import Synchronization
import Testing
import WebTestSupport

@testable import Sharing

@Suite(.timeLimit(.minutes(5))) struct FHIRTests {
    private func destination(_ url: String, _ more: String = "") throws -> any ShareDestination {
        try Fixture.destination(
            "[share.garden]\nkind = 'fhir'\nurl = '\(url)'\nsubject = 'Patient/123'\ntoken_env = '\(TestSecret.variable)'\n\(more)"
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

    @Test func `a day is an observation with its own identifier`() throws {
        #expect(
            try destination("https://example.org/fhir").preview([SharePayload(.easter())]) == #"""
                PUT /fhir/Observation?identifier=urn%3Auuid%3A7c8f9b84-2946-437f-8ddf-d2efbc4ab394%7CPatient%2F123%2FAnna%2F2014-04-20%2Fsteps HTTP/1.1
                Host: example.org
                Accept-Encoding: identity
                Content-Type: application/fhir+json
                Accept: application/fhir+json
                Prefer: return=minimal
                Authorization: Bearer •••••
                Content-Length: 591

                {"category":[{"coding":[{"code":"activity","display":"Activity",\#
                "system":"http://terminology.hl7.org/CodeSystem/observation-category"}]}],\#
                "code":{"coding":[{"code":"41950-7","display":"Number of steps in 24 hour Measured","system":"http://loinc.org"}]},\#
                "effectiveDateTime":"2014-04-20",\#
                "identifier":[{"system":"urn:uuid:7c8f9b84-2946-437f-8ddf-d2efbc4ab394","value":"Patient/123/Anna/2014-04-20/steps"}],\#
                "resourceType":"Observation","status":"final","subject":{"reference":"Patient/123"},\#
                "valueQuantity":{"code":"/d","system":"http://unitsofmeasure.org","unit":"steps per day","value":8123}}
                """#)
    }

    @Test func `the calories of a deleted day are replaced, too`() throws {
        let preview = try destination("https://example.org/fhir", "calories = true").preview([SharePayload(.deleted)])
        let requests = WebText.requests(in: preview)
        #expect(requests.count == 2)
        #expect(requests.allSatisfy { $0.contains("\"value\":0}") && $0.contains("\"status\":\"preliminary\"") })
    }

    @Test func `calories are sent as a separate observation`() throws {
        let destination = try destination("https://example.org/fhir", "calories = true\nsystem = 'urn:test'")
        let preview = try destination.preview([SharePayload(.easter())])
        #expect(WebText.requests(in: preview).count == 2)
        let calories = try #require(WebText.requests(in: preview).last)
        #expect(
            calories.hasPrefix(
                "PUT /fhir/Observation?identifier=urn%3Atest%7CPatient%2F123%2FAnna%2F2014-04-20%2Fcalories HTTP/1.1\n")
        )
        #expect(calories.contains(#""code":"41979-6""#))
        #expect(
            calories.contains(
                #"{"code":"kcal/d","system":"http://unitsofmeasure.org","unit":"kilocalories per day","value":232}"#))
        #expect(calories.contains(#""method":{"text":"Energy of walking and running above rest"}"#))
        #expect(WebText.requests(in: try destination.preview([SharePayload(.easter(kilocalories: nil))])).count == 1)
        // Whether a pedometer counts above rest is not known.
        var summary = SharedDay.easter().summary
        summary.energySource = .pedometer
        let reported = try #require(SharedDay(summary))
        let text = try #require(WebText.requests(in: try destination.preview([SharePayload(reported)])).last)
        #expect(text.contains(#""method":{"text":"As the pedometer calculated it"}"#))
    }

    @Test(arguments: [
        (DaySummary.Completeness.complete, false, "final"), (.partial, false, "preliminary"),
        (.complete, true, "preliminary"),
    ])
    func `an observation is final only for a complete past day`(
        completeness: DaySummary.Completeness, isInProgress: Bool, status: String
    ) throws {
        let day = SharedDay.easter(completeness: completeness, isInProgress: isInProgress)
        #expect(
            try destination("https://example.org").preview([SharePayload(day)]).contains("\"status\":\"\(status)\""))
    }

    @Test func `user names make identifiers that are unique and safe to search`() throws {
        let names = [
            "Anna", "anna|x", "anna,x", "anna$x", "anna\\x", "anna/x", "anna%2Fx", "Zoë", "👣", "a\nb", "", "..",
        ]
        var seen: Set<String> = []
        for name in names {
            let day = SharedDay.easter(of: User(id: 1, name: name))
            let observation = try #require(FHIRObservation(.steps, of: day, subject: "Patient/1", system: "urn:x"))
            let value = observation.identifier[0].value
            #expect(value.utf8.allSatisfy { 0x21...0x7E ~= $0 && !"|,$\\".utf8.contains($0) }, "\(value)")
            #expect(seen.insert(value).inserted)
        }
    }

    // MARK: Answers

    @Test(
        arguments: [
            (201, [("Location", "http://127.0.0.1/fhir/Observation/17/_history/1")], "", "17"),
            (200, [("ETag", "W/\"2\"")], "", nil), (200, [("Last-Modified", "Sat, 21 Nov 2026 14:00:00 GMT")], "", nil),
            (200, [("Location", "Observation/a.b-c")], "", "a.b-c"),
            (201, [("Location", "http://127.0.0.1/Observation/<script>")], "", nil),
            (200, [], #"{"resourceType":"Observation","id":"18"}"#, "18"),
            (200, [], #"{"resourceType":"Observation","id":"../x"}"#, nil),
            (200, [], #"{"resourceType":"OperationOutcome","issue":[{"severity":"information"}]}"#, nil),
        ] as [(Int, [(String, String)], String, String?)])
    func `several forms of answer confirm an observation`(
        status: Int, headers: [(String, String)], body: String, id: String?
    ) async throws {
        try await withServer(answers: { _ in .reply(status: status, headers: headers, body: body) }) { destination, _ in
            let receipts = try await destination.deliver([SharePayload(.easter())])
            #expect(receipts == [ShareReceipt(remoteID: id)])
        }
    }

    @Test(arguments: [
        (200, ""), (202, #"{"resourceType":"Observation","id":"18"}"#), (204, ""), (200, "OK"),
        (200, #"{"resourceType":"Bundle"}"#),
        (200, #"{"resourceType":"OperationOutcome","issue":[{"severity":"error","diagnostics":"no"}]}"#),
        (200, #"{"id":"18"}"#),
    ])
    func `other successful answers do not confirm an observation`(status: Int, body: String) async throws {
        try await withServer(answers: { _ in .reply(status: status, body: body) }) { destination, _ in
            #expect(await destination.failure(delivering: SharePayload(.easter()))?.kind == .unanswered)
        }
    }

    @Test func `an operation outcome is reported with its error texts`() async throws {
        let outcome = #"""
            {"resourceType":"OperationOutcome","issue":[{"severity":"warning","diagnostics":"old client"},
            {"severity":"error","details":{"text":"subject unknown"},"diagnostics":"NullPointerException"},{"severity":"fatal","code":"invalid"}]}
            """#
        try await withServer(answers: { _ in .json(outcome, status: 422) }) { destination, _ in
            let failure = await destination.failure(delivering: SharePayload(.easter()))
            #expect(failure?.kind == .rejected)
            #expect(failure?.reason == "127.0.0.1 answered 422: subject unknown; invalid")
        }
    }

    @Test(arguments: [(412, "delete all but one"), (405, "conditional updates")])
    func `advice is given for status 405 and status 412`(status: Int, advice: String) async throws {
        try await withServer(answers: { _ in .json("{}", status: status) }) { destination, _ in
            let failure = await destination.failure(delivering: SharePayload(.easter()))
            #expect(failure?.kind == .rejected)
            #expect(failure?.advice?.contains(advice) == true)
        }
    }

    @Test func `a failure of the calories reports that the steps arrived`() async throws {
        try await withServer(
            "calories = true",
            answers: { request in
                request.number == 1
                    ? .json(#"{"resourceType":"Observation","id":"1"}"#) : .json(#"{"error":"no energy"}"#, status: 422)
            }
        ) { destination, _ in
            let failure = await destination.failure(delivering: SharePayload(.easter()))
            #expect(failure?.kind == .rejected)
            #expect(
                failure?.reason == "127.0.0.1 answered 422: no energy (this is about the calories; the steps arrived)")
        }
    }

    // MARK: Checking

    private static let capable =
        #"{"resourceType":"CapabilityStatement","fhirVersion":"4.0.1","software":{"name":"HAPI\u001b[2J"}}"#

    @Test func `a check reports the software and version of the server`() async throws {
        try await withServer(answers: { $0.path == "/metadata" ? .json(Self.capable) : .json("{}", status: 404) }) {
            destination, server in
            let words = try await destination.check()
            #expect(words == #""HAPI\u{1b}[2J" with FHIR "4.0.1", days of Patient/123"#)
            #expect(
                server.requests.map(\.target) == [
                    "/metadata?_summary=true",
                    "/Observation?identifier=urn%3Auuid%3A7c8f9b84-2946-437f-8ddf-d2efbc4ab394%7Cnone&_summary=count",
                ])
        }
    }

    @Test func `a check fails if the server refuses the search`() async throws {
        try await withServer(answers: { $0.path == "/metadata" ? .json(Self.capable) : .json("{}", status: 403) }) {
            destination, _ in
            #expect(await destination.failureOfCheck()?.kind == .credentials)
        }
    }

    @Test(arguments: [
        (#"{"resourceType":"Bundle","fhirVersion":"4.0.1"}"#, ShareFailure.Kind.unanswered), ("{}", .unanswered),
        ("<html>", .unanswered),
        (#"{"resourceType":"CapabilityStatement","fhirVersion":"3.0.2"}"#, .misconfigured),
        (#"{"resourceType":"CapabilityStatement"}"#, .misconfigured),
    ])
    func `a server other than FHIR R4 is reported`(body: String, kind: ShareFailure.Kind) async throws {
        try await withServer(answers: { _ in .json(body) }) { destination, _ in
            #expect(await destination.failureOfCheck()?.kind == kind)
        }
    }

    @Test func `the displayed address omits the path, which may be secret`() throws {
        #expect(try destination("https://example.org/s3cret/fhir").location == "https://example.org")
    }

    @Test(arguments: [
        "Patient/123", "Patient/a.b-C", "https://example.org/fhir/Patient/1",
    ])
    func `a reference is accepted as a subject`(subject: String) throws {
        _ = try Fixture.destination("[share.a]\nkind='fhir'\nurl='https://example.org'\nsubject='\(subject)'")
    }

    @Test(arguments: [
        "Anna", "Patient/", "/1", "Patient/1/2", "Patient/a b", "Patient/a|b", "urn:x", "https://example.org",
        "https://a/Patient/1|2",
    ])
    func `a subject that is not a reference is rejected`(subject: String) {
        #expect(throws: (any Error).self) {
            try Fixture.destination("[share.a]\nkind='fhir'\nurl='https://example.org'\nsubject='\(subject)'")
        }
    }
}
