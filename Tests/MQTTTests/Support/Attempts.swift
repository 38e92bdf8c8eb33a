import MQTT
import MQTTTestSupport

extension MQTTMessage {
    /// A retained message that is known to be good.
    static func text(_ topic: String, _ text: String) throws -> MQTTMessage {
        try MQTTMessage(topic: topic, payload: Array(text.utf8))
    }
}

/// The error with which publishing ends; nil if it succeeds.
func failure(
    _ messages: [MQTTMessage], _ broker: MQTTBroker, timeout: Duration = .seconds(100), whole: Duration = .seconds(250)
) async -> MQTTError? {
    do {
        try await MQTT.publish(messages, to: broker, timeout: timeout, whole: whole)
        return nil
    } catch {
        return error
    }
}

extension FakeBroker {
    /// Its address.
    func address() throws -> MQTTBroker { try MQTTBroker(host: "127.0.0.1", port: port, tls: false) }
}

extension RealBroker {
    /// Its address.
    func address() throws -> MQTTBroker { try MQTTBroker(host: "127.0.0.1", port: port, tls: false) }
}
