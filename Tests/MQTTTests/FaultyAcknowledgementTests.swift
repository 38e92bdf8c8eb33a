import MQTT
import MQTTTestSupport
import Testing

/// Against a broker that accepts clients and misbehaves afterwards.
@Suite(.timeLimit(.minutes(5)))
struct FaultyAcknowledgementTests {
    @Test func `a connection closed before the acknowledgement is reported as unanswered`() async throws {
        let broker = try FakeBroker { wire, _ in
            wire.accept()
            _ = wire.readPacket()
        }
        let error = await failure([try .text("a", "1")], try broker.address())
        #expect(error == .unanswered(reason: "127.0.0.1:\(broker.port): the broker closed the connection"))
        // The broker supports MQTT 5, so there is no second connection and no second message.
        #expect(broker.connections == 1)
    }

    @Test func `silence after a message is reported as unanswered`() async throws {
        let broker = try FakeBroker { wire, _ in
            wire.accept()
            wire.readAll()
        }
        let error = await failure([try .text("a", "1")], try broker.address(), timeout: .seconds(15))
        #expect(error == .unanswered(reason: "127.0.0.1:\(broker.port): the broker was silent for 15 s"))
    }

    @Test func `a partly acknowledged delivery is reported as unanswered`() async throws {
        let broker = try FakeBroker { wire, _ in
            wire.accept()
            if let packet = wire.readPacket() { wire.acknowledge(packet) }
        }
        guard case .unanswered = await failure([try .text("a", "1"), try .text("b", "1")], try broker.address()) else {
            Issue.record("not reported as unanswered")
            return
        }
    }

    @Test func `acknowledgements with other identifiers are ignored`() async throws {
        let broker = try FakeBroker { wire, _ in
            wire.accept()
            _ = wire.readPacket()
            for identifier in 2..<9 { wire.write([0x40, 2, 0, UInt8(identifier)]) }
        }
        guard case .unanswered = await failure([try .text("a", "1")], try broker.address()) else {
            Issue.record("an acknowledgement of something else was taken for one of this")
            return
        }
    }

    @Test func `an exceeded quota of the broker is reported as not sent`() async throws {
        let broker = try FakeBroker { wire, _ in
            wire.accept()
            if let packet = wire.readPacket() { wire.acknowledge(packet, code: 0x97) }
            wire.readAll()
        }
        let error = await failure([try .text("a", "1")], try broker.address())
        #expect(
            error == .notSent(reason: "127.0.0.1:\(broker.port): the broker rejected a message for a: Quota exceeded"))
    }

    @Test func `a shutdown of the broker is reported as the reason`() async throws {
        let broker = try FakeBroker { wire, _ in
            wire.accept()
            _ = wire.readPacket()
            wire.write([0xE0, 1, 0x8B])
            wire.readAll()
        }
        let error = await failure([try .text("a", "1")], try broker.address())
        #expect(
            error
                == .unanswered(
                    reason: "127.0.0.1:\(broker.port): the broker ended the connection: Server shutting down"))
    }

    @Test func `messages are published with the retain flag and QoS 1`() async throws {
        let broker = try FakeBroker { wire, _ in
            wire.accept()
            guard let packet = wire.readPacket(), packet.isRetained, packet.qualityOfService == 1, packet.topic == "a"
            else { return }
            wire.acknowledge(packet)
            // DISCONNECT.
            guard wire.readPacket()?.type == 14 else { return }
        }
        try await MQTT.publish([.text("a", "1")], to: broker.address())
    }
}
