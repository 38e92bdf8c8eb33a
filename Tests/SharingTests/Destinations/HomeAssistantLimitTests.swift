import Foundation
import HTTP
import StepDomain
import Support
import Synchronization
import TestSupport
import Testing

@testable import Sharing

/// How long one delivery to the statistics of Home Assistant may take, by a clock that each message moves.
@Suite(.timeLimit(.minutes(5))) struct HomeAssistantLimitTests {
    private func failure(_ house: SlowHouse) async throws -> ShareFailure? {
        let statistics = HomeAssistantImport(
            transport: house, url: try WebAddress("https://example.org"), now: { Timestamp(1_398_024_000) },
            pause: { _ in },
            clock: house.clock)
        do throws(ShareFailure) {
            try await statistics.deliver([SharePayload(.easter())], token: Secret("x"))
            return nil
        } catch {
            return error
        }
    }

    @Test func `a delivery that gets unrelated messages only ends at the limit`() async throws {
        let house = SlowHouse(answers: false)
        let failure = try await failure(house)
        #expect(failure?.kind == .unreachable)
        #expect(failure?.reason == "example.org took more than 120 s")
        #expect(house.received == 12)
    }

    @Test func `statistics that are not stored until the limit stay unconfirmed`() async throws {
        let house = SlowHouse(answers: true)
        let failure = try await failure(house)
        #expect(failure?.kind == .unanswered)
        #expect(failure?.reason == "example.org took more than 120 s")
        #expect(house.received == 12)
    }
}

/// Home Assistant with a recorder that stores nothing. Each of its messages takes ten seconds.
private final class SlowHouse: WebSocketTransport, WebSocket {
    private struct Command: Decodable {
        var id: Int?
        var type: String
    }

    private struct State {
        var command: Command?
        var received = 0
    }

    let clock = ManualClock()
    private let answers: Bool
    private let state = Mutex(State())

    /// - Parameter answers: whether it answers commands; otherwise it sends events.
    init(answers: Bool) { self.answers = answers }

    /// The number of messages that were taken from it.
    var received: Int { state.withLock(\.received) }

    func open(_ url: WebAddress) async throws(WebSocketError) -> any WebSocket { self }

    func send(_ text: String) async throws(WebSocketError) {
        let command = try? JSONDecoder().decode(Command.self, from: Data(text.utf8))
        state.withLock { $0.command = command }
    }

    func receive() async throws(WebSocketError) -> String {
        clock.advance(by: .seconds(10))
        let command = state.withLock { state in
            state.received += 1
            return state.command
        }
        guard let command else { return #"{"type":"auth_required","ha_version":"2024.3.3"}"# }
        let result: String
        switch command.type {
        case "auth": return #"{"type":"auth_ok"}"#
        case _ where !answers: return #"{"id":0,"type":"event"}"#
        case "get_config": result = #"{"time_zone":"Europe/Berlin","version":"2024.3.3","components":["recorder"]}"#
        case "recorder/statistics_during_period": result = "{}"
        default: result = "null"
        }
        return #"{"id":\#(command.id ?? 0),"type":"result","success":true,"result":\#(result)}"#
    }

    func close() async {}
}
