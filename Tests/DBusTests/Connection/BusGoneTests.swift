import DBus
import Glibc
import PrivateBus
import Testing

/// The bus ends without notice.
@Suite(.timeLimit(.minutes(5))) struct BusGoneTests {
    @Test func `the end of the bus ends all calls and streams`() async throws {
        try await withBus { bus, client, server in
            let inbox = Inbox()
            await server.export(inbox, at: "/a")
            let signals = try await client.signals(MatchRule(interface: "test.Interface"))
            async let one = failure { _ = try await client.callTest(server, "/a") }
            async let other = failure { _ = try await client.callTest(server, "/a") }
            let kept = [await inbox.next(), await inbox.next()]
            kill(bus.processIdentifier, SIGKILL)
            #expect(await one == .disconnected)
            #expect(await other == .disconnected)
            #expect(await signals.first() == nil)
            #expect(await client.isOpen == false)
            #expect(await failure { _ = try await client.callBus("GetId") } == .disconnected)
            // An answer without a receiver does no harm.
            for call in kept { await call?.reply() }
        }
    }

    /// No call is pending, so only the socket shows the end.
    @Test func `an idle connection detects the end of the bus`() async throws {
        try await withBus { bus, client, _ in
            let signals = try await client.signals(MatchRule())
            kill(bus.processIdentifier, SIGKILL)
            for await _ in signals {}
            #expect(await client.isOpen == false)
        }
    }

    /// Writing to a socket that is no longer read does not end this process with SIGPIPE.
    @Test func `sending after the end of the bus fails as disconnected`() async throws {
        try await withBus { bus, client, server in
            bus.stop()
            let error = await failure {
                // Repeats until the error shows, however long the daemon takes to end.
                while true {
                    try await client.emit("/a", "test.Interface", "Tick", [.bytes([UInt8](repeating: 0, count: 1000))])
                    await Task.yield()
                }
            }
            #expect(error == .disconnected)
            #expect(await failure { _ = try await server.callBus("GetId") } == .disconnected)
        }
    }

    /// A connection without references is closed, and the bus reports it.
    @Test func `a connection without references is closed`() async throws {
        try await withBus { bus, client, _ in
            let changes = try await client.signals(
                MatchRule(sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged")
            )
            let name = try await DBusConnection.open(.address(bus.address)).uniqueName
            for await change in changes where change.body.first == .string(name) && change.body.last == .string("") {
                break
            }
        }
    }
}
