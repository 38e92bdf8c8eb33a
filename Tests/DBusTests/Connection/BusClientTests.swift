import DBus
import Testing

/// A client is closed after its use, whichever way that ends.
@Suite(.timeLimit(.minutes(5))) struct BusClientTests {
    @Test func `a client is closed once after a result`() async {
        let client = CountingClient()
        let closings = await client.closing { client in await client.closings }
        #expect(closings == 0, "not before the end")
        #expect(await client.closings == 1)
    }

    @Test func `a client is closed once after an error, which is passed on`() async {
        let client = CountingClient()
        let error = await failure {
            try await client.closing { (_: CountingClient) async throws(DBusError) -> Void in
                throw .nameTaken("test.Name")
            }
        }
        #expect(error == .nameTaken("test.Name"))
        #expect(await client.closings == 1)
    }

    @Test func `a connection is closed after a cancellation`() async throws {
        try await withBus { _, client, server in
            let inbox = Inbox()
            await server.export(inbox, at: "/a")
            let task = Task {
                await failure { _ = try await client.closing { client in try await client.callTest(server, "/a") } }
            }
            let kept = await inbox.next()
            #expect(await client.isOpen)
            task.cancel()
            #expect(await task.value == .cancelled(call: "test.Interface.Method on /a", wasSent: true))
            #expect(await !client.isOpen)
            await kept?.reply()
        }
    }
}

private actor CountingClient: BusClient {
    private(set) var closings = 0

    func close() { closings += 1 }
}
