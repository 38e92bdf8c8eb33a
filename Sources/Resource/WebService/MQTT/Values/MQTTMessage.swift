/// A message for a topic. It is always published with QoS 1: the broker acknowledges it.
public struct MQTTMessage: Hashable, Sendable {
    /// The topic, such as `istep/anna/steps`.
    public let topic: String
    /// The content, of any kind; with `isRetained`, an empty one takes the retained message of the topic away.
    public let payload: [UInt8]
    /// Whether the broker keeps it for those who subscribe later, instead of the one it kept before.
    public let isRetained: Bool

    /// The largest payload, in bytes. Far below the 256 MiB of the format, and far above what a day's summary takes.
    public static let largestPayload = 256 * 1024

    /// Why something is no message.
    public enum Problem: Error, Hashable, Sendable {
        /// The topic is empty, or longer than 65,535 bytes.
        case topicLength(Int)
        /// The topic has a wildcard (`+`, `#`) or a control character in it.
        case topicCharacter(String)
        /// The topic begins with `$`: those are the broker's own.
        case reservedTopic(String)
        /// The payload is larger than `largestPayload`.
        case payloadSize(Int)
    }

    /// - Throws: `Problem`. What a topic may be: MQTT 5.0, sections 4.7.1.1, 4.7.2, 4.7.3 and 1.5.4.
    public init(topic: String, payload: [UInt8], isRetained: Bool = true) throws(Problem) {
        guard (1...65_535).contains(topic.utf8.count) else { throw .topicLength(topic.utf8.count) }
        let bad = topic.unicodeScalars.contains { $0 == "+" || $0 == "#" || $0.properties.generalCategory == .control }
        if bad { throw .topicCharacter(topic) }
        if topic.hasPrefix("$") { throw .reservedTopic(topic) }
        guard payload.count <= Self.largestPayload else { throw .payloadSize(payload.count) }
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}
