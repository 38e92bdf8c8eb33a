import Foundation
import StepDomain
import Synchronization
import WebStage

extension Fixture {
    static let homeAssistant = Fixture(
        kind: "home-assistant", keeps: [.user, .day, .metres, .kilocalories, .goal, .percentage], holdsManyDays: false,
        open: { try WebVenue(House()) { "url = '\($0)'\ntoken_env = '\(TestSecret.variable)'" } },
        web: WebManners(notFound: .misconfigured))
}

/// States of entities as Home Assistant keeps them.
final class House: WebService {
    private struct Attributes: Codable {
        var user: String
        var date: String
        var friendly_name: String
        var unit_of_measurement: String
        var state_class: String
        var distance_m: Int?
        var energy_kcal: Int?
        var goal: Int?
        var percentage: Double?
    }

    private struct State: Codable {
        var entity_id: String?
        var state: String
        var attributes: Attributes
    }

    private let states = Mutex<[String: State]>([:])

    func answer(to request: ReceivedRequest) -> Answer {
        guard request.header("Authorization") == "Bearer \(TestSecret.text)" else { return .reply(status: 401, body: "401: Unauthorized") }
        if request.method == "GET", request.target == "/api/" { return .json(#"{"message":"API running."}"#) }
        guard let match = request.target.wholeMatch(of: /\/api\/states\/(sensor\.[a-z0-9_]+)/) else { return .reply(status: 404) }
        let entity = String(match.1)
        if request.method == "GET" {
            guard let state = states.withLock({ $0[entity] }) else { return .json(#"{"message":"Entity not found."}"#, status: 404) }
            return .json(json(state))
        }
        guard var state = try? JSONDecoder().decode(State.self, from: Data(request.body)), state.attributes.state_class == "total_increasing",
            state.attributes.unit_of_measurement == "steps"
        else { return .json(#"{"message":"No state specified."}"#, status: 400) }
        state.entity_id = entity
        let isNew = states.withLock { $0.updateValue(state, forKey: entity) == nil }
        return .json(json(state), status: isNew ? 201 : 200)
    }

    private func json(_ state: State) -> String { (try? JSONEncoder().encode(state)).map { String(decoding: $0, as: UTF8.self) } ?? "" }

    var held: [HeldDay] {
        states.withLock(\.self).sorted { $0.key < $1.key }.map { _, state in
            let attributes = state.attributes
            return HeldDay(
                user: attributes.user, day: attributes.date, steps: Int(state.state) ?? -1, metres: attributes.distance_m,
                kilocalories: attributes.energy_kcal, goal: attributes.goal, percentage: attributes.percentage)
        }
    }

    var entities: [String] { states.withLock { $0.keys.sorted() } }
}
