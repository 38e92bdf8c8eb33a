import Foundation
import MQTTTestSupport

extension Fixture {
    static let homeAssistantMQTT = Fixture(
        kind: "home-assistant", variant: "MQTT", keeps: [.user, .day, .metres, .kilocalories, .goal, .percentage],
        holdsManyDays: false, open: { BrokerVenue(try await RealBroker.start(users: ["istep": TestSecret.text])) })
}

/// Debian's mosquitto, read back as Home Assistant would: by the topics that the discovery messages name.
private struct BrokerVenue: Venue {
    let broker: RealBroker

    init(_ broker: RealBroker) { self.broker = broker }

    var keys: String {
        "via = 'mqtt'\nhost = '127.0.0.1'\nport = \(broker.port)\nusername = 'istep'\npassword_env = '\(TestSecret.variable)'"
    }

    private var retained: [String: String] {
        get async { await Subscriber.retained(port: broker.port, user: ("istep", TestSecret.text)) }
    }

    func held() async throws -> [HeldDay] {
        let retained = await retained
        return try retained.filter { $0.key.hasPrefix("homeassistant/sensor/") && $0.key.hasSuffix("/config") }.map {
            _, text in
            let discovery = try object(text)
            // The templates in the discovery message extract these values.
            let state = try object(retained[discovery["state_topic"] as? String ?? ""] ?? "{}")
            guard state["last_reset"] is String, discovery["value_template"] as? String == "{{ value_json.steps }}"
            else {
                return HeldDay(steps: -2)
            }
            let attributes = try object(retained[discovery["json_attributes_topic"] as? String ?? ""] ?? "{}")
            return HeldDay(
                user: attributes["user"] as? String, day: attributes["date"] as? String,
                steps: state["steps"] as? Int ?? -1,
                metres: attributes["distance_m"] as? Int, kilocalories: attributes["energy_kcal"] as? Int,
                goal: attributes["goal"] as? Int, percentage: attributes["percentage"] as? Double)
        }
    }

    private func object(_ text: String) throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
    }

    func sent() async -> [String] { await retained.map { "\($0.key) (retained)\n\($0.value)" }.sorted() }

    func announced(_ preview: String) -> [String] {
        // Skips the part that names broker and user; payloads contain no empty lines.
        preview.split(separator: "\n\n").dropFirst().map(String.init).sorted()
    }

    func close() async { await broker.stop() }
}
