import MQTT
import Testing

@Suite(.timeLimit(.minutes(5))) struct MQTTMessageTests {
    @Test(arguments: [
        "a", "istep/anna/steps", "homeassistant/sensor/istep_anna/config", "/", "ö/👟",
        String(repeating: "a", count: 65_535),
    ])
    func `a valid topic is accepted`(topic: String) throws {
        let message = try MQTTMessage(topic: topic, payload: [1])
        #expect(message.isRetained)
    }

    @Test(arguments: ["a/+/b", "#", "a#", "a\0", "a\nb", "\u{7F}", "\u{9F}"])
    func `wildcards and control characters in a topic are rejected`(topic: String) {
        #expect(throws: MQTTMessage.Problem.topicCharacter(topic)) { try MQTTMessage(topic: topic, payload: []) }
    }

    @Test func `the lengths of topic and payload are limited`() {
        #expect(throws: MQTTMessage.Problem.topicLength(0)) { try MQTTMessage(topic: "", payload: []) }
        #expect(throws: MQTTMessage.Problem.topicLength(65_536)) {
            try MQTTMessage(topic: String(repeating: "ö", count: 32_768), payload: [])
        }
        #expect(throws: MQTTMessage.Problem.payloadSize(262_145)) {
            try MQTTMessage(topic: "a", payload: [UInt8](repeating: 0, count: 262_145))
        }
    }

    @Test func `reserved topics of the broker are rejected`() {
        #expect(throws: MQTTMessage.Problem.reservedTopic("$SYS/x")) { try MQTTMessage(topic: "$SYS/x", payload: []) }
    }

    @Test func `problem descriptions contain no control characters`() {
        let problems: [MQTTMessage.Problem] = [
            .topicLength(0), .topicLength(70_000), .topicCharacter("\u{1B}"), .reservedTopic("$\u{1B}"),
            .payloadSize(1),
        ]
        for problem in problems { #expect(!problem.description.unicodeScalars.contains { $0.value < 32 }) }
    }
}
