import Foundation
import HTTP
import StepDomain
import TestSupport
import Testing

/// Debian's spyne accepts calls only if they match its schema.
@Suite(.realServers, .timeLimit(.minutes(5)))
struct RealSOAPTests {
    private struct Held: Decodable, Equatable {
        var user: String
        var date: String
        var steps: Int
        var distance: Int?
        var calories: Int?
        var goal: Int?
        var percentage: String?
        var completeness: String
    }

    /// Shared by all tests, because it takes seconds to start. It ends with this process.
    private static let server = Task { try await PythonServer.start("soap_server", by: PythonServer.debian) }

    /// The stored days of a user.
    private func held(_ url: String, _ user: String) async throws -> [Held] {
        let all = try JSONDecoder().decode(
            [Held].self, from: Data(try await PythonServer.ask("GET", url + "/held").body))
        return all.filter { $0.user == user }
    }

    private func destination(_ url: String, _ version: String, _ more: String = "") throws -> any ShareDestination {
        try Fixture.destination(
            """
            [share.garden]
            kind = "soap"
            url = "\(url)/\(version)"
            namespace = "urn:test:steps"
            version = "\(version)"
            \(more)
            """)
    }

    @Test(arguments: ["1.1", "1.2"]) func `a day is stored as it was sent`(version: String) async throws {
        let url = try await Self.server.value.url
        let destination = try destination(url, version)
        let user = User(id: 1, name: "Zoë \(version) \"<&>'\n\r ]]> 👣 \u{202e}שלום")
        let receipts = try await destination.deliver([SharePayload(.easter(of: user))])
        #expect(receipts == [ShareReceipt()])
        let little = SharedDay.easter(
            of: user, steps: 0, metres: nil, kilocalories: nil, goal: nil, completeness: .partial)
        _ = try await destination.deliver([SharePayload(little)])
        #expect(
            try await held(url, user.name) == [
                Held(
                    user: user.name, date: "2014-04-20", steps: 8123, distance: 5432, calories: 232, goal: 10_000,
                    percentage: "81.2",
                    completeness: "complete"),
                Held(user: user.name, date: "2014-04-20", steps: 0, completeness: "partial"),
            ])
    }

    @Test(arguments: ["1.1", "1.2"]) func `a client fault and a server fault are reported differently`(version: String)
        async throws
    {
        let url = try await Self.server.value.url
        let destination = try destination(url, version)
        let refused = await destination.failure(delivering: SharePayload(.easter(of: User(id: 1, name: "Nobody"))))
        #expect(refused?.kind == .rejected)
        #expect(refused?.reason.contains("NoSuchUser: there is nobody of that name") == true)
        let crashed = await destination.failure(delivering: SharePayload(.easter(of: User(id: 1, name: "Crash"))))
        #expect(crashed?.kind == .unanswered)
        for name in ["Nobody", "Crash"] { #expect(try await held(url, name) == []) }
    }

    @Test func `the schema rejects elements without a namespace`() async throws {
        let url = try await Self.server.value.url
        let destination = try destination(url, "1.1", "qualified = false")
        let failure = await destination.failure(delivering: SharePayload(.easter()))
        #expect(failure?.kind == .rejected)
        #expect(failure?.reason.contains("SchemaValidationError") == true)
    }

    @Test func `a check reads the service description`() async throws {
        let url = try await Self.server.value.url
        #expect(try await destination(url, "1.1").check() == "answers, and describes shareStepData")
        let wrong = try destination(url, "1.2", "operation = \"sendSteps\"")
        let failure = await wrong.failureOfCheck()
        #expect(failure?.kind == .misconfigured)
        #expect(failure?.reason == "127.0.0.1 has no operation sendSteps; it has \"shareStepData\"")
    }
}
