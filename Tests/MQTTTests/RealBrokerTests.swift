import MQTT
import MQTTTestSupport
import Support
import Testing

/// Against Debian's mosquitto. The test reads the retained messages over a second connection, with packets that it
/// builds itself.
@Suite(.timeLimit(.minutes(5)))
struct RealBrokerTests {
    @Test func `published messages are retained by the broker`() async throws {
        try await RealBroker.with { broker in
            let messages = [
                try MQTTMessage.text("istep/anna/steps", "12034"),
                try .text("homeassistant/sensor/istep_anna/config", #"{"name":"Steps"}"#),
            ]
            try await MQTT.publish(messages, to: broker.address())
            #expect(
                await Subscriber.retained(port: broker.port)
                    == ["istep/anna/steps": "12034", "homeassistant/sensor/istep_anna/config": #"{"name":"Steps"}"#])
            // MQTT 5 with a clean start.
            #expect(broker.log.contains("p5, c1"))
        }
    }

    @Test func `a new message replaces the retained one, an empty one removes it`() async throws {
        try await RealBroker.with { broker in
            try await MQTT.publish([.text("a", "1"), .text("b", "1"), .text("a", "2")], to: broker.address())
            #expect(await Subscriber.retained(port: broker.port) == ["a": "2", "b": "1"])
            try await MQTT.publish([.text("a", "")], to: broker.address())
            #expect(await Subscriber.retained(port: broker.port) == ["b": "1"])
        }
    }

    @Test func `a message without the retain flag is not stored`() async throws {
        try await RealBroker.with { broker in
            try await MQTT.publish([MQTTMessage(topic: "a", payload: [49], isRetained: false)], to: broker.address())
            #expect(await Subscriber.retained(port: broker.port).isEmpty)
        }
    }

    @Test func `one call publishes the messages of ten years`() async throws {
        try await RealBroker.with { broker in
            let messages = try (0..<3650).map { try MQTTMessage.text("istep/\($0)", "\($0)") }
            try await MQTT.publish(messages, to: broker.address())
            let kept = await Subscriber.retained(port: broker.port)
            #expect(kept.count == 3650)
            #expect(kept["istep/3649"] == "3649")
        }
    }

    @Test func `a message of the maximum size arrives completely`() async throws {
        try await RealBroker.with { broker in
            let text = String(repeating: "0123456789abcdef", count: MQTTMessage.largestPayload / 16)
            try await MQTT.publish([.text("large", text)], to: broker.address())
            #expect(await Subscriber.retained(port: broker.port) == ["large": text])
        }
    }

    @Test func `the correct password is accepted`() async throws {
        try await RealBroker.with(users: ["anna": "opensesame"]) { broker in
            let address = try MQTTBroker(
                host: "127.0.0.1", port: broker.port, tls: false, username: "anna", password: Secret("opensesame"))
            try await MQTT.publish([.text("a", "1")], to: address)
            #expect(await Subscriber.retained(port: broker.port, user: ("anna", "opensesame")) == ["a": "1"])
            #expect(broker.log.contains("u'anna'"))
        }
    }

    @Test(arguments: [nil, "wrong-password-7"])
    func `a wrong or missing password is reported as refused credentials`(password: String?) async throws {
        try await RealBroker.with(users: ["anna": "opensesame"]) { broker in
            let address = try MQTTBroker(
                host: "127.0.0.1", port: broker.port, tls: false, username: password.map { _ in "anna" },
                password: password.map(Secret.init))
            let error = await failure([try .text("a", "1")], address)
            #expect(
                error
                    == .refused(
                        credentials: true,
                        reason: "127.0.0.1:\(broker.port): the broker refused the connection: Not authorized"))
            #expect(error?.description.contains("password-7") == false)
        }
    }

    /// With MQTT 3.1.1 a broker acknowledges messages that it discards.
    @Test func `a topic without write permission is reported as refused`() async throws {
        let lists = ["acl": "user anna\ntopic readwrite open/#\n"]
        try await RealBroker.with(users: ["anna": "opensesame"], options: ["acl_file DIRECTORY/acl"], files: lists) {
            broker in
            let address = try MQTTBroker(
                host: "127.0.0.1", port: broker.port, tls: false, username: "anna", password: Secret("opensesame"))
            let error = await failure([try .text("open/a", "1"), try .text("closed/a", "1")], address)
            let reason = "127.0.0.1:\(broker.port): the broker rejected a message for closed/a: Not authorized"
            #expect(error == .refusedInPart(credentials: true, reason: reason))
            #expect(await Subscriber.retained(port: broker.port, user: ("anna", "opensesame")) == ["open/a": "1"])
        }
    }

    @Test func `a broker without retained messages is reported as refused`() async throws {
        try await RealBroker.with(options: ["retain_available false"]) { broker in
            let expected = MQTTError.refused(
                credentials: false, reason: "127.0.0.1:\(broker.port): it does not support retained messages")
            #expect(try await failure([.text("a", "1")], broker.address()) == expected)
            await #expect(throws: expected) { try await MQTT.check(broker.address()) }
            try await MQTT.check(broker.address(), retained: false)
        }
    }

    @Test func `a message too large for the broker is reported with its topic`() async throws {
        try await RealBroker.with(options: ["max_packet_size 1000"]) { broker in
            let error = await failure([try .text("a", String(repeating: "x", count: 2000))], try broker.address())
            let reason = "127.0.0.1:\(broker.port): a message for a: it is larger than the broker accepts"
            #expect(error == .refused(credentials: false, reason: reason))
        }
    }

    @Test func `a check of the broker publishes nothing`() async throws {
        try await RealBroker.with { broker in
            try await MQTT.check(broker.address())
            #expect(await Subscriber.retained(port: broker.port).isEmpty)
        }
    }

    @Test func `concurrent calls publish to one broker`() async throws {
        try await RealBroker.with { broker in
            let address = try broker.address()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask { try await MQTT.publish([.text("t/\(number)", "\(number)")], to: address) }
                }
                try await group.waitForAll()
            }
            #expect(await Subscriber.retained(port: broker.port).count == 20)
        }
    }
}
