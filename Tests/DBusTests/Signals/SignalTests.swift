import DBus
import PrivateBus
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct SignalTests {
    private static let anything = MatchRule(interface: "test.Interface")

    @Test func `signals arrive in order`() async throws {
        try await withBus { _, client, server in
            let signals = try await client.signals(Self.anything)
            try await server.withoutSuspension { server in
                for number in 0..<1000 { try server.emit("/a", "test.Interface", "Tick", [.int32(Int32(number))]) }
            }
            var numbers: [Int] = []
            for await signal in signals {
                #expect(signal.sender == server.uniqueName)
                numbers += signal.body.compactMap(\.intValue)
                if numbers.count == 1000 { break }
            }
            #expect(numbers == Array(0..<1000))
        }
    }

    @Test func `a signal that is intercepted is not queued`() async throws {
        try await withBus { _, client, server in
            let (seen, sink) = AsyncStream.makeStream(of: Int.self)
            let signals = try await client.signals(Self.anything) { signal in
                let number = signal.body.first?.intValue ?? 0
                sink.yield(number)
                return number % 2 == 0
            }
            for number in 0..<10 { try await server.emit("/a", "test.Interface", "Tick", [.int32(Int32(number))]) }
            try await server.emit("/a", "test.Other", "Tick", [.int32(100)])
            var queued: [Int] = []
            for await signal in signals {
                queued += signal.body.compactMap(\.intValue)
                if queued.last == 9 { break }
            }
            #expect(queued == [1, 3, 5, 7, 9])
            sink.finish()
            var all: [Int] = []
            for await number in seen { all.append(number) }
            #expect(all == Array(0..<10))
        }
    }

    @Test func `a stream contains only signals that match its rule`() async throws {
        try await withBus { _, client, server in
            let below = try await client.signals(MatchRule(pathNamespace: "/a", interface: "test.Interface"))
            let argument = try await client.signals(MatchRule(interface: "test.Interface", arg0: "yes"))
            try await server.emit("/ab", "test.Interface", "Tick", [.string("no")])
            try await server.emit("/a/b", "test.Other", "Tick", [.string("yes")])
            try await server.emit("/a/b", "test.Interface", "Tick", [.string("no")])
            try await server.emit("/c", "test.Interface", "Tick", [.string("yes")])
            #expect(await below.first()?.path == "/a/b")
            #expect(await argument.first()?.path == "/c")
        }
    }

    /// Each stream gets every signal, whatever the others do.
    @Test func `streams with equal rules all receive each signal`() async throws {
        try await withBus { _, client, server in
            async let concurrent = (client.signals(Self.anything), client.signals(Self.anything))
            let (one, other) = try await concurrent
            let third = try await client.signals(Self.anything)
            try await server.emit("/a", "test.Interface", "Tick")
            try await server.emit("/b", "test.Interface", "Tick")
            for stream in [one, other, third] {
                var paths: [ObjectPath?] = []
                for await signal in stream {
                    paths.append(signal.path)
                    if paths.count == 2 { break }
                }
                #expect(paths == ["/a", "/b"])
            }
        }
    }

    @Test func `a match rule is removed with its last stream`() async throws {
        try await withBus { _, client, server in
            try await server.requestName("org.bluez")
            do {
                let one = try await client.signals(MatchRule(sender: "org.bluez", member: "A"))
                let other = try await client.signals(MatchRule(sender: "org.bluez", member: "B"))
                let same = try await client.signals(MatchRule(sender: "org.bluez", member: "B"))
                // Two rules, and one to follow the owner of the name.
                #expect(try await server.matchRules(of: client).count == 3)
                withExtendedLifetime((one, other, same)) {}
            }
            // This call is sent after the removals that were queued when the streams were dropped.
            _ = try await client.callBus("GetId")
            #expect(try await server.matchRules(of: client) == [])
        }
    }

    @Test func `a stream ends when its task is cancelled`() async throws {
        try await withBus { _, client, server in
            let signals = try await client.signals(Self.anything)
            let task = Task { await signals.first() == nil }
            task.cancel()
            #expect(await task.value)
            _ = try await client.callBus("GetId")
            #expect(try await server.matchRules(of: client) == [])
        }
    }

    @Test func `a limited stream delivers only the newest signals`() async throws {
        try await withBus { _, client, server in
            let signals = try await client.signals(Self.anything, keeping: .newest(2))
            for number in 0..<10 { try await server.emit("/a", "test.Interface", "Tick", [.int32(Int32(number))]) }
            // Answered after the signals, so they have arrived.
            await server.export(Echo(), at: Echo.path)
            _ = try await client.callTest(server, Echo.path)
            var numbers: [Int] = []
            for await signal in signals {
                numbers += signal.body.compactMap(\.intValue)
                if numbers.count == 2 { break }
            }
            #expect(numbers == [8, 9])
        }
    }

    /// A stream for a name gets no signals of other senders: neither those that match another rule, nor those sent to
    /// us directly.
    @Test func `a stream for a name receives no signals of other senders`() async throws {
        try await withBus { bus, client, server in
            try await server.requestName("org.bluez")
            let everything = try await client.signals(Self.anything)
            let genuine = try await client.signals(MatchRule(sender: "org.bluez", interface: "test.Interface"))
            let intruder = try await DBusConnection.open(.address(bus.address))
            try await intruder.emit("/intruder", "test.Interface", "Tick")
            #expect(await everything.first()?.path == "/intruder")
            try await server.emit("/genuine", "test.Interface", "Tick")
            #expect(await genuine.first()?.path == "/genuine")
            await intruder.close()
        }
    }

    @Test func `a stream for a name follows it to the next owner`() async throws {
        try await withBus { bus, client, server in
            let signals = try await client.signals(MatchRule(sender: "org.bluez", interface: "test.Interface"))
            let everything = try await client.signals(Self.anything)
            try await server.emit("/nobody", "test.Interface", "Tick")
            try await server.requestName("org.bluez")
            try await server.emit("/first", "test.Interface", "Tick")
            try await server.releaseName("org.bluez")
            try await server.emit("/former", "test.Interface", "Tick")
            let second = try await DBusConnection.open(.address(bus.address))
            try await second.requestName("org.bluez")
            try await second.emit("/second", "test.Interface", "Tick")
            var paths: [String] = []
            for await signal in signals {
                paths.append(signal.path?.string ?? "")
                if paths.last == "/second" { break }
            }
            #expect(paths == ["/first", "/second"])
            var all: [String] = []
            for await signal in everything {
                all.append(signal.path?.string ?? "")
                if all.last == "/second" { break }
            }
            #expect(all == ["/nobody", "/first", "/former", "/second"])
            await second.close()
        }
    }

    @Test func `an invalid or refused rule leaves nothing on the bus`() async throws {
        try await withBus { _, client, server in
            let error = await failure { _ = try await client.signals(MatchRule(path: "/a", pathNamespace: "/a")) }
            #expect(error == .invalidMessage("a match rule with both a path and a path namespace"))
            // Longer than the bus allows.
            let long = await failure {
                _ = try await client.signals(MatchRule(sender: "org.bluez", arg0: String(repeating: "a", count: 2000)))
            }
            #expect(
                long?.remoteName == "org.freedesktop.DBus.Error.LimitsExceeded"
                    || long?.remoteName == "org.freedesktop.DBus.Error.MatchRuleInvalid")
            _ = try await client.callBus("GetId")
            #expect(try await server.matchRules(of: client) == [])
        }
    }

    @Test func `closing the connection ends its streams`() async throws {
        try await withBus { _, client, server in
            let signals = try await client.signals(Self.anything)
            try await server.emit("/a", "test.Interface", "Tick")
            #expect(await signals.first() != nil)
            await client.close()
            #expect(await signals.first() == nil)
        }
    }
}
