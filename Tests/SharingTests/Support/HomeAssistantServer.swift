import Foundation
import HTTP
import StepDomain
import Support
import Testing

@testable import Sharing

/// Home Assistant, as installed by `.ci/packages --test`, used through its own interfaces.
struct HomeAssistantServer: Sendable {
    let process: ServerProcess
    let url: String
    /// Token of an administrator.
    let administrator: String
    /// Token of a user who is not an administrator.
    let guest: String

    private static let python = PythonServer.installed("home-assistant")

    /// - Parameters:
    ///   - directory: where it stores its data; nil for a new directory. With the same directory it starts as after a
    ///     restart.
    ///   - broker: a port of this machine.
    static func start(in directory: String? = nil, broker: Int? = nil) async throws -> HomeAssistantServer {
        let script = try #require(
            Bundle.module.path(forResource: "home_assistant_server", ofType: "py", inDirectory: "Servers"))
        let process = try await ServerProcess.start(python) { own in
            ["-B", script, directory ?? own.path, "Europe/Berlin"] + (broker.map { ["\($0)"] } ?? [])
        } until: {
            $0.hasPrefix("ready ")
        }
        let words = process.readiness.split(separator: " ").map(String.init)
        try #require(words.count == 4)
        return HomeAssistantServer(
            process: process, url: "http://127.0.0.1:\(words[1])", administrator: words[2], guest: words[3])
    }

    private var headers: [HTTPRequest.Header] { [.bearer(Secret(administrator))] }

    // MARK: Statistics

    func ask<Result: Decodable>(_ question: some Encodable, for form: Result.Type) async throws -> Result {
        var session = try await HomeAssistantSession.open(
            CurlTransport(userAgent: "istep/test"), WebAddress(url), token: Secret(administrator))
        let result = try await session.ask(question, for: form)
        await session.close()
        return result
    }

    private struct Question: Encodable {
        var type = "recorder/statistics_during_period"
        var start_time = "2000-01-01T00:00:00+00:00"
        var statistic_ids: [String]
        var period: String
        var types: [String]
    }

    private struct Period: Decodable {
        var start: Double
        var change: Double?
        var sum: Double?
    }

    /// What Home Assistant calculates for each day of its zone that has steps.
    func days(_ id: String) async throws -> [String: Int] {
        let periods =
            try await ask(
                Question(statistic_ids: [id], period: "day", types: ["change"]), for: [String: [Period]].self)[id] ?? []
        return Dictionary(
            uniqueKeysWithValues: periods.compactMap { period in
                guard let change = period.change, change != 0 else { return nil }
                // Midnight in Berlin is at 22:00 UTC in summer and at 23:00 UTC in winter.
                return ("\(Day(of: Timestamp(Int(period.start / 1000)), utcOffset: 7200))", Int(change))
            })
    }

    /// The sum of the last five minutes.
    func lastSum(_ id: String) async throws -> Double? {
        try await ask(Question(statistic_ids: [id], period: "5minute", types: ["sum"]), for: [String: [Period]].self)[
            id]?.last?.sum
    }

    /// Returns when the recorder will not calculate statistics by itself for 40 seconds; it does so every five minutes.
    func steady() async throws {
        while true {
            let response = try await PythonServer.ask("POST", url + "/test/steady", headers: headers)
            try #require(response.status == 200)
            if response.text.contains("true") { return }
        }
    }

    /// Makes the recorder calculate the statistics of its sensors.
    func compile() async throws {
        let response = try await PythonServer.ask("POST", url + "/test/compile", headers: headers)
        #expect(response.status == 200, "\(response.text)")
    }

    // MARK: Entities

    struct State {
        var state: String
        var attributes: [String: Any]
    }

    /// Nil if there is no such entity.
    func state(_ entity: String) async throws -> State? {
        let response = try await PythonServer.ask("GET", url + "/api/states/" + entity, headers: headers)
        guard response.status == 200,
            let object = try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]
        else {
            return nil
        }
        return State(state: object["state"] as? String ?? "", attributes: object["attributes"] as? [String: Any] ?? [:])
    }

    /// Waits until the condition is true; the time limit of the test applies.
    func wait(until isTrue: () async throws -> Bool) async throws {
        while try await !isTrue() { try await Task.sleep(for: .milliseconds(50)) }
    }
}
