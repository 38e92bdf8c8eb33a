import DBus
import Testing

@Suite(.timeLimit(.minutes(5))) struct NameTests {
    @Test func `a bus name is acquired and released`() async throws {
        try await withBus { _, client, server in
            try await server.requestName("org.bluez")
            try await server.requestName("org.bluez")
            #expect(try await client.owner(of: "org.bluez") == server.uniqueName)
            #expect(await failure { try await client.requestName("org.bluez") } == .nameTaken("org.bluez"))
            try await client.releaseName("org.bluez")
            #expect(try await client.owner(of: "org.bluez") == server.uniqueName)
            try await server.releaseName("org.bluez")
            #expect(try await client.owner(of: "org.bluez") == nil)
            try await client.requestName("org.bluez")
        }
    }

    @Test func `a reserved bus name is rejected`() async throws {
        try await withBus { _, client, _ in
            let error = await failure { try await client.requestName("org.freedesktop.DBus") }
            #expect(error?.remoteName == "org.freedesktop.DBus.Error.InvalidArgs")
        }
    }
}
