internal import MQTT
internal import Quoting
internal import Settings
internal import StepDomain

/// A device in Home Assistant that it makes by itself of retained messages to its broker.
///
/// The broker keeps them, so that both can start anew and nothing is forgotten; and sent again they change nothing.
///
/// Source: https://www.home-assistant.io/integrations/mqtt#mqtt-discovery, and `sensor.mqtt` there: a configuration under
/// `<discovery>/sensor/<object>/config`, which names the topics of state and attributes.
struct HomeAssistantMQTTDestination: ConfiguredDestination {
    let context: DestinationContext
    /// Checked, but without the password.
    let broker: MQTTBroker
    let password: SecretSource?
    /// With `{user}` where the user's name goes.
    let entity: String
    let topic: String
    let discovery: String

    var place: String { "mqtt://\(broker), \(entity)" }

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

    func preview(_ parcels: [ShareParcel]) throws(ShareFailure) -> String {
        let login = broker.username.map { " as \($0)" + (password == nil ? "" : ", password \(Secret(""))") } ?? ""
        let texts = try messages(parcels).map { "\($0.topic) (retained)\n\(String(decoding: $0.payload, as: UTF8.self))" }
        return (["To \(broker)\(login)"] + texts).joined(separator: "\n\n")
    }

    func deliver(_ parcels: [ShareParcel]) async throws(ShareFailure) -> [ShareReceipt] {
        let messages = try messages(parcels)
        try await asking { (broker) throws(MQTTError) in try await MQTT.publish(messages, to: broker) }
        return parcels.map { _ in ShareReceipt() }
    }

    func check() async throws(ShareFailure) -> String {
        try await asking { (broker) throws(MQTTError) in try await MQTT.check(broker) }
        return "the broker \(broker) takes messages"
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
                case .refused(credentials: false, _): .rejected
                case .libraryMissing: .misconfigured
                }
            throw ShareFailure(kind, error.description, advice: error.advice)
        }
    }

    private func loggedIn() throws(ShareFailure) -> MQTTBroker {
        guard let password else { return broker }
        let secret = try password.secret(context.surroundings.environment)
        do {
            return try broker.with(password: secret)
        } catch {
            throw ShareFailure(.misconfigured, error.description)
        }
    }

    // MARK: Messages

    private func messages(_ parcels: [ShareParcel]) throws(ShareFailure) -> [MQTTMessage] {
        var messages: [MQTTMessage] = []
        for sensor in parcels.latest(entity: entity) {
            let own = "\(topic)/\(sensor.object)"
            messages.append(try message("\(discovery)/sensor/\(sensor.object)/config", json(Discovery(sensor, topic: own))))
            messages.append(try message("\(own)/attributes", json(sensor.attributes)))
            // Last: whoever reacts to the state finds the attributes that go with it.
            messages.append(try message("\(own)/state", sensor.state))
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

    private struct Discovery: Encodable {
        struct Device: Encodable {
            var identifiers: [String]
            var name: String
            var manufacturer = "istep"
        }

        var name = "Steps"
        var object_id: String
        var unique_id: String
        var state_topic: String
        var json_attributes_topic: String
        var unit_of_measurement = "steps"
        var state_class = "total_increasing"
        var icon = "mdi:walk"
        var device: Device

        init(_ sensor: HomeAssistantSensor, topic: String) {
            object_id = sensor.object
            unique_id = sensor.object
            state_topic = "\(topic)/state"
            json_attributes_topic = "\(topic)/attributes"
            device = Device(identifiers: [sensor.object], name: "istep \(sensor.day.user.name)")
        }
    }
}
