import Testing

@testable import MQTT

/// The sequence of publishing, without a broker.
@Suite(.timeLimit(.minutes(5))) struct DeliveryTests {
    private static let accepted = Delivery.Event.connected(BrokerCode(number: 0), retains: true)

    private func delivery(_ count: Int, usesMQTT311: Bool = false) throws -> Delivery {
        let messages = try (0..<count).map { try MQTTMessage(topic: "t\($0)", payload: []) }
        let publication = Publication(messages: messages, isRetained: true)
        return Delivery(publication, usesMQTT311: usesMQTT311) { "code \($0.number)" }
    }

    /// Connected, with all messages passed to the library under identifiers from 1.
    private func publishing(_ count: Int) throws -> Delivery {
        var delivery = try delivery(count)
        #expect(delivery.handle(Self.accepted) == .publish)
        for number in 0..<count {
            delivery.willSend()
            delivery.sent(try MQTTMessage(topic: "t\(number)", payload: []), as: number + 1)
        }
        return delivery
    }

    private func acknowledged(_ identifier: Int, _ code: Int = 0) -> Delivery.Event {
        .acknowledged(identifier, BrokerCode(number: code))
    }

    @Test func `delivery succeeds after all messages are acknowledged in any order`() throws {
        var delivery = try publishing(3)
        #expect(delivery.handle(acknowledged(3)) == .wait)
        #expect(delivery.handle(acknowledged(1)) == .wait)
        // 16: no matching subscribers.
        #expect(delivery.handle(acknowledged(2, 16)) == .succeed)
    }

    @Test func `an acknowledgement counts once and only for a sent message`() throws {
        var delivery = try publishing(2)
        let before = delivery.progress
        #expect(delivery.handle(acknowledged(7)) == .wait)
        #expect(delivery.progress == before)
        #expect(delivery.handle(acknowledged(1)) == .wait)
        #expect(delivery.handle(acknowledged(1)) == .wait)
        #expect(delivery.progress == before + 1)
        #expect(delivery.handle(acknowledged(2)) == .succeed)
    }

    @Test func `delivery without messages succeeds after connecting`() throws {
        var delivery = try delivery(0)
        #expect(delivery.handle(Self.accepted) == .succeed)
    }

    @Test func `an acknowledgement before the connection is ignored`() throws {
        var delivery = try delivery(1)
        #expect(delivery.handle(acknowledged(1)) == .wait)
        #expect(delivery.handle(Self.accepted) == .publish)
        #expect(delivery.handle(Self.accepted) == .wait)
    }

    @Test(arguments: [
        (4, MQTTError.refused(credentials: true, reason: "")), (5, .refused(credentials: true, reason: "")),
        (0x86, .refused(credentials: true, reason: "")), (0x87, .refused(credentials: true, reason: "")),
        (0x8A, .refused(credentials: true, reason: "")), (2, .refused(credentials: false, reason: "")),
        (0x85, .refused(credentials: false, reason: "")), (0x9D, .refused(credentials: false, reason: "")),
        (3, .notSent(reason: "")), (0x88, .notSent(reason: "")), (0x89, .notSent(reason: "")),
        (0x97, .notSent(reason: "")),
        (0x9F, .notSent(reason: "")), (200, .refused(credentials: false, reason: "")),
    ])
    func `a refused connection is classified by its code`(code: Int, kind: MQTTError) throws {
        var delivery = try delivery(1, usesMQTT311: true)
        let reason = "the broker refused the connection: code \(code)"
        #expect(delivery.handle(.connected(BrokerCode(number: code), retains: true)) == .fail(kind.with(reason)))
    }

    @Test(arguments: [1, 0x84])
    func `an unsupported version leads to one retry with the older version`(code: Int) throws {
        let refusal = Delivery.Event.connected(BrokerCode(number: code), retains: true)
        var first = try delivery(1)
        #expect(first.handle(refusal) == .useOlderVersion)
        var second = try delivery(1, usesMQTT311: true)
        #expect(
            second.handle(refusal)
                == .fail(.refused(credentials: false, reason: "the broker refused the connection: code \(code)")))
    }

    @Test func `an early loss leads to one retry with the older version`() throws {
        var first = try delivery(1)
        #expect(first.handle(.lost("gone", mayBeOld: true)) == .useOlderVersion)
        var second = try delivery(1, usesMQTT311: true)
        #expect(second.handle(.lost("gone", mayBeOld: true)) == .fail(.notSent(reason: "gone")))
        var third = try delivery(1)
        #expect(third.handle(.lost("TLS failed")) == .fail(.notSent(reason: "TLS failed")))
    }

    @Test func `a loss after publishing is reported as unanswered`() throws {
        var one = try publishing(1)
        #expect(one.handle(.lost("gone", mayBeOld: true)) == .fail(.unanswered(reason: "gone")))
        var two = try publishing(2)
        _ = two.handle(acknowledged(1))
        #expect(two.handle(.lost("gone")) == .fail(.unanswered(reason: "gone")))
    }

    /// The library may have written half of a message before it noticed the loss of the connection.
    @Test func `a loss while a message is sent is reported as unanswered`() throws {
        var delivery = try delivery(2)
        _ = delivery.handle(Self.accepted)
        delivery.willSend()
        #expect(delivery.handle(.lost("gone")) == .fail(.unanswered(reason: "gone")))
    }

    @Test func `a refused message is reported with its topic`() throws {
        var delivery = try publishing(2)
        let reason = "the broker rejected a message for t1: code 135"
        #expect(delivery.handle(acknowledged(2, 0x87)) == .fail(.refusedInPart(credentials: true, reason: reason)))
        var alone = try publishing(1)
        let whole = MQTTError.refused(
            credentials: true, reason: "the broker rejected a message for t0: code 135")
        #expect(alone.handle(acknowledged(1, 0x87)) == .fail(whole))
    }

    @Test func `a temporary refusal means not sent only for a single message`() throws {
        var one = try publishing(1)
        #expect(
            one.handle(acknowledged(1, 0x97))
                == .fail(.notSent(reason: "the broker rejected a message for t0: code 151")))
        var two = try publishing(2)
        #expect(
            two.handle(acknowledged(1, 0x97))
                == .fail(.unanswered(reason: "the broker rejected a message for t0: code 151")))
    }

    @Test func `the reason of the broker for a disconnect is reported`() throws {
        var early = try delivery(1)
        #expect(
            early.handle(.disconnected(BrokerCode(number: 0x8B)))
                == .fail(.notSent(reason: "the broker ended the connection: code 139")))
        var late = try publishing(1)
        #expect(
            late.handle(.disconnected(BrokerCode(number: 0x8E)))
                == .fail(.unanswered(reason: "the broker ended the connection: code 142")))
        var large = try publishing(1)
        #expect(
            large.handle(.disconnected(BrokerCode(number: 0x95)))
                == .fail(.refused(credentials: false, reason: "the broker ended the connection: code 149")))
    }

    @Test func `a broker without retain support receives no retained messages`() throws {
        let event = Delivery.Event.connected(BrokerCode(number: 0), retains: false)
        var retained = try delivery(1)
        #expect(
            retained.handle(event)
                == .fail(.refused(credentials: false, reason: "it does not support retained messages")))
        let message = try MQTTMessage(topic: "a", payload: [], isRetained: false)
        var passing = Delivery(Publication(messages: [message], isRetained: false), usesMQTT311: false) { _ in
            ""
        }
        #expect(passing.handle(event) == .publish)
    }

    @Test func `events after the end are ignored`() throws {
        var delivery = try publishing(1)
        #expect(delivery.handle(acknowledged(1)) == .succeed)
        #expect(delivery.handle(.lost("gone")) == .wait)
    }
}

extension MQTTError {
    /// The same error with another reason.
    fileprivate func with(_ reason: String) -> MQTTError {
        switch self {
        case .notSent: .notSent(reason: reason)
        case .unanswered: .unanswered(reason: reason)
        case .refused(let credentials, _): .refused(credentials: credentials, reason: reason)
        case .refusedInPart(let credentials, _): .refusedInPart(credentials: credentials, reason: reason)
        case .libraryMissing, .cancelled: self
        }
    }
}
