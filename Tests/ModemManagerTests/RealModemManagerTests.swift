import DBus
import ModemManager
import ModemTestSupport
import TestSupport
import Testing

/// Against Debian's ModemManager, with a simulated modem on its serial line.
///
/// The tests run one after another: each starts a bus and a ModemManager.
@Suite(.realServers, .serialized, .timeLimit(.minutes(5)))
struct RealModemManagerTests {
    private func withModem(
        limits: MessageLimits = MessageLimits(), _ body: (TextMessageSender, RealModemManager) async throws -> Void
    ) async throws {
        try await RealModemManager.with { manager in
            try await manager.switchOn()
            let messages = try await TextMessageSender.open(.address(manager.address), limits: limits)
            try await body(messages, manager)
            await messages.close()
        }
    }

    @Test func `a modem that is switched off is reported and stays off`() async throws {
        try await RealModemManager.with { manager in
            let messages = try await TextMessageSender.open(.address(manager.address), modem: "490154203237518")
            let off = TextMessageError.disabled(modem: "modem 0 (Fixture One)", index: "0")
            #expect(await failure { _ = try await messages.send("steps", to: receiver) } == off)
            #expect(await failure { _ = try await messages.find("steps", to: receiver) } == off)
            let modem = try await messages.modem()
            #expect(modem.state == .disabled)
            #expect(manager.modem.sent.isEmpty)
            await messages.close()
        }
    }

    @Test func `a missing modem is reported`() async throws {
        try await RealModemManager.with(hasModem: false) { manager in
            let error = await failure { _ = try await TextMessageSender.open(.address(manager.address)) }
            #expect(error == .noModem(wanted: nil))
        }
    }

    @Test(arguments: ["12034 steps", "12034 шагов"])
    func `a text reaches the modem unchanged and is found`(text: String) async throws {
        try await withModem { messages, manager in
            let identity = try await messages.send(text, to: "+49 170 1234567")
            #expect(manager.modem.sent.map { SubmittedMessage($0) } == [SubmittedMessage(number: receiver, text: text)])
            let found = try await messages.find(text, to: receiver)
            #expect(found == .sent(identity))
            try await messages.forget(text, to: receiver)
            let later = try await messages.find(text, to: receiver)
            #expect(later == .absent)
        }
    }

    @Test func `the modem receives as many parts as were counted`() async throws {
        try await withModem { messages, manager in
            let texts = [
                "ends @", "{[€]}", String(repeating: "a", count: 160), String(repeating: "a", count: 161),
                String(repeating: "€", count: 152),
                String(repeating: "€", count: 153), "👟 12034", String(repeating: "👟", count: 36),
                String(repeating: "я", count: 135),
            ]
            for text in texts {
                let before = manager.modem.sent.count
                _ = try await messages.send(text, to: "12345")
                #expect(manager.modem.sent.count - before == MessageSize(of: text).parts, "\(text.prefix(3))…")
            }
        }
    }

    @Test func `the modem error decides whether the message may have been sent`() async throws {
        try await withModem { messages, manager in
            let answers: [(SerialModem.Sending, mayHaveBeenSent: Bool)] = [
                (.fail(21), false), (.fail(302), false), (.fail(330), false), (.failAsEquipment(30), false),
                (.fail(38), true), (.fail(332), true), (.fail(500), true), (.failAsEquipment(100), true),
                (.confirmWithoutReference, true),
            ]
            for (number, (answer, mayHaveBeenSent)) in answers.enumerated() {
                manager.modem.onSend(answer)
                let error = await failure { _ = try await messages.send("text \(number)", to: receiver) }
                #expect(error?.mayHaveBeenSent == mayHaveBeenSent, "\(answer)")
                // In doubt the message is kept, in the same state as a message that was never sent.
                let found = try await messages.find("text \(number)", to: receiver)
                if mayHaveBeenSent, case .unclear = found { continue }
                #expect(!mayHaveBeenSent && found == .absent, "\(answer)")
            }
        }
    }

    @Test func `a refusal of the second part is reported as unanswered`() async throws {
        try await withModem { messages, manager in
            manager.modem.onSend(.confirm, .fail(302))
            let error = await failure { _ = try await messages.send(String(repeating: "a", count: 200), to: receiver) }
            #expect(error == .unanswered(reason: #""Operation not allowed" (Message.NotAllowed)"#))
        }
    }

    @Test func `a polkit refusal is reported as access denied`() async throws {
        try await withModem { messages, manager in
            manager.allow(false)
            guard case .accessDenied(let what) = await failure({ _ = try await messages.send("steps", to: receiver) })
            else {
                Issue.record("not reported as access denied")
                return
            }
            #expect(what.contains("org.freedesktop.ModemManager1.Messaging"))
            #expect(manager.modem.sent.isEmpty)
        }
    }

    @Test func `a silent modem is reported as unanswered`() async throws {
        try await withModem(limits: MessageLimits(send: .milliseconds(500))) { messages, manager in
            manager.modem.onSend(.silence)
            #expect(
                await failure { _ = try await messages.send("steps", to: receiver) }
                    == .unanswered(reason: "no answer within 0.5 s"))
            guard case .unclear = try await messages.find("steps", to: receiver) else {
                Issue.record("not unclear")
                return
            }
        }
    }

    @Test func `a killed ModemManager is reported as unanswered`() async throws {
        try await withModem { messages, manager in
            manager.modem.onSend(.silence)
            let task = Task { await failure { _ = try await messages.send("steps", to: receiver) } }
            await manager.modem.wasGivenOne()
            await manager.stop()
            #expect(await task.value == .unanswered(reason: "ModemManager ended before its answer"))
            #expect(await failure { _ = try await messages.find("steps", to: receiver) } == .notRunning)
        }
    }
}
