import DBus
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ObjectTests {
    private struct Named: DBusObject {
        let name: String

        func receive(_ call: DBusMethodCall) async {
            await call.reply([.string(name), .string(call.message.path?.string ?? "")])
        }
    }

    @Test func `a call goes to the nearest exported object`() async throws {
        try await withBus { _, client, server in
            await server.export(Named(name: "tree"), at: "/tree", subtree: true)
            await server.export(Named(name: "leaf"), at: "/tree/leaf")
            for (path, name) in [
                ("/tree", "tree"), ("/tree/a/b", "tree"), ("/tree/leaf", "leaf"), ("/tree/leaf/a", "tree"),
            ] {
                let answer = try await client.callTest(server, try #require(ObjectPath(path)))
                #expect(answer == [.string(name), .string(path)])
            }
            for path in ["/", "/treetop", "/other"] {
                let error = await failure { _ = try await client.callTest(server, try #require(ObjectPath(path))) }
                #expect(
                    error == .remote(name: "org.freedesktop.DBus.Error.UnknownObject", message: "no object at \(path)"))
            }
            await server.export(Named(name: "root"), at: "/", subtree: true)
            let answer = try await client.callTest(server, "/other")
            #expect(answer.first == .string("root"))
        }
    }

    @Test func `exporting replaces an object and unexporting removes it`() async throws {
        try await withBus { _, client, server in
            await server.export(Named(name: "first"), at: "/a")
            await server.export(Named(name: "second"), at: "/a")
            let answer = try await client.callTest(server, "/a")
            #expect(answer.first == .string("second"))
            await server.unexport("/a")
            await server.unexport("/a")
            let error = await failure { _ = try await client.callTest(server, "/a") }
            #expect(error?.remoteName == "org.freedesktop.DBus.Error.UnknownObject")
        }
    }

    /// Holds each call until the gate opens, so that the others wait.
    private final class Slow: DBusObject {
        private let entered: AsyncStream<String>.Continuation
        private let gate: AsyncStream<Void>

        init(entered: AsyncStream<String>.Continuation, gate: AsyncStream<Void>) {
            self.entered = entered
            self.gate = gate
        }

        deinit {
            entered.finish()
        }

        func receive(_ call: DBusMethodCall) async {
            entered.yield(call.message.body.first?.stringValue ?? "")
            for await _ in gate { break }
            await call.reply(call.message.body)
        }
    }

    @Test func `calls to an object are handled one at a time`() async throws {
        let (entered, enter) = AsyncStream.makeStream(of: String.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        try await withBus { _, client, server in
            await server.export(Slow(entered: enter, gate: gate), at: "/slow")
            async let first = client.callTest(server, "/slow", [.string("first")])
            var entries = entered.makeAsyncIterator()
            #expect(await entries.next() == "first")
            async let second = client.callTest(server, "/slow", [.string("second")])
            // Another object is not blocked, and it answers after the second call was received.
            await server.export(Echo(), at: Echo.path)
            _ = try await client.callTest(server, Echo.path)
            open.yield()
            let answer = try await first
            #expect(answer == [.string("first")])
            #expect(await entries.next() == "second")
            open.yield()
            _ = try await second
        }
    }

    /// The call in progress may finish; waiting calls no longer reach the object, which is then released.
    @Test func `waiting calls do not reach an object that is unexported`() async throws {
        let (entered, enter) = AsyncStream.makeStream(of: String.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        try await withBus { _, client, server in
            await server.export(Slow(entered: enter, gate: gate), at: "/slow")
            async let first = client.callTest(server, "/slow", [.string("first")])
            var entries = entered.makeAsyncIterator()
            #expect(await entries.next() == "first")
            try await client.send(server.uniqueName, "/slow", "test.Interface", "Method", [.string("second")])
            // Answered after the second call was received.
            await server.export(Echo(), at: Echo.path)
            _ = try await client.callTest(server, Echo.path)
            await server.unexport("/slow")
            open.finish()
            let answer = try await first
            #expect(answer == [.string("first")])
            #expect(await entries.next() == nil)
        }
    }

    @Test func `only the first answer to a call is sent`() async throws {
        try await withBus { _, client, server in
            let inbox = Inbox()
            await server.export(inbox, at: "/a")
            async let answer = client.callTest(server, "/a")
            let call = try #require(await inbox.next())
            await call.reply([.byte(1)])
            await call.reply([.byte(2)])
            await call.fail("test.Error", "")
            #expect(try await answer == [.byte(1)])
            // A second answer to the first call would have been dropped; no other message arrived either.
            #expect(try await client.callBus("GetId").count == 1)
        }
    }

    @Test func `a call that is dropped without an answer gets an error`() async throws {
        struct Silent: DBusObject {
            func receive(_ call: DBusMethodCall) async {}
        }
        try await withBus { _, client, server in
            await server.export(Silent(), at: "/a")
            let error = await failure { _ = try await client.callTest(server, "/a") }
            #expect(
                error
                    == .remote(
                        name: "org.freedesktop.DBus.Error.Failed", message: "the call was dropped without an answer"))
        }
    }

    @Test func `signals sent before a reply arrive before it`() async throws {
        struct Signalling: DBusObject {
            let connection: DBusConnection

            func receive(_ call: DBusMethodCall) async {
                try? await connection.emit("/a", "test.Interface", "Before")
                await call.reply()
                try? await connection.emit("/a", "test.Interface", "After")
            }
        }
        try await withBus { _, client, server in
            let signals = try await client.signals(MatchRule(interface: "test.Interface"), keeping: .newest(10))
            await server.export(Signalling(connection: server), at: "/a")
            _ = try await client.callTest(server, "/a")
            await client.close()
            // The first signal arrived before the reply; the other one may or may not have arrived.
            #expect(await signals.first()?.member == "Before")
            await server.unexport("/a")
        }
    }

    @Test func `an answer that cannot be sent becomes an error reply`() async throws {
        try await withBus { _, client, server in
            let inbox = Inbox()
            await server.export(inbox, at: "/a")
            async let invalid = failure { _ = try await client.callTest(server, "/a") }
            await inbox.next()?.reply([.string("a\0")])
            #expect(
                await invalid
                    == .remote(
                        name: "org.freedesktop.DBus.Error.Failed",
                        message: "the reply cannot be sent over D-Bus: a text contains U+0000"))
            async let badName = failure { _ = try await client.callTest(server, "/a") }
            await inbox.next()?.fail("no name", "te\0xt")
            #expect(await badName == .remote(name: "org.freedesktop.DBus.Error.Failed", message: "no name: text"))
        }
    }

    @Test func `the peer interface answers Ping and GetMachineId`() async throws {
        try await withBus { _, client, server in
            let name = server.uniqueName
            #expect(try await client.call(name, "/any/where", "org.freedesktop.DBus.Peer", "Ping") == [])
            let identifier = try await client.call(name, "/", "org.freedesktop.DBus.Peer", "GetMachineId").first?
                .stringValue
            #expect(identifier?.count == 32)
            let error = await failure { _ = try await client.call(name, "/", "org.freedesktop.DBus.Peer", "Nothing") }
            #expect(error?.remoteName == "org.freedesktop.DBus.Error.UnknownMethod")
        }
    }

    @Test func `calls beyond the limit of waiting calls are refused`() async throws {
        let (entered, enter) = AsyncStream.makeStream(of: String.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        try await withBus { _, client, server in
            await server.export(Slow(entered: enter, gate: gate), at: "/slow")
            async let first = client.callTest(server, "/slow", [.string("first")])
            for await _ in entered { break }
            try await client.withoutSuspension { client in
                for _ in 0..<1024 { try client.send(server.uniqueName, "/slow", "test.Interface", "Method") }
            }
            let error = await failure { _ = try await client.callTest(server, "/slow") }
            #expect(error?.remoteName == "org.freedesktop.DBus.Error.LimitsExceeded")
            open.finish()
            _ = try await first
        }
    }
}
