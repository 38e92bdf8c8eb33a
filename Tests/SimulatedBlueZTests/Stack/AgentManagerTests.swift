import DBus
import SimulatedBlueZ
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AgentManagerTests {
    private let manager: ObjectPath = "/org/bluez"
    private let agent = DBusValue.objectPath("/test/agent")
    private let doesNotExist = "org.bluez.Error.DoesNotExist: Does Not Exist"

    @Test func `each client can register one agent`() async throws {
        try await withStack([]) { stack, client in
            #expect(try await client.failure(manager, "AgentManager1", "RequestDefaultAgent", [agent]) == doesNotExist)
            #expect(try await client.failure(manager, "AgentManager1", "UnregisterAgent", [agent]) == doesNotExist)
            #expect(
                try await client.failure(manager, "AgentManager1", "RegisterAgent", [agent, .string("Foo")])
                    == "org.bluez.Error.InvalidArguments: Invalid arguments in method call")
            try await client.call(manager, "AgentManager1", "RegisterAgent", [agent, .string("")])
            #expect(try await client.get("Pairable", "Adapter1", BusClient.adapter) == .boolean(true))
            #expect(
                try await client.failure(manager, "AgentManager1", "RegisterAgent", [agent, .string("")])
                    == "org.bluez.Error.AlreadyExists: Already Exists")
            #expect(
                try await client.failure(manager, "AgentManager1", "RequestDefaultAgent", [.objectPath("/other")])
                    == doesNotExist)
            try await client.call(manager, "AgentManager1", "RequestDefaultAgent", [agent])
            try await client.call(manager, "AgentManager1", "UnregisterAgent", [agent])
            #expect(await !stack.snapshot.hasAgent)
        }
    }

    @Test func `an agent is removed when its client disconnects`() async throws {
        try await withStack([]) { stack, client in
            let other = try await BusClient(stack)
            try await other.call(manager, "AgentManager1", "RegisterAgent", [agent, .string("")])
            await other.close()
            _ = await client.log.first { $0.change(of: "Pairable", at: BusClient.adapter) == .boolean(false) }
        }
    }

    @Test func `the first agent is asked until another becomes the default`() async throws {
        let band = SimulatedGeneric(
            address: "C0:DE:00:00:00:06", name: "Secret", advertisedServices: [],
            steps: CharacteristicID("fff0", "fff1"),
            source: .manual(7), security: .encrypted)
        try await withStack([band]) { stack, client in
            let other = try await BusClient(stack)
            let (first, second) = (TestAgent(.reject), TestAgent(.reject))
            try await first.register(with: client)
            try await second.register(with: other)
            try await client.connect(band)
            let path = try #require(try await client.characteristic(band.steps, of: band))
            _ = try await client.failure(path, "GattCharacteristic1", "ReadValue", [.properties([:])])
            #expect(await first.firstQuestion() == "RequestAuthorization")
            try await other.call(manager, "AgentManager1", "RequestDefaultAgent", [agent])
            _ = try await client.failure(path, "GattCharacteristic1", "ReadValue", [.properties([:])])
            #expect(await second.firstQuestion() == "RequestAuthorization")
            await other.close()
        }
    }
}
