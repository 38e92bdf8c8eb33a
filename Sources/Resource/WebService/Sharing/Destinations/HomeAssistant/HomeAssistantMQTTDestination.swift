internal import MQTT
internal import Settings
internal import StepDomain

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
struct HomeAssistantMQTTDestination: BrokerDestination {
    let context: DestinationContext
    let login: BrokerLogin
    /// The name of the entity, with `{user}` in place of the user's name.
    let entity: String
    let topic: String
    let discovery: String

    var location: String { "mqtt://\(login.broker), \(entity)" }

    var traits: ShareTraits {
        var traits = ShareTraits.replacing
        traits.batch = 64
        traits.showsLatestOnly = true
        traits.isPersonal = !entity.contains("{user}")
        return traits
    }

    /// As in `HomeAssistantSensor.mqttObject`.
    func place(of user: User, slug: String) -> String? {
        entity.contains("{user}") ? TopicTemplate.level(of: user.name) : nil
    }

    func messages(_ payloads: [SharePayload]) throws(ShareFailure) -> [MQTTMessage] {
        var messages: [MQTTMessage] = []
        for days in payloads.sensors(entity: entity, localTime: context.environment.localTime) {
            let sensor = days.latest
            let object = sensor.mqttObject
            let own = "\(topic)/\(object)"
            messages.append(try .retained("\(discovery)/sensor/\(object)/config", json(Discovery(sensor, topic: own))))
            // For subscribers other than Home Assistant, in plain form.
            messages.append(
                try .retained("\(own)/attributes", json(HomeAssistantSensor.Attributes(sensor: sensor, isState: false)))
            )
            messages.append(try .retained("\(own)/state", sensor.state))
            // One message, so that Home Assistant never sees the steps of one day with the midnight of another.
            if let previous = days.previous {
                messages.append(try .retained("\(own)/day", json(DayState(sensor: previous))))
            }
            messages.append(try .retained("\(own)/day", json(DayState(sensor: sensor))))
        }
        return messages
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
        var unit_of_measurement = HomeAssistantSensor.unit
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
    /// The keys of a destination with `via = "mqtt"`.
    mutating func homeAssistantMQTT(_ context: DestinationContext, entity: String) -> HomeAssistantMQTTDestination? {
        let login = brokerLogin(context)
        let topic = topicLevels("topic") ?? "istep"
        let discovery = topicLevels("discovery") ?? "homeassistant"
        return login.map {
            HomeAssistantMQTTDestination(
                context: context, login: $0, entity: entity, topic: topic, discovery: discovery)
        }
    }
}
