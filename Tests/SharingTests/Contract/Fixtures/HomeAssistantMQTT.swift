extension Fixture {
    /// Read back as Home Assistant would: by the topics that the discovery messages name.
    static let homeAssistantMQTT = Fixture(
        kind: "home-assistant", variant: "MQTT", keeps: [.user, .day, .metres, .kilocalories, .goal, .percentage],
        holdsManyDays: false,
        open: {
            try await BrokerVenue.start("via = 'mqtt'") { retained in
                try retained.filter { $0.key.hasPrefix("homeassistant/sensor/") && $0.key.hasSuffix("/config") }.map {
                    try day(discovery: BrokerVenue.object($0.value), retained)
                }
            }
        })

    private static func day(discovery: [String: Any], _ retained: [String: String]) throws -> HeldDay {
        // The templates in the discovery message extract these values.
        let state = try BrokerVenue.object(retained[discovery["state_topic"] as? String ?? ""] ?? "{}")
        guard state["last_reset"] is String, discovery["value_template"] as? String == "{{ value_json.steps }}"
        else {
            return HeldDay(steps: -2)
        }
        let attributes = try BrokerVenue.object(retained[discovery["json_attributes_topic"] as? String ?? ""] ?? "{}")
        return HeldDay(
            user: attributes["user"] as? String, day: attributes["date"] as? String,
            steps: state["steps"] as? Int ?? -1,
            metres: attributes["distance_m"] as? Int, kilocalories: attributes["energy_kcal"] as? Int,
            goal: attributes["goal"] as? Int, percentage: attributes["percentage"] as? Double)
    }
}
