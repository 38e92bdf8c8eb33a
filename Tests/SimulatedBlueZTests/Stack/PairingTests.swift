import DBus
import SimulatedBlueZ
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PairingTests {
    private let none = DBusValue.properties([:])
    private let failed = "org.bluez.Error.AuthenticationFailed: Authentication Failed"

    private func band(_ pairing: PairingMethod) -> SimulatedGeneric {
        SimulatedGeneric(
            address: "C0:DE:00:00:00:05", name: "Secret", advertisedServices: ["fff0"],
            steps: CharacteristicID("fff0", "fff1"), source: .manual(7), security: .encrypted, pairing: pairing)
    }

    /// Pairs, and returns the error: empty on success.
    private func outcome(
        _ method: PairingMethod, _ answer: TestAgent.Answer, capability: String = "KeyboardDisplay"
    ) async throws -> String {
        let band = band(method)
        var outcome = ""
        try await withStack([band]) { stack, client in
            try await TestAgent(answer).register(with: client, capability: capability)
            try await client.discover(band)
            outcome = try await client.failure(BusClient.path(band), "Device1", "Pair")
            if outcome == "succeeded: []" {
                outcome = ""
                #expect(try await client.get("Paired", "Device1", BusClient.path(band)) == .boolean(true))
                #expect(await stack.snapshot.bonded == [band.address])
            } else {
                #expect(await stack.snapshot.bonded.isEmpty)
            }
        }
        return outcome
    }

    @Test func `the answer of the agent determines the result of pairing`() async throws {
        #expect(try await outcome(.justWorks, .accept) == "")
        #expect(try await outcome(.comparison(passkey: 123_456), .accept) == "")
        #expect(try await outcome(.comparison(passkey: 123_456), .reject) == failed)
        #expect(try await outcome(.entry(passkey: 42), .passkey(42)) == "")
        #expect(try await outcome(.entry(passkey: 42), .passkey(43)) == failed)
        #expect(try await outcome(.unsupported, .accept) == failed)
    }

    @Test func `an agent without input or output is not asked for numbers`() async throws {
        #expect(try await outcome(.comparison(passkey: 1), .accept, capability: "NoInputNoOutput") == "")
        #expect(try await outcome(.entry(passkey: 1), .passkey(1), capability: "NoInputNoOutput") == failed)
    }

    @Test func `the agent is asked to confirm the passkey`() async throws {
        let band = band(.comparison(passkey: 654_321))
        try await withStack([band]) { _, client in
            let agent = TestAgent(.accept)
            try await agent.register(with: client)
            try await client.discover(band)
            try await client.call(BusClient.path(band), "Device1", "Pair")
            #expect(await agent.firstQuestion() == "RequestConfirmation 654321")
        }
    }

    @Test func `pairing fails without an agent`() async throws {
        let band = band(.justWorks)
        try await withStack([band]) { _, client in
            try await client.discover(band)
            #expect(try await client.failure(BusClient.path(band), "Device1", "Pair") == failed)
        }
    }

    @Test func `a peripheral can reject pairing`() async throws {
        let band = band(.justWorks)
        try await withStack([band]) { stack, client in
            try await TestAgent(.accept).register(with: client)
            try await client.discover(band)
            await stack.inject(
                .pairingRefused(name: "org.bluez.Error.AuthenticationRejected", message: "Authentication Rejected"),
                for: band.address)
            #expect(
                try await client.failure(BusClient.path(band), "Device1", "Pair")
                    == "org.bluez.Error.AuthenticationRejected: Authentication Rejected")
        }
    }

    @Test func `a refused pairing ends the link`() async throws {
        let band = band(.justWorks)
        let path = BusClient.path(band)
        try await withStack([band]) { stack, client in
            try await TestAgent(.accept).register(with: client)
            try await client.connect(band)
            await stack.inject(.pairingRefused(), for: band.address)
            #expect(try await client.failure(path, "Device1", "Pair") == failed)
            _ = await client.log.first { $0.change(of: "Connected", at: path) == .boolean(false) }
        }
    }

    @Test func `a pairing is answered once the services are known`() async throws {
        let band = band(.justWorks)
        let path = BusClient.path(band)
        try await withStack([band]) { _, client in
            try await TestAgent(.accept).register(with: client)
            try await client.discover(band)
            try await client.call(BusClient.adapter, "Adapter1", "StopDiscovery")
            let start = await client.log.count
            try await client.call(path, "Device1", "Pair")
            #expect(try await client.get("ServicesResolved", "Device1", path) == .boolean(true))
            // The log is filled beside the calls.
            _ = await client.log.first(from: start) { $0.change(of: "Paired", at: path) != nil }
            let order = await client.log.signals.dropFirst(start).filter { $0.path == path }.map(\.summary)
            #expect(order.filter { $0 != "-RSSI" } == ["Connected", "Bonded", "Paired,ServicesResolved,UUIDs"])
        }
    }

    @Test func `pairing fails if the device is out of range`() async throws {
        let band = band(.justWorks)
        try await withStack([band]) { stack, client in
            try await TestAgent(.accept).register(with: client)
            try await client.discover(band)
            await stack.inject(.outOfRange, for: band.address)
            #expect(
                try await client.failure(BusClient.path(band), "Device1", "Pair").hasPrefix(
                    "org.bluez.Error.ConnectionAttemptFailed"))
        }
    }

    @Test func `a bond is created once and deleted with the device`() async throws {
        let band = band(.justWorks)
        let path = BusClient.path(band)
        try await withStack([band]) { stack, client in
            try await TestAgent(.accept).register(with: client)
            try await client.discover(band)
            try await client.call(path, "Device1", "Pair")
            // 5.66 pairs over LE once, and then tries Bluetooth Classic.
            #expect(
                try await client.failure(path, "Device1", "Pair")
                    == "org.bluez.Error.ConnectionAttemptFailed: Page Timeout")
            #expect(
                try await client.failure(path, "Device1", "CancelPairing")
                    == "org.bluez.Error.DoesNotExist: Does Not Exist")
            try await client.call(BusClient.adapter, "Adapter1", "RemoveDevice", [.objectPath(path)])
            #expect(await stack.snapshot.bonded.isEmpty)
        }
    }

    @Test func `pairing can be cancelled`() async throws {
        let band = band(.comparison(passkey: 1))
        let path = BusClient.path(band)
        try await withStack([band]) { _, client in
            let agent = TestAgent(.silence)
            try await agent.register(with: client)
            try await client.discover(band)
            async let outcome = client.failure(path, "Device1", "Pair")
            #expect(await agent.firstQuestion() == "RequestConfirmation 1")
            #expect(try await client.failure(path, "Device1", "Pair") == "org.bluez.Error.InProgress: In Progress")
            try await client.call(path, "Device1", "CancelPairing")
            #expect(try await outcome == "org.bluez.Error.AuthenticationCanceled: Authentication Canceled")
            #expect(await agent.firstQuestion() == "Cancel")
        }
    }

    // MARK: Encryption on demand

    @Test func `reading an encrypted value asks the agent`() async throws {
        let band = band(.justWorks)
        try await withStack([band]) { stack, client in
            let agent = TestAgent(.accept)
            try await agent.register(with: client)
            try await client.connect(band)
            let path = try #require(try await client.characteristic(band.steps, of: band))
            #expect(try await client.call(path, "GattCharacteristic1", "ReadValue", [none]) == [.bytes([7, 0, 0, 0])])
            #expect(await agent.firstQuestion() == "RequestAuthorization")
            #expect(await stack.snapshot.bonded == [band.address])
        }
    }

    @Test func `a read fails if the agent rejects pairing`() async throws {
        let band = band(.justWorks)
        try await withStack([band]) { _, client in
            try await TestAgent(.reject).register(with: client)
            try await client.connect(band)
            let path = try #require(try await client.characteristic(band.steps, of: band))
            let refusal = "org.bluez.Error.NotPermitted: Not paired"
            #expect(try await client.failure(path, "GattCharacteristic1", "ReadValue", [none]) == refusal)
            #expect(try await client.failure(path, "GattCharacteristic1", "StartNotify") == refusal)
        }
    }

    @Test func `without an agent the device is removed, and a read is never answered`() async throws {
        let band = band(.justWorks)
        let clock = ManualClock()
        var timing = Timing.immediate
        timing.clock = clock
        timing.attTimeout = .seconds(29)
        try await withStack([band], timing: timing) { _, client in
            try await client.connect(band)
            // Otherwise it would be found again.
            try await client.call(BusClient.adapter, "Adapter1", "StopDiscovery")
            let path = try #require(try await client.characteristic(band.steps, of: band))
            let read = Task { try await client.call(path, "GattCharacteristic1", "ReadValue", [none]) }
            await clock.sleeping(for: .seconds(29))
            clock.advance(by: .seconds(29))
            let device = BusClient.path(band)
            _ = await client.log.first {
                $0.removes(device) && $0.body[1].arrayValue?.contains(.string("org.bluez.Device1")) == true
            }
            #expect(try await client.objects()[device] == nil)
            read.cancel()
            await #expect(throws: DBusError.self) { try await read.value }
        }
    }

    @Test func `without an agent a read from a trusted device is never answered`() async throws {
        let band = band(.justWorks)
        let device = BusClient.path(band)
        let clock = ManualClock()
        var timing = Timing.immediate
        timing.clock = clock
        timing.attTimeout = .seconds(29)
        try await withStack([band], timing: timing) { stack, client in
            try await client.connect(band)
            try await client.set("Trusted", .boolean(true), "Device1", device)
            let path = try #require(try await client.characteristic(band.steps, of: band))
            let read = Task { try await client.call(path, "GattCharacteristic1", "ReadValue", [none]) }
            await clock.sleeping(for: .seconds(29))
            clock.advance(by: .seconds(29))
            // Neither the device nor the link is removed.
            #expect(try await client.objects()[device]?["org.bluez.Device1"]?["Connected"] == .boolean(true))
            #expect(await stack.snapshot.connected == [band.address])
            read.cancel()
            await #expect(throws: DBusError.self) { try await read.value }
        }
    }

    @Test func `an unencrypted peripheral can require pairing`() async throws {
        let watch = SimulatedGeneric.infiniTime()
        try await withStack([watch]) { stack, client in
            try await TestAgent(.reject).register(with: client)
            await stack.inject(.pairingDemanded, for: watch.address)
            try await client.connect(watch)
            let path = try #require(try await client.characteristic(watch.steps, of: watch))
            #expect(
                try await client.failure(path, "GattCharacteristic1", "ReadValue", [none])
                    == "org.bluez.Error.NotPermitted: Not paired")
        }
    }
}
