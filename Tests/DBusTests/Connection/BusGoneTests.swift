import DBus
import Glibc
import PrivateBus
import Testing

/// The bus goes away, the hard way.
@Suite(.timeLimit(.minutes(5))) struct BusGoneTests {
    @Test func everybodyIsTold() async throws {
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
            // Answering nobody does no harm.
            for call in kept { await call?.reply() }
        }
    }

    /// Nobody waits for anything, so only the socket tells.
    @Test func idleConnection() async throws {
        try await withBus { bus, client, _ in
            let signals = try await client.signals(MatchRule())
            kill(bus.processIdentifier, SIGKILL)
            for await _ in signals {}
            #expect(await client.isOpen == false)
        }
    }

    /// Writing into a socket that nobody reads any more does not end this process by SIGPIPE.
    @Test func sendingAfterTheEnd() async throws {
        try await withBus { bus, client, server in
            bus.stop()
            let error = await failure {
                // Until it shows, however long the daemon takes to end.
                while true {
                    try await client.emit("/a", "test.Interface", "Tick", [.bytes([UInt8](repeating: 0, count: 1000))])
                    await Task.yield()
                }
            }
            #expect(error == .disconnected)
            #expect(await failure { _ = try await server.callBus("GetId") } == .disconnected)
        }
    }

    /// A connection that nobody holds any more is closed, and the bus notices.
    @Test func lettingGoCloses() async throws {
        try await withBus { bus, client, _ in
            let changes = try await client.signals(
                MatchRule(sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged"))
            let name = try await DBusConnection.open(.address(bus.address)).uniqueName
            for await change in changes where change.body.first == .string(name) && change.body.last == .string("") { break }
        }
    }
}
