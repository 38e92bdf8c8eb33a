import Foundation
import StepDomain
import Synchronization
import WebTestSupport

@testable import HTTP

extension Fixture {
    static let homeAssistant = Fixture(
        kind: "home-assistant", keeps: [.user, .day, .metres, .kilocalories, .goal, .percentage], holdsManyDays: false,
        open: { try WebVenue(FakeHomeAssistant()) { "url = '\($0)'\ntoken_env = '\(TestSecret.variable)'" } },
        web: WebBehaviour(notFound: .misconfigured))
}

/// States of entities and long-term statistics as Home Assistant stores them.
final class FakeHomeAssistant: WebService {
    private struct Attributes: Codable {
        var user: String
        var date: String
        var friendly_name: String
        var unit_of_measurement: String
        var state_class: String
        var last_reset: String
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

    struct Row: Hashable, Sendable {
        var state: Int
        var sum: Int
    }

    private struct Memory {
        var states: [String: State] = [:]
        /// By statistic and second.
        var statistics: [String: [Int: Row]] = [:]
        var commands: [String] = []
        /// Commands of these types get no answer, and the connection ends.
        var lost: Set<String> = []
        var importsBeforeLoss = 0
    }

    private let memory = Mutex(Memory())
    private let components: [String]
    private let isAdministrator: Bool
    private let timeZone: String
    private let version: String
    private let name: String

    init(
        components: [String] = ["api", "recorder"], isAdministrator: Bool = true, timeZone: String = "Europe/Berlin",
        version: String = "2024.3.3", name: String = "Anna"
    ) {
        (self.components, self.isAdministrator, self.timeZone, self.version) = (
            components, isAdministrator, timeZone, version
        )
        self.name = name
    }

    // MARK: REST

    func answer(to request: ReceivedRequest) -> Answer {
        if request.target == "/api/websocket", let key = request.header("Sec-WebSocket-Key") { return webSocket(key) }
        guard request.header("Authorization") == "Bearer \(TestSecret.text)" else {
            return .reply(status: 401, body: "401: Unauthorized")
        }
        if request.method == "GET", request.target == "/api/" { return .json(#"{"message":"API running."}"#) }
        guard let match = request.target.wholeMatch(of: /\/api\/states\/(sensor\.[a-z0-9_]+)/) else {
            return .reply(status: 404)
        }
        let entity = String(match.1)
        if request.method == "GET" {
            guard let state = memory.withLock({ $0.states[entity] }) else {
                return .json(#"{"message":"Entity not found."}"#, status: 404)
            }
            return .json(json(state))
        }
        guard isAdministrator else { return .reply(status: 401, body: "401: Unauthorized") }
        guard var state = try? JSONDecoder().decode(State.self, from: Data(request.body)),
            state.attributes.state_class == "total",
            state.attributes.unit_of_measurement == "steps"
        else { return .json(#"{"message":"No state specified."}"#, status: 400) }
        state.entity_id = entity
        let isNew = memory.withLock { $0.states.updateValue(state, forKey: entity) == nil }
        return .json(json(state), status: isNew ? 201 : 200)
    }

    private func json(_ state: State) -> String {
        (try? JSONEncoder().encode(state)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    var held: [HeldDay] {
        memory.withLock(\.states).sorted { $0.key < $1.key }.map { _, state in
            let attributes = state.attributes
            return HeldDay(
                user: attributes.user, day: attributes.date, steps: Int(state.state) ?? -1,
                metres: attributes.distance_m,
                kilocalories: attributes.energy_kcal, goal: attributes.goal, percentage: attributes.percentage)
        }
    }

    var entities: [String] { memory.withLock { $0.states.keys.sorted() } }

    /// Removes all states, as after a restart.
    func forgetSensors() { memory.withLock { $0.states = [:] } }

    // MARK: WebSocket

    /// The texts of the received commands, without the token.
    func commands(_ type: String) -> [String] {
        memory.withLock { $0.commands.filter { $0.contains("\"type\":\"\(type)\"") } }
    }

    func rows(_ id: String) -> [Int: Row] { memory.withLock { $0.statistics[id] ?? [:] } }

    /// Steps of the rows that begin in a time span, calculated from the sums only, as Home Assistant does for its
    /// charts.
    func steps(_ id: String, _ span: TimeSpan) -> Int {
        func sum(before moment: Timestamp) -> Int {
            rows(id).filter { $0.key < moment.seconds }.max { $0.key < $1.key }?.value.sum ?? 0
        }
        return sum(before: span.end) - sum(before: span.start)
    }

    /// From now on, the connection is lost after an import has been stored.
    func loseAnswers(_ lost: Bool) { memory.withLock { $0.lost = lost ? ["recorder/import_statistics"] : [] } }

    /// Rows as left by a program that was killed midway, or by another program that writes its own sums.
    func disturb(_ id: String, _ change: (inout [Int: Row]) -> Void) {
        memory.withLock { change(&$0.statistics[id, default: [:]]) }
    }

    private func webSocket(_ key: String) -> Answer {
        .conversation(
            WebSocketPeer(
                accept: WebSocketHandshake.answer(to: key),
                greeting: [#"{"type":"auth_required","ha_version":"\#(version)"}"#],
                reply: { [self] in reply($0) }))
    }

    private func reply(_ text: String) -> [String] {
        guard let message = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any],
            let type = message["type"] as? String
        else { return [#"{"type":"result","success":false}"#] }
        if type == "auth" {
            return [
                message["access_token"] as? String == TestSecret.text
                    ? #"{"type":"auth_ok"}"# : #"{"type":"auth_invalid","message":"Invalid"}"#
            ]
        }
        memory.withLock { $0.commands.append(text) }
        let id = message["id"] as? Int ?? -1
        func success(_ result: Any) -> [String] {
            let object: [String: Any] = ["id": id, "type": "result", "success": true, "result": result]
            return ((try? JSONSerialization.data(withJSONObject: object)).map { String(decoding: $0, as: UTF8.self) })
                .map { [$0] } ?? []
        }
        switch type {
        case "get_config": return success(["time_zone": timeZone, "version": version, "components": components])
        case "auth/current_user": return success(["name": name, "is_admin": isAdministrator])
        case "recorder/statistics_during_period": return success(read(message))
        case "recorder/import_statistics":
            guard isAdministrator else {
                return [
                    #"{"id":\#(id),"type":"result","success":false,"error":{"code":"unauthorized","message":"Unauthorized"}}"#
                ]
            }
            write(message)
            // A close frame in place of the answer.
            return memory.withLock { $0.lost.contains(type) }
                ? [#"{"id":0,"type":"nonsense"}"#, String(repeating: "x", count: 5 << 20)] : success(NSNull())
        default:
            return [
                #"{"id":\#(id),"type":"result","success":false,"error":{"code":"unknown_command","message":"Unknown command."}}"#
            ]
        }
    }

    private func read(_ message: [String: Any]) -> [String: Any] {
        guard let id = (message["statistic_ids"] as? [String])?.first, let start = seconds(message["start_time"]),
            let end = seconds(message["end_time"])
        else { return [:] }
        var rows = rows(id).filter { (start..<end).contains($0.key) }.sorted { $0.key < $1.key }.map {
            ($0.key, $0.value)
        }
        if message["period"] as? String == "month" {
            // The last row of each UTC month, at the start of the month.
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            var months: [Int: Row] = [:]
            for (hour, row) in rows {
                let month =
                    calendar.dateInterval(of: .month, for: Date(timeIntervalSince1970: Double(hour)))?.start
                    ?? .distantPast
                months[Int(month.timeIntervalSince1970)] = row
            }
            rows = months.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
        return rows.isEmpty
            ? [:]
            : [id: rows.map { ["start": $0 * 1000, "end": ($0 + 3600) * 1000, "state": $1.state, "sum": $1.sum] }]
    }

    private func write(_ message: [String: Any]) {
        guard let metadata = message["metadata"] as? [String: Any], let id = metadata["statistic_id"] as? String,
            metadata["source"] as? String == "istep",
            id.wholeMatch(of: /istep:[a-z0-9]+(_[a-z0-9]+)*/) != nil
        else { return }
        for row in message["stats"] as? [[String: Any]] ?? [] {
            guard let start = seconds(row["start"]), start % 3600 == 0, let state = row["state"] as? Int,
                let sum = row["sum"] as? Int
            else {
                return
            }
            memory.withLock { $0.statistics[id, default: [:]][start] = Row(state: state, sum: sum) }
        }
    }

    private func seconds(_ value: Any?) -> Int? {
        (value as? String).flatMap { try? Date($0, strategy: .iso8601) }.map { Int($0.timeIntervalSince1970) }
    }
}
