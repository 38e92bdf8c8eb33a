import DBus
import ModemManager
import ModemTestSupport
import PrivateBus
import Testing

/// Which messages are certainly not sent, and which may have been sent: this decides whether a message is sent twice,
/// or never.
@Suite(.timeLimit(.minutes(5)))
struct DoubtTests {
    private static let core = "org.freedesktop.ModemManager1.Error.Core."
    private static let equipment = "org.freedesktop.ModemManager1.Error.MobileEquipment."
    private static let message = "org.freedesktop.ModemManager1.Error.Message."
    private static let bus = "org.freedesktop.DBus.Error."

    private func sending(_ what: FakeModemManager.Sending, text: String = "steps") async throws -> (
        TextMessageError?, kept: Int
    ) {
        var result: (TextMessageError?, kept: Int) = (nil, 0)
        try await withMessages { messages, fake in
            await fake.onSend(what)
            let error = await failure { _ = try await messages.send(text, to: receiver) }
            result = (error, await fake.messages.count)
        }
        return result
    }

    @Test(arguments: [
        (core + "InvalidArgs", "Cannot generate PDUs"),
        (core + "Unsupported", "Sending SMS is not supported by this modem"),
        (bus + "UnknownMethod", "Object does not exist"), (equipment + "SimPin", "SIM PIN required"),
        (message + "NotAllowed", "Operation not allowed"), (message + "SmscAddressUnknown", "SMSC address unknown"),
        (message + "Unknown", "Unknown message error: 21"), (message + "Unknown", "Unknown message error: 50"),
    ])
    func `a refused message of one part is deleted as not sent`(name: String, words: String) async throws {
        let (error, kept) = try await sending(.fail(name, words))
        guard case .refused(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains(words))
        #expect(kept == 0)
    }

    @Test(arguments: [
        (core + "WrongState", "device not enabled"), (core + "Retry", "SMS storage currently locked"),
        (equipment + "NoNetwork", "No network"),
        (message + "NoNetwork", "No network"), (message + "SimBusy", "SIM busy"),
    ])
    func `a temporary refusal is reported as not sent`(name: String, words: String) async throws {
        let (error, kept) = try await sending(.fail(name, words))
        guard case .notNow(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains(words))
        #expect(kept == 0)
    }

    @Test(arguments: [
        // ModemManager's error if the modem confirmed and ModemManager did not understand the confirmation.
        (core + "Failed", "Couldn't read message reference: 0 fields parsed from response ''"),
        (core + "Aborted", "Aborted"), (core + "Cancelled", "Operation was cancelled"), (core + "Retry2", ""),
        ("org.freedesktop.ModemManager1.Error.Serial.ResponseTimeout", "Serial command timed out"),
        (message + "NetworkTimeout", "Network timeout"), (message + "Unknown", "Unknown error"),
        (message + "MeFailure", "ME failure"),
        (message + "Unknown", "Unknown message error: 41"), (message + "Unknown", "Unknown message error: 500"),
        (message + "MemoryFull", "Memory full"), (equipment + "NetworkTimeout", "Network timeout"),
        (equipment + "Unknown", "Unknown error"),
        ("org.freedesktop.libqmi.Error.Protocol.WmsCauseCode", "QMI protocol error (54)"),
        (bus + "NoReply", "Message recipient disconnected from message bus without replying"), (bus + "TimedOut", ""),
        ("org.example.SomethingNew", "who knows"),
    ])
    func `a message with another error is stored as possibly sent`(name: String, words: String) async throws {
        let (error, kept) = try await sending(.succeedWithError(name, words))
        guard case .unanswered = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.mayHaveBeenSent == true)
        #expect(kept == 1)
    }

    /// The first of several parts may have been sent before the network refused the second.
    @Test func `a refusal of several parts may have sent the first`() async throws {
        let long = String(repeating: "a", count: 161)
        guard case .unanswered = try await sending(.fail(Self.message + "NoNetwork", "No network"), text: long).0 else {
            Issue.record("a refusal of one part was taken for one of all")
            return
        }
        // This error occurs before the first part is sent.
        guard case .notNow = try await sending(.fail(Self.core + "WrongState", "device not enabled"), text: long).0
        else {
            Issue.record("doubted")
            return
        }
    }

    @Test(arguments: [
        core + "Unauthorized", bus + "AccessDenied",
    ])
    func `a polkit refusal to send is reported as access denied`(name: String) async throws {
        let (error, kept) = try await sending(.fail(name, "PolicyKit authorization failed: not authorized for 'x'"))
        #expect(
            error == .accessDenied(#"sending a text message: "PolicyKit authorization failed: not authorized for 'x'""#)
        )
        #expect(error?.mayHaveBeenSent == false)
        #expect(kept == 0)
    }

    @Test func `a polkit refusal to create a message is reported as access denied`() async throws {
        try await withMessages { messages, fake in
            await fake.refuse("Create", Self.core + "Unauthorized", "not authorized")
            let error = await failure { _ = try await messages.send("steps", to: receiver) }
            #expect(error == .accessDenied(#"making a text message: "not authorized""#))
        }
    }

    @Test(arguments: [FakeModemManager.Sending.die, .succeedAndDie])
    func `an exit of ModemManager during sending is reported as unanswered`(what: FakeModemManager.Sending) async throws
    {
        let (error, _) = try await sending(what)
        #expect(error == .unanswered(reason: "ModemManager ended before its answer"))
    }

    /// Another ModemManager has other messages under the same paths: sending one of them would send the wrong message.
    @Test func `no message is sent through a restarted ModemManager`() async throws {
        try await withModemManager { bus, fake in
            let messages = try await TextMessageSender.open(.address(bus.address))
            await fake.stop()
            let other = try await FakeModemManager.start(bus.address)
            #expect(await failure { _ = try await messages.send("steps", to: receiver) } == .notRunning)
            #expect(await other.delivered.isEmpty)
            await messages.close()
            await other.stop()
        }
    }

    @Test func `a timeout during sending is reported as unanswered`() async throws {
        try await withMessages(limits: MessageLimits(send: .milliseconds(50))) { messages, fake in
            await fake.onSend(.hang)
            let error = await failure { _ = try await messages.send("steps", to: receiver) }
            #expect(error == .unanswered(reason: "no answer within 0.05 s"))
            #expect(await fake.messages.count == 1)
        }
    }

    @Test func `cancellation during sending is reported as possibly sent`() async throws {
        try await withMessages { messages, fake in
            await fake.onSend(.hang)
            let task = Task { await failure { _ = try await messages.send("steps", to: receiver) } }
            await fake.hanging()
            task.cancel()
            #expect(await task.value == .cancelled(wasSent: true))
            #expect(await fake.messages.count == 1)
        }
    }

    @Test func `a loss of the bus during sending is reported as unanswered`() async throws {
        try await withModemManager { bus, fake in
            await fake.onSend(.hang)
            let messages = try await TextMessageSender.open(.address(bus.address))
            let task = Task { await failure { _ = try await messages.send("steps", to: receiver) } }
            await fake.hanging()
            bus.stop()
            #expect(await task.value == .unanswered(reason: "the connection to the bus was lost before the answer"))
        }
    }

    @Test func `a loss of the bus before sending means not sent`() async throws {
        try await withModemManager { bus, _ in
            let messages = try await TextMessageSender.open(.address(bus.address))
            bus.stop()
            let error = await failure { _ = try await messages.send("steps", to: receiver) }
            #expect(error == .noBus("the connection was lost while asking for the modem"))
            #expect(error?.mayHaveBeenSent == false)
        }
    }

    @Test func `error texts of a modem are escaped and shortened`() async throws {
        let (error, _) = try await sending(
            .fail(Self.core + "Failed", "\u{1B}[2J\n" + String(repeating: "x", count: 10_000)))
        let text = error?.description ?? ""
        #expect(text.contains(#"\u{1b}[2J\u{a}xxx"#))
        #expect(text.count < 400)
    }
}
