import DBus
import ModemTestSupport
import PrivateBus
import StepDomain
import Testing

@testable import Sharing

@Suite(.timeLimit(.minutes(5))) struct SMSTests {
    private func withModem(
        _ modems: [Int: FakeModem] = [0: FakeModem()], _ keys: String = "",
        _ body: (FakeModemManager, any ShareDestination) async throws -> Void
    ) async throws {
        let bus = try await PrivateBus.start()
        let manager = try await FakeModemManager.start(bus.address, modems: modems)
        let text = "[share.grandma]\nkind = \"sms\"\nnumber = \"+49 170 1234567\"\n\(keys)"
        try await body(manager, try Fixture.destination(text, systemBus: .address(bus.address)))
        await manager.stop()
        withExtendedLifetime(bus) {}
    }

    private static func parcelOfTheDayAfter() throws -> SharePayload { try payload("2014-04-21") }

    @Test func `a day is sent as a text message`() async throws {
        try await withModem { manager, grandma in
            let receipts = try await grandma.deliver([try payload()])
            #expect(await manager.delivered.map(\.text) == ["2014-04-20: 8,123 steps\n5.9 km\n102% of the goal"])
            #expect(await manager.delivered.map(\.number) == ["+491701234567"])
            #expect(receipts.first?.remoteID != nil)
        }
    }

    @Test func `a search finds a sent message and is unclear otherwise`() async throws {
        try await withModem { manager, grandma in
            let payload = try payload()
            #expect(
                try await grandma.find(payload) == .unclear,
                "what a modem does not know may have been sent before it was started")
            _ = try await grandma.deliver([payload])
            guard case .arrived = try await grandma.find(payload) else {
                Issue.record("a message that was sent was not found")
                return
            }
            let other = try Self.parcelOfTheDayAfter()
            #expect(try await grandma.find(other) == .unclear)
        }
    }

    /// ModemManager has a message of every day with as many steps.
    @Test func `a message without a date is not searched for`() async throws {
        try await withModem([0: FakeModem()], "text = \"{steps} steps\"") { _, grandma in
            // A table without a date worked before, so that it is not a fault of the configuration.
            #expect(!grandma.traits.canFind && grandma.problems().isEmpty)
            _ = try await grandma.deliver([try payload()])
            let other = try Self.parcelOfTheDayAfter()
            #expect(try await grandma.find(other) == .unclear)
        }
        try await withModem { _, grandma in
            #expect(grandma.traits.canFind && grandma.problems().isEmpty)
        }
    }

    @Test func `a day that is sent once more is not confirmed by its earlier message`() async throws {
        try await withModem { manager, grandma in
            let payload = try payload()
            _ = try await grandma.deliver([payload])
            await manager.onSend(.fail("org.freedesktop.DBus.Error.NoReply", ""))
            #expect(await grandma.failure(delivering: payload)?.kind == .unanswered)
            #expect(try await grandma.find(payload) == .unclear)
        }
    }

    @Test func `a disabled modem stays disabled and the day is not sent`() async throws {
        var modem = FakeModem()
        modem.state = .disabled
        try await withModem([0: modem]) { manager, grandma in
            let failure = try #require(await failure { _ = try await grandma.deliver([try payload()]) })
            #expect(failure.kind == .unreachable)
            #expect(failure.advice?.contains("mmcli -m 0 --enable") == true)
            #expect(await manager.delivered.isEmpty)
        }
    }

    @Test func `a missing modem or ModemManager is reported as unreachable`() async throws {
        try await withModem([:]) { _, grandma in
            let problem = await failure { _ = try await grandma.check() }
            #expect(problem?.kind == .unreachable)
        }
        let nowhere = try Fixture.destination("[share.grandma]\nkind = \"sms\"\nnumber = \"+491701234567\"\n")
        #expect(await failure { _ = try await nowhere.check() }?.kind == .unreachable)
    }

    @Test func `the text of the message is configurable`() async throws {
        try await withModem([0: FakeModem()], "text = \"Anna: {steps} {bars}\"") { _, grandma in
            let preview = try grandma.preview([try payload()])
            #expect(preview == "To: +491701234567\n\nAnna: 8,123 ▁▁▁▁▁▁▁▁█▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁")
        }
    }
}
