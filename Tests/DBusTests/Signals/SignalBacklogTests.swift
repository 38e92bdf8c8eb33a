import TestSupport
import Testing

@testable import DBus

/// The backlog of a signal stream that is not read.
@Suite(.timeLimit(.minutes(5))) struct SignalBacklogTests {
    private static let anything = MatchRule(interface: "test.Interface")

    /// Returns once all that the server has sent so far has arrived at the client.
    private func settle(_ client: DBusConnection, _ server: DBusConnection) async throws {
        await server.export(Echo(), at: Echo.path)
        _ = try await client.callTest(server, Echo.path)
    }

    @Test func `a flood keeps a bounded number, and the rest is counted`() async throws {
        try await withBus { _, client, server in
            let signals = try await client.signals(Self.anything)
            try await server.withoutSuspension { server in
                for number in 0..<10_000 { try server.emit("/a", "test.Interface", "Tick", [.int32(Int32(number))]) }
            }
            try await settle(client, server)
            #expect(signals.takeMissed() == 10_000 - 4_096)
            #expect(signals.takeMissed() == 0)
            var iterator = signals.makeAsyncIterator()
            for number in 0..<4_096 { #expect(await iterator.next()?.body.first?.intValue == number) }
            #expect(signals.backlog.memory == 0)
            try await server.emit("/a", "test.Interface", "Tick", [.int32(1)])
            #expect(await iterator.next()?.body.first?.intValue == 1)
        }
    }

    @Test func `the backlog keeps fewer signals if they are large`() async throws {
        try await withBus { _, client, server in
            let signals = try await client.signals(Self.anything)
            let megabyte = DBusValue.bytes([UInt8](repeating: 1, count: 1 << 20))
            for _ in 0..<40 {
                try await server.emit("/a", "test.Interface", "Tick", [megabyte])
                try await settle(client, server)
            }
            #expect(signals.backlog.memory <= DBusLimits.waitingSignals)
            #expect(signals.takeMissed() == 40 - 15)
        }
    }

    @Test func `if requested, only the newest signals are kept and the others are counted`() async throws {
        try await withBus { _, client, server in
            let signals = try await client.signals(Self.anything, keeping: .newest(2))
            for number in 0..<10 { try await server.emit("/a", "test.Interface", "Tick", [.int32(Int32(number))]) }
            try await settle(client, server)
            #expect(signals.takeMissed() == 8)
            var iterator = signals.makeAsyncIterator()
            #expect(await iterator.next()?.body.first?.intValue == 8)
            #expect(await iterator.next()?.body.first?.intValue == 9)
            #expect(signals.backlog.memory == 0)
        }
    }

    @Test func `a signal beyond the limits is missed only by those who subscribed to it`() async throws {
        try await withBus { _, client, server in
            let signals = try await client.signals(Self.anything)
            let others = try await client.signals(MatchRule(interface: "test.Other"))
            let million = DBusValue.array(element: "b", [DBusValue](repeating: .boolean(true), count: 1_000_000))
            try await server.emit("/a", "test.Interface", "Flood", [million])
            try await settle(client, server)
            #expect(signals.takeMissed() == 1)
            #expect(others.takeMissed() == 0)
        }
    }

    @Test func `the text of an error is cut`() async throws {
        try await withBus { _, client, server in
            let calls = Inbox()
            await server.export(calls, at: "/a")
            async let error = failure { _ = try await client.callTest(server, "/a") }
            await calls.next()?.fail("org.bluez.Error.Failed", String(repeating: "ä", count: 2_500_000))
            let text = try #require(await error).description
            #expect(text.utf8.count < 1_100)
            #expect(text.hasPrefix("org.bluez.Error.Failed: ää") && text.hasSuffix("ä…"))
        }
    }

    @Test func `messages that the bus does not accept are kept only up to a limit`() async throws {
        try await withBus { bus, client, _ in
            let megabyte = DBusValue.bytes([UInt8](repeating: 1, count: 1 << 20))
            // Nothing is written while this job runs on the connection's own queue.
            let error = await client.fill(with: megabyte)
            #expect(error == .invalidMessage("16 MiB wait to be sent, and the bus does not take them"))
        }
    }

    @Test(arguments: [
        ("abc", 3, "abc"), ("abcd", 3, "…"), ("abcdef", 5, "ab…"), ("ääää", 7, "ää…"), ("äääää", 8, "ää…"),
        ("👨‍👩‍👧x👨‍👩‍👧", 25, "👨‍👩‍👧x…"), ("", 0, ""),
    ])
    func `texts are cut between characters`(text: String, limit: Int, expected: String) {
        #expect(text.cut(toBytes: limit) == expected)
        #expect(text.cut(toBytes: limit).utf8.count <= max(limit, 3))
    }
}

extension DBusConnection {
    /// Sends until a send fails; nothing else happens on this connection meanwhile.
    fileprivate func fill(with value: DBusValue) -> DBusError? {
        for _ in 0..<10_000 {
            do throws(DBusError) {
                try send("org.freedesktop.DBus", "/", "test.Interface", "Method", [value])
            } catch {
                return error
            }
        }
        return nil
    }
}
