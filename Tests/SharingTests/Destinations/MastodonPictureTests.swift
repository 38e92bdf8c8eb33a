import HTTP
import StepDomain
import Synchronization
import Testing
import WebTestSupport

@testable import Sharing

/// A post with a picture of its day.
@Suite(.timeLimit(.minutes(5))) struct MastodonPictureTests {
    private static let svg =
        ##"<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="#2e8562"/></svg>"##

    private func withServer(
        _ answers: @escaping @Sendable (ReceivedRequest) -> Answer,
        _ body: (any ShareDestination, LoopbackServer) async throws -> Void
    ) async throws {
        let server = try LoopbackServer.start(answers)
        defer { server.stop() }
        try await body(try destination(server.url), server)
    }

    private func destination(_ url: String, _ more: String = "picture = true", svg: String = Self.svg) throws
        -> any ShareDestination
    {
        try Fixture.destination(
            "[share.garden]\nkind = 'mastodon'\nurl = '\(url)'\ntoken_env = '\(TestSecret.variable)'\n\(more)",
            picture: { summary, _ in
                DayPicture(svg: svg, width: 40, height: 20, description: "\(summary.day): \(summary.steps ?? 0) steps")
            })
    }

    private static func form(_ request: ReceivedRequest) -> [String] {
        request.text.split(separator: "&").map(String.init)
    }

    @Test func `the picture is uploaded with its description, and the post names it`() async throws {
        let polls = Mutex(0)
        try await withServer({ request in
            switch (request.method, request.path) {
            case ("POST", "/api/v2/media"): return .json(#"{"id":"55","url":null}"#, status: 202)
            case ("GET", "/api/v1/media/55"):
                let count = polls.withLock {
                    $0 += 1; return $0
                }
                return count < 3
                    ? .json(#"{"id":"55","url":null}"#, status: 206) : .json(#"{"id":"55","url":"https://x/55.png"}"#)
            case ("POST", "/api/v1/statuses"): return .json(#"{"id":"7","content":""}"#)
            default: return .json("{}", status: 404)
            }
        }) { destination, server in
            #expect(try await destination.deliver([SharePayload(.easter())]) == [ShareReceipt(remoteID: "7")])
            let requests = server.requests
            #expect(
                requests.map(\.path) == ["/api/v2/media"] + Array(repeating: "/api/v1/media/55", count: 3) + [
                    "/api/v1/statuses"
                ])
            #expect(requests.allSatisfy { $0.header("Authorization") == "Bearer \(TestSecret.text)" })
            let upload = requests[0]
            let boundary = try #require(upload.header("Content-Type")?.split(separator: "boundary=").last)
            #expect(upload.text.hasPrefix("--\(boundary)\r\n") && upload.text.hasSuffix("\r\n--\(boundary)--\r\n"))
            #expect(upload.text.contains("name=\"description\"\r\n\r\n2014-04-20: 8123 steps\r\n"))
            // A PNG file of that size: signature, and width and height of its header (PNG, 11.2.2).
            let start = try #require(
                upload.body.indices.first {
                    upload.body[$0...].starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
                })
            #expect(upload.body[(start + 16)..<(start + 24)] == [0, 0, 0, 40, 0, 0, 0, 20])
            #expect(Self.form(requests[4]).contains("media_ids%5B%5D=55"))
        }
    }

    @Test func `an edit names a new picture`() async throws {
        try await withServer({ request in
            request.path == "/api/v2/media"
                ? .json(#"{"id":"56","url":"https://x/56.png"}"#) : .json(#"{"id":"7","content":""}"#)
        }) { destination, server in
            _ = try await destination.deliver([SharePayload(day: .easter(), key: "k", remoteID: "7", isConfirmed: true)]
            )
            #expect(server.requests.map(\.method) == ["POST", "PUT"])
            #expect(Self.form(server.requests[1]).contains("media_ids%5B%5D=56"))
        }
    }

    /// Whatever happens to the picture, no post was made: the day can be sent again without a search for it.
    @Test(arguments: [
        (Answer.json("{}", status: 500), ShareFailure.Kind.unreachable), (.closeWithoutAnswer, .unreachable),
        (.json("{}"), .unreachable),
        (.json(#"{"error":"Validation failed"}"#, status: 422), .rejected), (.json("{}", status: 429), .busy),
        (.json("{}", status: 403), .credentials), (.json("{}", status: 404), .misconfigured),
        (.json(#"{"id":"../x","url":"y"}"#), .unreachable),
    ])
    func `a failed upload posts nothing`(answer: Answer, kind: ShareFailure.Kind) async throws {
        try await withServer({ _ in answer }) { destination, server in
            let failure = await failure { _ = try await destination.deliver([SharePayload(.easter())]) }
            #expect(
                failure?.kind == kind && failure?.reason.contains("picture") == true, "\(String(describing: failure))")
            #expect(server.requests.allSatisfy { $0.path == "/api/v2/media" })
            if kind == .rejected || kind == .misconfigured {
                #expect(failure?.advice?.contains("picture = false") == true)
            }
            if kind == .credentials { #expect(failure?.advice?.contains("write:media") == true) }
        }
    }

    @Test func `a picture that is never processed is given up after a while, without a post`() async throws {
        try await withServer({ _ in .json(#"{"id":"55","url":null}"#, status: 202) }) { destination, server in
            let failure = await failure { _ = try await destination.deliver([SharePayload(.easter())]) }
            #expect(failure?.kind == .busy)
            #expect(server.requests.count == 21 && !server.requests.contains { $0.path == "/api/v1/statuses" })
        }
    }

    @Test func `a post without an answer may have arrived, with a picture as without`() async throws {
        try await withServer({ request in
            request.path == "/api/v2/media" ? .json(#"{"id":"55","url":"https://x"}"#) : .closeWithoutAnswer
        }) { destination, _ in
            #expect(await failure { _ = try await destination.deliver([SharePayload(.easter())]) }?.kind == .unanswered)
        }
    }

    @Test func `a preview has the upload and the post`() throws {
        let preview = try destination("https://example.social").preview([SharePayload(.easter())])
        #expect(
            preview.contains("POST /api/v2/media") && preview.contains("POST /api/v1/statuses")
                && preview.contains("media_ids"))
        #expect(!preview.contains(TestSecret.text))
        let without = try destination("https://example.social", "").preview([SharePayload(.easter())])
        #expect(!without.contains("media"))
    }

    @Test func `a missing library and a wrong picture are reported, and nothing is sent`() async throws {
        let picture = DayPicture(svg: Self.svg, width: 40, height: 20, description: "")
        #expect(throws: ShareFailure.self) { try picture.png(library: "librsvg-none.so.9") }
        do { _ = try picture.png(library: "librsvg-none.so.9") } catch {
            #expect(error.kind == .misconfigured && error.advice?.contains("sudo apt-get install librsvg2-2") == true)
        }
        #expect(DayPicture.problem(library: "librsvg-none.so.9")?.contains("librsvg-none.so.9") == true)
        #expect(DayPicture.problem() == nil)
        // A library without the functions.
        #expect(DayPicture.problem(library: "libc.so.6") != nil)
        let wrong = try destination("http://127.0.0.1:9", svg: "<svg")
        #expect(await failure { _ = try await wrong.deliver([SharePayload(.easter())]) }?.kind == .rejected)
    }
}
