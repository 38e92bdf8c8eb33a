import DBus
import Testing

/// A message of a few megabytes can hold a million values, which take a hundred times as much memory here.
@Suite(.timeLimit(.minutes(5))) struct LimitTests {
    private static let flood = DBusValue.array(element: "y", [DBusValue](repeating: .byte(1), count: 10))
    private static let million = DBusValue.array(element: "b", [DBusValue](repeating: .boolean(true), count: 1_000_000))

    @Test func `a call with too many values is answered with an error`() async throws {
        try await withBus { _, client, server in
            await server.export(Echo(), at: Echo.path)
            let error = await failure { _ = try await client.callTest(server, Echo.path, [Self.million]) }
            #expect(
                error
                    == .remote(
                        name: "org.freedesktop.DBus.Error.LimitsExceeded",
                        message: "the message holds more than 1000000 values"))
            let answer = try await client.callTest(server, Echo.path, [Self.flood])
            #expect(answer.first?.bytesValue == [UInt8](repeating: 1, count: 10))
        }
    }

    @Test func `a reply with too many values fails the call`() async throws {
        try await withBus { _, client, server in
            let inbox = Inbox()
            await server.export(inbox, at: "/a")
            async let error = failure { _ = try await client.callTest(server, "/a") }
            await inbox.next()?.reply([Self.million])
            #expect(
                await error
                    == .remote(
                        name: "org.freedesktop.DBus.Error.LimitsExceeded",
                        message: "the message holds more than 1000000 values"))
        }
    }

    @Test func `a signal with too many values is dropped`() async throws {
        try await withBus { _, client, server in
            let signals = try await client.signals(MatchRule(interface: "test.Interface"))
            try await server.emit("/a", "test.Interface", "Flood", [Self.million])
            try await server.emit("/a", "test.Interface", "Drop", [.boolean(true)])
            #expect(await signals.first()?.member == "Drop")
        }
    }
}
