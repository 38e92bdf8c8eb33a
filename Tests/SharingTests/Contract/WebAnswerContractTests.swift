import Foundation
import StepDomain
import Testing
import TestSupport
import WebTestSupport

/// How a destination handles invalid answers, from another program on that port or from a hostile server.
@Suite(.timeLimit(.minutes(5))) struct WebAnswerContractTests {
    static let strange: [Answer] = [
        .reply(status: 204), .reply(status: 200), .json("null"), .json("{}"), .json("[]"), .json("{\"id\":"),
        .json("42"),
        .json("\"yes\""), .json("{\"id\":{\"id\":[[[]]]},\"steps\":1e999,\"state\":-1,\"errors\":0}"),
        .json(String(repeating: "[", count: 200_000)), .json(String(repeating: #"{"a":"#, count: 40_000)),
        .reply(body: "\u{0}\u{1b}[2J"),
        .reply(headers: [("Content-Type", "application/json;charset=utf-16")], body: "{}"),
    ]

    @Test(arguments: Fixture.web, strange.indices)
    func `a success without a valid body confirms only if the status alone is sufficient`(
        _ fixture: Fixture, _ index: Int
    ) async throws {
        let kind = try await outcome(fixture, Self.strange[index])
        let status = index == 0 ? 204 : 200
        #expect(kind == (fixture.web?.confirming.contains(status) == true ? nil : .unanswered))
    }

    @Test(arguments: Fixture.web) func `an HTML page does not confirm a delivery`(_ fixture: Fixture) async throws {
        let page = "<!DOCTYPE html><html><head><title>Welcome to the hotel</title></head><body>Sign in</body></html>"
        let kind = try await outcome(
            fixture, .reply(headers: [("Content-Type", "text/html; charset=utf-8")], body: page))
        #expect(kind == .unanswered)
    }

    @Test(arguments: Fixture.web) func `random bytes in an answer cause no crash`(_ fixture: Fixture) async throws {
        var generator = SeededGenerator(seed: 20_140_420)
        for _ in 0..<Endurance.rounds(15, year: 60) {
            let bytes = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let head =
                "HTTP/1.1 \([200, 201, 400, 500].randomElement(using: &generator) ?? 200) X\r\nContent-Length: \(bytes.count)\r\n\r\n"
            _ = try await outcome(fixture, .raw(Array(head.utf8) + bytes))
        }
    }

    @Test(arguments: Fixture.web) func `a secret repeated by the server is not shown`(_ fixture: Fixture) async throws {
        let secret = TestSecret.text
        let base64 = Data("anna:\(secret)".utf8).base64EncodedString()
        let inURL = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let inJSON = secret.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let bodies = [
            "{\"error\":\"bad token \(inJSON)\"}", "bad token \(secret)", "bad header Basic \(base64)",
            "<title>q=\(inURL)</title>",
        ]
        for body in bodies {
            for status in [200, 400, 401, 429, 500] {
                try await fixture.withVenue { venue in
                    let venue = try #require(venue as? WebVenue)
                    venue.answerAll(.reply(status: status, body: body))
                    let destination = try fixture.destination(venue)
                    var said: [String] = []
                    do throws(ShareFailure) {
                        _ = try await destination.deliver([SharePayload(.easter())])
                    } catch {
                        said += [error.reason, error.advice ?? "", "\(error)"]
                    }
                    do throws(ShareFailure) {
                        said.append(try await destination.check())
                    } catch {
                        said += [error.reason, error.advice ?? ""]
                    }
                    for text in said {
                        #expect(
                            !text.contains(secret) && !text.contains(base64) && !text.contains(inURL)
                                && !text.contains(inJSON))
                    }
                }
            }
        }
    }

    /// A secret that was cut is not found any longer.
    @Test(arguments: Fixture.web, Echo.phases)
    func `no part of a secret repeated by the server is shown, wherever a text is cut`(
        _ fixture: Fixture, _ phase: Int
    ) async throws {
        let echo = Echo(phase: phase)
        for index in 0..<6 {
            let said = try await said(fixture) { venue in venue.changeAnswers { echo.put(into: $0, at: index) } }
            #expect(!said.isEmpty && !said.contains(where: Echo.isContained), "\(said)")
        }
        for (index, document) in echo.documents.enumerated() {
            for status in [200, 400, 500] {
                let said = try await said(fixture) { $0.answerAll(.reply(status: status, body: document)) }
                #expect(!said.isEmpty && !said.contains(where: Echo.isContained), "\(index), \(status): \(said)")
            }
        }
    }

    /// What a destination says of a delivery and a check.
    private func said(_ fixture: Fixture, _ prepare: (WebVenue) -> Void) async throws -> [String] {
        var said: [String] = []
        try await fixture.withVenue { venue in
            let venue = try #require(venue as? WebVenue)
            prepare(venue)
            let destination = try fixture.destination(venue)
            do throws(ShareFailure) {
                _ = try await destination.deliver([SharePayload(.easter())])
            } catch {
                said += [error.reason, error.advice ?? "", "\(error)"]
            }
            do throws(ShareFailure) {
                said.append(try await destination.check())
            } catch {
                said += [error.reason, error.advice ?? ""]
            }
        }
        return said
    }

    static let questions: [(Int, ShareFailure.Kind)] = [
        (401, .credentials), (403, .credentials), (429, .busy), (500, .unanswered), (302, .unreachable),
    ]

    @Test(arguments: Fixture.web, questions) func `a check reports the kind of failure`(
        _ fixture: Fixture, _ question: (status: Int, kind: ShareFailure.Kind)
    ) async throws {
        try await fixture.withVenue { venue in
            let venue = try #require(venue as? WebVenue)
            venue.answerAll(.json(#"{"error":"the cat sleeps"}"#, status: question.status))
            let destination = try fixture.destination(venue)
            let failure = await #expect(throws: ShareFailure.self) { try await destination.check() }
            #expect(failure?.kind == question.kind)
        }
    }

    /// Nil if the delivery counts as confirmed.
    private func outcome(_ fixture: Fixture, _ answer: Answer) async throws -> ShareFailure.Kind? {
        var kind: ShareFailure.Kind?
        try await fixture.withVenue { venue in
            let venue = try #require(venue as? WebVenue)
            venue.answerDeliveries(answer)
            let destination = try fixture.destination(venue)
            do throws(ShareFailure) {
                _ = try await destination.deliver([SharePayload(.easter())])
            } catch {
                kind = error.kind
            }
        }
        return kind
    }
}
