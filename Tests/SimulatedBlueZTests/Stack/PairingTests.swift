import DBus
import SimulatedBlueZ
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PairingTests {
    private let none = DBusValue.properties([:])
    private let failed = "org.bluez.Error.AuthenticationFailed: Authentication Failed"

    private func band(_ pairing: PairingMethod) -> SimulatedPedometer {
        SimulatedPedometer(
            address: "C0:DE:00:00:00:05", name: "Secret", advertisedServices: ["fff0"],
            steps: CharacteristicID("fff0", "fff1"), source: .manual(7), security: .encrypted, pairing: pairing)
    }

    /// Pairs, and says how it ended: empty when well.
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

    @Test func theAgentDecides() async throws {
        #expect(try await outcome(.justWorks, .accept) == "")
        #expect(try await outcome(.comparison(passkey: 123_456), .accept) == "")
        #expect(try await outcome(.comparison(passkey: 123_456), .reject) == failed)
        #expect(try await outcome(.entry(passkey: 42), .passkey(42)) == "")
        #expect(try await outcome(.entry(passkey: 42), .passkey(43)) == failed)
        #expect(try await outcome(.unsupported, .accept) == failed)
    }

    @Test func aDumbAgentIsAskedForNoNumbers() async throws {
        #expect(try await outcome(.comparison(passkey: 1), .accept, capability: "NoInputNoOutput") == "")
        #expect(try await outcome(.entry(passkey: 1), .passkey(1), capability: "NoInputNoOutput") == failed)
    }

    @Test func theNumberIsShown() async throws {
        let band = band(.comparison(passkey: 654_321))
        try await withStack([band]) { _, client in
            let agent = TestAgent(.accept)
            try await agent.register(with: client)
            try await client.discover(band)
            try await client.call(BusClient.path(band), "Device1", "Pair")
            #expect(await agent.firstQuestion() == "RequestConfirmation 654321")
        }
    }

    @Test func withoutAnAgentPairingFails() async throws {
        let band = band(.justWorks)
        try await withStack([band]) { _, client in
            try await client.discover(band)
            #expect(try await client.failure(BusClient.path(band), "Device1", "Pair") == failed)
        }
    }

    @Test func aPeripheralMayRefuse() async throws {
        let band = band(.justWorks)
        try await withStack([band]) { stack, client in
            try await TestAgent(.accept).register(with: client)
            try await client.discover(band)
            await stack.inject(.pairingRefused(name: "org.bluez.Error.AuthenticationRejected", message: "Authentication Rejected"), for: band.address)
            #expect(try await client.failure(BusClient.path(band), "Device1", "Pair") == "org.bluez.Error.AuthenticationRejected: Authentication Rejected")
        }
    }

    @Test func outOfReachThereIsNoPairing() async throws {
        let band = band(.justWorks)
        try await withStack([band]) { stack, client in
            try await TestAgent(.accept).register(with: client)
            try await client.discover(band)
            await stack.inject(.outOfRange, for: band.address)
            #expect(try await client.failure(BusClient.path(band), "Device1", "Pair").hasPrefix("org.bluez.Error.ConnectionAttemptFailed"))
        }
    }

    @Test func aBondIsMadeOnceAndForgottenWithTheDevice() async throws {
        let band = band(.justWorks)
        let path = BusClient.path(band)
        try await withStack([band]) { stack, client in
            try await TestAgent(.accept).register(with: client)
            try await client.discover(band)
            try await client.call(path, "Device1", "Pair")
            #expect(try await client.failure(path, "Device1", "Pair") == "org.bluez.Error.AlreadyExists: Already Exists")
            #expect(try await client.failure(path, "Device1", "CancelPairing") == "org.bluez.Error.DoesNotExist: Does Not Exist")
            try await client.call(BusClient.adapter, "Adapter1", "RemoveDevice", [.objectPath(path)])
            #expect(await stack.snapshot.bonded.isEmpty)
        }
    }

    @Test func pairingCanBeCancelled() async throws {
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

    @Test func readingWhatIsEncryptedAsksTheAgent() async throws {
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

    @Test func anAgentMaySayNo() async throws {
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

    /// BlueZ 5.66 neither answers nor keeps the device.
    @Test func withoutAnAgentTheReadIsNeverAnswered() async throws {
        let band = band(.justWorks)
        let clock = ManualClock()
        var timing = Timing.immediate
        timing.clock = clock
        timing.attTimeout = .seconds(29)
        try await withStack([band], timing: timing) { _, client in
            try await client.connect(band)
            let path = try #require(try await client.characteristic(band.steps, of: band))
            let read = Task { try await client.call(path, "GattCharacteristic1", "ReadValue", [none]) }
            await clock.waitForSleep(of: .seconds(29))
            clock.advance(by: .seconds(29))
            let device = BusClient.path(band)
            _ = await client.log.first { $0.removes(device) }
            read.cancel()
            await #expect(throws: DBusError.self) { try await read.value }
        }
    }

    @Test func anOpenPeripheralMayDemandPairing() async throws {
        let watch = SimulatedPedometer.infiniTime()
        try await withStack([watch]) { stack, client in
            try await TestAgent(.reject).register(with: client)
            await stack.inject(.pairingDemanded, for: watch.address)
            try await client.connect(watch)
            let path = try #require(try await client.characteristic(watch.steps, of: watch))
            #expect(try await client.failure(path, "GattCharacteristic1", "ReadValue", [none]) == "org.bluez.Error.NotPermitted: Not paired")
        }
    }
}
