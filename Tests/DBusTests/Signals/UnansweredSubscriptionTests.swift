import DBus
import Testing

/// The bus receives a subscription and does not answer.
@Suite(.timeLimit(.minutes(5))) struct UnansweredSubscriptionTests {
    /// It is not known whether the rule was added, so it is removed; the bus handles both calls in order.
    @Test func `a cancelled subscription removes its rule`() async throws {
        let (messages, see) = AsyncStream.makeStream(of: String.self)
        let bus = try FakeBus { peer in
            peer.greet()
            while let message = peer.readMessage() { see.yield(message.contents) }
        }
        let connection = try await DBusConnection.open(.address(bus.address))
        let task = Task { await failure { _ = try await connection.signals(MatchRule(interface: "test.Interface")) } }
        var seen = messages.makeAsyncIterator()
        #expect(await seen.next()?.contains("AddMatch") == true)
        task.cancel()
        #expect(
            await task.value
                == .cancelled(call: "org.freedesktop.DBus.AddMatch on /org/freedesktop/DBus", wasSent: true))
        let removal = await seen.next()
        #expect(removal?.contains("RemoveMatch") == true)
        #expect(removal?.contains("test.Interface") == true)
        await connection.close()
    }

    @Test func `a subscription fails as disconnected when the bus ends`() async throws {
        let bus = try FakeBus { peer in
            peer.greet()
            _ = peer.readMessage()
        }
        let connection = try await DBusConnection.open(.address(bus.address))
        let error = await failure { _ = try await connection.signals(MatchRule(sender: "org.bluez")) }
        #expect(error == .disconnected)
    }
}
