internal import MQTT
internal import Settings
internal import StepDomain
internal import Support

/// A device that Home Assistant creates from retained messages at its broker: the destination with `via = "mqtt"`.
///
/// It has the sensor in common with `HomeAssistantDestination`, and nothing else: other keys, another protocol, other
/// traits.
///
/// The broker keeps the messages, so that nothing is lost when the broker or Home Assistant restarts. Sending them
/// again changes nothing. The sensor shows the latest day. Past days and late corrections of them cannot be added to
/// the statistics of Home Assistant by MQTT.
///
/// Source: https://www.home-assistant.io/integrations/mqtt#mqtt-discovery, and `sensor.mqtt` there: a configuration
/// under `<discovery>/sensor/<object>/config`, which names the topic of state, `last_reset` and attributes.
struct HomeAssistantMQTTDestination: ConfiguredDestination {
    let context: DestinationContext
    /// Checked, but without the password.
    let broker: MQTTBroker
    let password: SecretSource?
    /// The name of the entity, with `{user}` in place of the user's name.
    let entity: String
    let topic: String
    let discovery: String

    var location: String { "mqtt://\(broker), \(entity)" }

    var traits: ShareTraits {
        var traits = ShareTraits.replacing
        traits.batch = 64
        traits.showsLatestOnly = true
        traits.isPersonal = !entity.contains("{user}")
        return traits
    }

    func problems() -> [String] {
        do {
            _ = try loggedIn()
            return []
        } catch {
            return [error.reason]
        }
    }

    func preview(_ payloads: [SharePayload]) throws(ShareFailure) -> String {
        let login = broker.username.map { " as \($0)" + (password == nil ? "" : ", password \(Secret(""))") } ?? ""
        let texts = try messages(payloads).map {
            "\($0.topic) (retained)\n\(String(decoding: $0.payload, as: UTF8.self))"
        }
        return (["To \(broker)\(login)"] + texts).joined(separator: "\n\n")
    }

    func deliver(_ payloads: [SharePayload]) async throws(ShareFailure) -> [ShareReceipt] {
        let messages = try messages(payloads)
        try await asking { (broker) throws(MQTTError) in try await MQTT.publish(messages, to: broker) }
        return payloads.map { _ in ShareReceipt() }
    }

    func check() async throws(ShareFailure) -> String {
        try await asking { (broker) throws(MQTTError) in try await MQTT.check(broker) }
        return "the broker \(broker) accepts the login; publishing was not tested"
    }

    // MARK: The broker

    private func asking(_ body: (MQTTBroker) async throws(MQTTError) -> Void) async throws(ShareFailure) {
        let broker = try loggedIn()
        do throws(MQTTError) {
            try await body(broker)
        } catch {
            let kind: ShareFailure.Kind =
                switch error {
                case .notSent, .cancelled(wasSent: false): .unreachable
                case .unanswered, .cancelled(wasSent: true): .unanswered
                case .refused(credentials: true, _): .credentials
                // What it refuses is the same for every day: another version, no retained messages, a name.
                case .refused(credentials: false, _), .libraryMissing: .misconfigured
                }
            throw ShareFailure(kind, error.description, advice: error.advice)
        }
    }

    private func loggedIn() throws(ShareFailure) -> MQTTBroker {
        guard let password else { return broker }
        let secret = try password.secret(context.environment.variables)
        do {
            return try broker.with(password: secret)
        } catch {
            throw ShareFailure(.misconfigured, error.description)
        }
    }

    // MARK: Messages

    private func messages(_ payloads: [SharePayload]) throws(ShareFailure) -> [MQTTMessage] {
        var messages: [MQTTMessage] = []
        for days in payloads.sensors(entity: entity, localTime: context.environment.localTime) {
            let sensor = days.latest
            let object = sensor.mqttObject
            let own = "\(topic)/\(object)"
            messages.append(try message("\(discovery)/sensor/\(object)/config", json(Discovery(sensor, topic: own))))
            // For subscribers other than Home Assistant, in plain form.
            messages.append(
                try message("\(own)/attributes", json(HomeAssistantSensor.Attributes(sensor: sensor, isState: false))))
            messages.append(try message("\(own)/state", sensor.state))
            // One message, so that Home Assistant never sees the steps of one day with the midnight of another.
            if let previous = days.previous {
                messages.append(try message("\(own)/day", json(DayState(sensor: previous))))
            }
            messages.append(try message("\(own)/day", json(DayState(sensor: sensor))))
        }
        return messages
    }

    private func message(_ topic: String, _ payload: String) throws(ShareFailure) -> MQTTMessage {
        do {
            return try MQTTMessage(topic: topic, payload: Array(payload.utf8))
        } catch {
            throw ShareFailure(.misconfigured, error.description)
        }
    }

    private struct DayState: Encodable {
        let sensor: HomeAssistantSensor

        private enum Key: String, CodingKey { case steps, last_reset }

        func encode(to encoder: any Encoder) throws {
            try HomeAssistantSensor.Attributes(sensor: sensor, isState: false).encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(sensor.day.steps, forKey: .steps)
            try container.encode(sensor.lastReset, forKey: .last_reset)
        }
    }

    private struct Discovery: Encodable {
        struct Device: Encodable {
            var identifiers: [String]
            var name: String
            var manufacturer = "istep"
        }

        var name = "Steps"
        /// The name of the entity up to Home Assistant 2026.3; since 2025.10 it is `default_entity_id`. Each version
        /// ignores the key that it does not know.
        var object_id: String
        var default_entity_id: String
        var unique_id: String
        var state_topic: String
        var value_template = "{{ value_json.steps }}"
        var last_reset_value_template = "{{ value_json.last_reset }}"
        var json_attributes_topic: String
        var unit_of_measurement = "steps"
        var state_class = "total"
        var icon = "mdi:walk"
        var device: Device

        init(_ sensor: HomeAssistantSensor, topic: String) {
            object_id = sensor.object
            default_entity_id = sensor.entity
            unique_id = sensor.mqttObject
            state_topic = "\(topic)/day"
            json_attributes_topic = "\(topic)/day"
            device = Device(identifiers: [sensor.mqttObject], name: "istep \(sensor.day.user.name)")
        }
    }
}

extension TableReader {
    /// Levels of a topic, to which the entity's own levels are appended.
    private mutating func levels(_ key: String) -> String? {
        value(key, "levels of a topic, such as home/istep") { text in
            let isTopic =
                !text.hasPrefix("/") && !text.hasSuffix("/") && (try? MQTTMessage(topic: text, payload: [])) != nil
            return isTopic ? text : nil
        }
    }

    /// The keys of a destination with `via = "mqtt"`.
    mutating func homeAssistantMQTT(_ context: DestinationContext, entity: String) -> HomeAssistantMQTTDestination? {
        let host = requireText("host", "the name or address of the broker, such as homeassistant.local")
        let port = integer("port", in: 1...65_535, "a port")
        let isEncrypted = flag("tls") ?? false
        let isInsecure = flag("insecure") ?? false
        let username = text("username", "the user's name at the broker")
        let password = secret("password", isRequired: false)
        let topic = levels("topic") ?? "istep"
        let discovery = levels("discovery") ?? "homeassistant"
        guard let host else { return nil }
        do {
            let broker = try MQTTBroker(
                host: host, port: port, tls: isEncrypted, username: username, insecure: isInsecure)
            return HomeAssistantMQTTDestination(
                context: context, broker: broker, password: password, entity: entity, topic: topic,
                discovery: discovery)
        } catch {
            refuse("host", expected: "a broker (\(error.description))")
            return nil
        }
    }
}
