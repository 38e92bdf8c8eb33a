import DBus
import ModemManager
import ModemTestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FindingTests {
    private static let path = "/org/freedesktop/ModemManager1/SMS/"

    @Test func `a sent message is found`() async throws {
        try await withMessages { messages, _ in
            let identity = try await messages.send("steps", to: receiver)
            let found = try await messages.find("steps", to: "+49 170 1234567")
            #expect(found == .sent(identity))
        }
    }

    @Test func `a message that was never created is reported as absent`() async throws {
        try await withMessages { messages, fake in
            await fake.add(FakeMessage(text: "other steps", number: receiver, state: 5))
            await fake.add(FakeMessage(text: "steps", number: "+491709999999", state: 5))
            let found = try await messages.find("steps", to: receiver)
            #expect(found == .absent)
        }
    }

    /// The receiver may send the same text back.
    @Test func `a received message is not reported as sent`() async throws {
        try await withMessages { messages, fake in
            await fake.add(FakeMessage(text: "steps", number: receiver, state: 3))
            let found = try await messages.find("steps", to: receiver)
            #expect(found == .absent)
        }
    }

    /// ModemManager has the same state for a message that was not sent and for one that is being sent.
    @Test(arguments: [UInt32(0), 1, 4, 99])
    func `a message in any other state is reported as unclear`(state: UInt32) async throws {
        try await withMessages { messages, fake in
            await fake.add(FakeMessage(text: "steps", number: receiver, state: state))
            let found = try await messages.find("steps", to: receiver)
            #expect(found == .unclear(Self.path + "0"))
        }
    }

    @Test func `a sent message is preferred to others with the same text`() async throws {
        try await withMessages { messages, fake in
            await fake.add(FakeMessage(text: "steps", number: receiver, state: 5))
            await fake.add(FakeMessage(text: "steps", number: receiver, state: 0))
            let found = try await messages.find("steps", to: receiver)
            #expect(found == .sent(Self.path + "0"))
        }
    }

    @Test func `a message confirmed after the timeout is found as sent`() async throws {
        try await withMessages(limits: MessageLimits(send: .milliseconds(50))) { messages, fake in
            await fake.onSend(.hang)
            #expect(await failure { _ = try await messages.send("steps", to: receiver) }?.mayHaveBeenSent == true)
            let found = try await messages.find("steps", to: receiver)
            #expect(found == .unclear(Self.path + "0"))
            await fake.finishHanging()
            let later = try await messages.find("steps", to: receiver)
            #expect(later == .sent(Self.path + "0"))
        }
    }

    @Test func `a modem that is switched off is reported`() async throws {
        try await withMessages { messages, fake in
            var modem = FakeModem()
            modem.state = .disabled
            await fake.set([0: modem])
            let error = await failure { _ = try await messages.find("steps", to: receiver) }
            #expect(error == .disabled(modem: "modem 0 (SIMCOM INCORPORATED SIMCOM_SIM7600E-H)", index: "0"))
        }
    }

    @Test func `a search sends nothing`() async throws {
        try await withMessages { messages, fake in
            await fake.add(FakeMessage(text: "steps", number: receiver))
            _ = try await messages.find("steps", to: receiver)
            #expect(await fake.calls == ["org.freedesktop.ModemManager1.Modem.Messaging.List"])
        }
    }
}
