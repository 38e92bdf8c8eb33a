import DBus
import ModemManager
import ModemTestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SendingTests {
    @Test func `a text is sent once to the normalized number`() async throws {
        try await withMessages { messages, fake in
            let identity = try await messages.send("Anna: 12034 steps\n100 %", to: "+49 170 123-4567")
            #expect(identity == "/org/freedesktop/ModemManager1/SMS/0")
            #expect(await fake.delivered == [FakeMessage(text: "Anna: 12034 steps\n100 %", number: receiver)])
            // Nothing else was done to the modem.
            #expect(
                await fake.calls == [
                    "org.freedesktop.ModemManager1.Modem.Messaging.Create", "org.freedesktop.ModemManager1.Sms.Send",
                ])
        }
    }

    @Test func `a text of more than three parts is rejected`() async throws {
        try await withMessages { messages, fake in
            _ = try await messages.send(String(repeating: "a", count: 459), to: receiver)
            let error = await failure { _ = try await messages.send(String(repeating: "a", count: 460), to: receiver) }
            #expect(error == .textTooLong(parts: 4, limit: 3))
            #expect(await fake.delivered.count == 1)
        }
    }

    @Test func `a huge text is rejected without counting its parts`() async throws {
        try await withMessages { messages, fake in
            let error = await failure {
                _ = try await messages.send(String(repeating: "a", count: 10_000_000), to: receiver)
            }
            #expect(error == .textTooLong(parts: nil, limit: 3))
            #expect(await fake.calls.isEmpty)
        }
    }

    /// Ctrl-Z ends a message on the line to the modem: the text after it would be a command.
    @Test(arguments: ["", " \n\t ", "steps\u{1A}\rATD112;", "a\0b", "a\rb", "a\u{1B}b", "a\u{85}b"])
    func `an empty text or one with control characters is rejected`(text: String) async throws {
        try await withMessages { messages, fake in
            guard case .badText = await failure({ _ = try await messages.send(text, to: receiver) }) else {
                Issue.record("not refused")
                return
            }
            #expect(await fake.calls.isEmpty)
        }
    }

    @Test(arguments: [
        (FakeModem.State.locked, TextMessageError.locked(modem: "modem 0 (A B)", index: "0", lock: "sim-pin")),
        (.disabled, .disabled(modem: "modem 0 (A B)", index: "0")),
        (.disabling, .disabled(modem: "modem 0 (A B)", index: "0")),
        (.enabled, .notRegistered(modem: "modem 0 (A B)", index: "0")),
        (.searching, .notRegistered(modem: "modem 0 (A B)", index: "0")),
        (.enabling, .notReady(modem: "modem 0 (A B)", index: "0", state: "it is being switched on")),
        (.initializing, .notReady(modem: "modem 0 (A B)", index: "0", state: "it is starting")),
        (.failed, .notReady(modem: "modem 0 (A B)", index: "0", state: "it failed (no SIM, or a broken one?)")),
    ])
    func `a modem that is not ready is reported and not changed`(state: FakeModem.State, expected: TextMessageError)
        async throws
    {
        var modem = FakeModem()
        modem.state = state
        modem.lock = state == .locked ? 2 : 1
        (modem.manufacturer, modem.model) = ("A", "B")
        try await withMessages(modem) { messages, fake in
            let error = await failure { _ = try await messages.send("steps", to: receiver) }
            #expect(error == expected)
            #expect(error?.mayHaveBeenSent == false)
            #expect(await fake.calls.isEmpty)
        }
    }

    @Test(arguments: [FakeModem.State.registered, .disconnecting, .connecting, .connected])
    func `a modem that is online sends the message`(state: FakeModem.State) async throws {
        var modem = FakeModem()
        modem.state = state
        try await withMessages(modem) { messages, _ in
            _ = try await messages.send("steps", to: receiver)
        }
    }

    @Test func `only sent messages with the same text are deleted from the modem`() async throws {
        try await withMessages { messages, fake in
            for text in ["steps", "steps", "other"] { _ = try await messages.send(text, to: receiver) }
            await fake.onSend(.fail("org.freedesktop.DBus.Error.NoReply", ""))
            _ = await failure { _ = try await messages.send("steps", to: receiver) }
            try await messages.forget("steps", to: receiver)
            #expect(await fake.messages.map { $0.message.text } == ["other", "steps"])
            guard case .unclear = try await messages.find("steps", to: receiver) else {
                Issue.record("the message that may have been sent was not left")
                return
            }
        }
    }

    @Test func `a message cancelled before its start is not sent`() async throws {
        try await withMessages { messages, fake in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await failure { _ = try await messages.send("steps", to: receiver) }
            }
            #expect(await task.value == .cancelled(wasSent: false))
            #expect(await fake.delivered.isEmpty)
        }
    }
}
