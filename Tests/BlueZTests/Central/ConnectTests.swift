import DBus
import TestSupport
import Testing

@testable import BlueZ

@Suite(.timeLimit(.minutes(5)))
struct ConnectTests {
    private func connect(_ fixture: Fixture, limits: ConnectionLimits = ConnectionLimits()) async -> Result<
        Bool, BluetoothError
    > {
        do {
            return .success(
                try await fixture.central.withPeripheral(.ring, limits: limits) { peripheral in
                    peripheral.services.map(\.uuid) == [Sample.serviceUUID]
                })
        } catch {
            return .failure(error as? BluetoothError ?? .unexpected("\(error)"))
        }
    }

    private let heard = Sample.deviceProperties(rssi: -60)

    @Test func `discovery finds a peripheral and stops before Connect, and the end of the body disconnects`()
        async throws
    {
        try await withFixture { fixture in
            await fixture.fake.on("StartDiscovery", FakeBlueZ.hear())
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            #expect(await connect(fixture) == .success(true))
            #expect(
                await fixture.fake.calls == [
                    "SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "SetDiscoveryFilter", "Connect",
                    "Disconnect",
                ])
        }
    }

    @Test(arguments: [["RSSI": DBusValue.int16(-60)], ["Paired": .boolean(true)]])
    func `no discovery is started for a device in range or a paired one`(properties: [String: DBusValue]) async throws {
        try await withFixture(device: Sample.deviceProperties(.ring, properties)) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            #expect(await connect(fixture) == .success(true))
            #expect(await fixture.fake.calls == ["Connect", "Disconnect"])
        }
    }

    @Test func `discovery of a running scan pauses while a connection is set up`() async throws {
        try await withFixture { fixture in
            await fixture.fake.on("StartDiscovery", FakeBlueZ.hear(), FakeBlueZ.agree)
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            for try await _ in await fixture.central.scan(limit: .seconds(20)) {
                #expect(await connect(fixture) == .success(true))
                break
            }
            #expect(
                await fixture.fake.calls.prefix(5) == [
                    "SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "Connect", "StartDiscovery",
                ])
            await fixture.fake.until { $0.suffix(2) == ["StopDiscovery", "SetDiscoveryFilter"] }
        }
    }

    @Test func `a peripheral that is not in range is reported as not found`() async throws {
        try await withFixture { fixture in
            async let result = connect(fixture)
            await fixture.clock.pass(.seconds(20))
            #expect(await result == .failure(.peripheralNotFound("C0:DE:00:00:00:01", seconds: 20)))
            #expect(await !fixture.fake.calls.contains("Connect"))
        }
    }

    // MARK: Retries

    @Test func `a failed link is tried again at once`() async throws {
        try await withFixture(device: heard) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.linkFails, FakeBlueZ.connect)
            #expect(await connect(fixture) == .success(true))
            #expect(await fixture.fake.calls == ["Connect", "Disconnect", "Connect", "Disconnect"])
        }
    }

    @Test func `attempts are limited`() async throws {
        try await withFixture(device: heard) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.linkFails)
            async let result = connect(fixture, limits: ConnectionLimits(attempts: 3, backoff: .seconds(1)))
            await fixture.clock.pass(.seconds(1))
            #expect(
                await result
                    == .failure(
                        .connectFailed(
                            "C0:DE:00:00:00:01",
                            reason: ConnectFailure(.linkFailed, detail: "le-connection-abort-by-local"))))
            #expect(await fixture.fake.calls.filter { $0 == "Connect" }.count == 3)
        }
    }

    @Test func `another program's attempt is waited for and not cancelled`() async throws {
        let busy = FakeBlueZ.fail("org.bluez.Error.InProgress", "Operation already in progress")
        try await withFixture(device: heard) { fixture in
            await fixture.fake.on("Connect", busy, FakeBlueZ.connect)
            async let result = connect(fixture)
            await fixture.clock.pass(.seconds(1))
            #expect(await result == .success(true))
            #expect(await fixture.fake.calls == ["Connect", "Connect", "Disconnect"])
        }
    }

    @Test func `the link that another program was setting up is left to it`() async throws {
        try await withFixture(device: heard) { fixture in
            await fixture.fake.on("Connect") { fake, call in
                await call.fail("org.bluez.Error.InProgress", "Operation already in progress")
                try? await fake.device(["Connected": .boolean(true)])
                try? await fake.add(Sample.gatt)
                try? await fake.device(["ServicesResolved": .boolean(true)])
            }
            async let result = connect(fixture)
            while await fixture.central.daemon.cache.device(Sample.device)?.areServicesResolved != true {
                await Task.yield()
            }
            await fixture.clock.pass(.seconds(1))
            #expect(await result == .success(true))
            #expect(await fixture.fake.calls == ["Connect"])
        }
    }

    /// `Connect` answers InProgress until the device is removed.
    private func stuckUntilRemoved(_ fixture: Fixture) async {
        await fixture.fake.on("StartDiscovery", FakeBlueZ.hear())
        await fixture.fake.on(
            "Connect", FakeBlueZ.fail("org.bluez.Error.InProgress", "In Progress"),
            FakeBlueZ.fail("org.bluez.Error.InProgress", "In Progress"),
            FakeBlueZ.fail("org.bluez.Error.InProgress", "In Progress"),
            FakeBlueZ.connect)
        await fixture.fake.on("RemoveDevice") { fake, call in
            try? await fake.remove(Sample.device)
            await call.reply()
        }
    }

    @Test
    func `an attempt that never ends is disconnected after the second failure, and the advice is to remove the device`()
        async throws
    {
        try await withFixture(device: heard) { fixture in
            await stuckUntilRemoved(fixture)
            async let result = connect(fixture)
            for _ in 1...2 { await fixture.clock.pass(.seconds(1)) }
            let reason = ConnectFailure(.stuck, detail: "In Progress")
            let error = BluetoothError.connectFailed("C0:DE:00:00:00:01", reason: reason)
            #expect(await result == .failure(error))
            #expect(error.advice?.contains("`bluetoothctl remove C0:DE:00:00:00:01`") == true && error.isTransient)
            #expect(await fixture.fake.calls == ["Connect", "Connect", "Disconnect", "Connect"])
        }
    }

    @Test func `with recovery, a device that is stuck is removed and found again`() async throws {
        try await withFixture(device: heard) { fixture in
            await stuckUntilRemoved(fixture)
            async let result: Void = fixture.central.withPeripheral(.ring, recovers: true) { _ in }
            for _ in 1...2 { await fixture.clock.pass(.seconds(1)) }
            try await result
            #expect(
                await fixture.fake.calls == [
                    "Connect", "Connect", "Disconnect", "Connect", "RemoveDevice", "SetDiscoveryFilter",
                    "StartDiscovery", "StopDiscovery",
                    "SetDiscoveryFilter", "Connect", "Disconnect",
                ])
        }
    }

    @Test func `a bonded device is never removed`() async throws {
        try await withFixture(device: Sample.deviceProperties(.ring, ["Paired": .boolean(true), "RSSI": .int16(-60)])) {
            fixture in
            await stuckUntilRemoved(fixture)
            let task = Task { try await fixture.central.withPeripheral(.ring, recovers: true) { _ in } }
            for _ in 1...2 { await fixture.clock.pass(.seconds(1)) }
            await #expect(throws: BluetoothError.self) { try await task.value }
            #expect(await !fixture.fake.calls.contains("RemoveDevice"))
        }
    }

    @Test(arguments: [true, false])
    func `a link without services that stays after Disconnect is reported as stuck within 20 s`(answers: Bool)
        async throws
    {
        let phantom = Sample.deviceProperties(.ring, ["Connected": .boolean(true)])
        try await withFixture(device: phantom) { fixture in
            await fixture.fake.on("Disconnect", answers ? FakeBlueZ.agree : FakeBlueZ.hang)
            let start = fixture.clock.now
            async let result = connect(fixture)
            await fixture.clock.pass(.seconds(5))  // its services
            for number in 1...2 {
                await fixture.fake.until { $0.count == number }
                await fixture.clock.pass(answers ? .seconds(3) : .seconds(5))
            }
            #expect(await result == .failure(.connectFailed("C0:DE:00:00:00:01", reason: ConnectFailure(.stuck))))
            #expect(start.duration(to: fixture.clock.now) <= .seconds(20))
            await fixture.fake.on("Disconnect", FakeBlueZ.disconnect)
        }
    }

    @Test func `discovery that cannot be started again is the failure, and not the silence that follows`() async throws
    {
        try await withFixture { fixture in
            await fixture.fake.on(
                "StartDiscovery", FakeBlueZ.hear(), FakeBlueZ.fail("org.bluez.Error.NotReady", "Resource Not Ready"))
            await fixture.fake.on("StopDiscovery") { fake, call in
                await call.reply()
                try? await fake.remove(Sample.device)
            }
            #expect(await connect(fixture) == .failure(.adapterDown("hci0")))
        }
    }

    @Test func `a permanent error is not retried`() async throws {
        try await withFixture(device: heard) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.fail("org.bluez.Error.Failed", "le-connection-key-missing"))
            #expect(
                await connect(fixture)
                    == .failure(
                        .connectFailed(
                            "C0:DE:00:00:00:01",
                            reason: ConnectFailure(.pairingBroken, detail: "le-connection-key-missing"))))
            #expect(await fixture.fake.calls == ["Connect", "Disconnect"])
        }
    }

    @Test func `success without a connection is a failure`() async throws {
        try await withFixture(device: heard) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.agree, FakeBlueZ.connect)
            async let result = connect(fixture)
            await fixture.clock.pass(.seconds(3))
            #expect(await result == .success(true))
        }
    }

    @Test func `a link that drops before the services are known is a failure`() async throws {
        try await withFixture(device: heard) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connectOnly, FakeBlueZ.connect)
            async let result = connect(fixture)
            await fixture.clock.sleeping(for: .seconds(20))
            try await fixture.fake.drop()
            #expect(await result == .success(true))
        }
    }

    @Test func `a link that drops before Connect has answered is a failure, without a wait`() async throws {
        try await withFixture(device: heard) { fixture in
            await fixture.fake.on(
                "Connect",
                { fake, call in
                    try? await fake.device(["Connected": .boolean(true)])
                    try? await fake.drop()
                    await call.reply()
                }, FakeBlueZ.connect)
            #expect(await connect(fixture) == .success(true))
        }
    }

    @Test func `services that do not come in time are a failure`() async throws {
        try await withFixture(device: heard) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connectOnly, FakeBlueZ.connect)
            async let result = connect(fixture, limits: ConnectionLimits(services: .seconds(17)))
            await fixture.clock.pass(.seconds(17))
            #expect(await result == .success(true))
            #expect(await fixture.fake.calls.filter { $0 == "Disconnect" }.count == 2)
        }
    }

    @Test func `services whose objects BlueZ did not announce are read`() async throws {
        try await withFixture(device: heard) { fixture in
            await fixture.fake.on("Connect") { fake, call in
                await FakeBlueZ.connectOnly(fake, call)
                await fake.set(Sample.gatt)
                try? await fake.device(["ServicesResolved": .boolean(true)])
            }
            #expect(await connect(fixture) == .success(true))
            #expect(await fixture.fake.calls == ["Connect", "Disconnect"])
        }
    }

    @Test func `a peripheral without any services is a failure`() async throws {
        try await withFixture(device: heard) { fixture in
            await fixture.fake.on("Connect") { fake, call in
                await FakeBlueZ.connectOnly(fake, call)
                try? await fake.device(["ServicesResolved": .boolean(true)])
            }
            #expect(
                await connect(fixture, limits: ConnectionLimits(attempts: 2))
                    == .failure(.connectFailed("C0:DE:00:00:00:01", reason: ConnectFailure(.noServices))))
        }
    }

    @Test func `a peripheral that BlueZ drops after discovery is connected during discovery`() async throws {
        try await withFixture { fixture in
            await fixture.fake.on("StartDiscovery", FakeBlueZ.hear())
            await fixture.fake.on(
                "StopDiscovery",
                { fake, call in
                    await call.reply()
                    try? await fake.remove(Sample.device)
                }, FakeBlueZ.agree)
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            #expect(await connect(fixture) == .success(true))
            #expect(
                await fixture.fake.calls == [
                    "SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "SetDiscoveryFilter",
                    "SetDiscoveryFilter", "StartDiscovery", "Connect", "StopDiscovery", "SetDiscoveryFilter",
                    "Disconnect",
                ])
        }
    }

    @Test func `an attempt without an answer is cancelled after its limit`() async throws {
        try await withFixture(device: heard) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.hang)
            async let result = connect(fixture, limits: ConnectionLimits(connect: .seconds(25), attempts: 1))
            await fixture.fake.until { $0 == ["Connect"] }
            await fixture.clock.pass(.seconds(25))
            #expect(await result == .failure(.connectFailed("C0:DE:00:00:00:01", reason: ConnectFailure(.timedOut))))
            let calls = await fixture.fake.calls
            #expect(calls == ["Connect", "Disconnect"])
        }
    }

    // MARK: Cancellation and closing

    @Test func `cancelling an attempt cancels it in BlueZ too`() async throws {
        try await withFixture(device: heard) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.hang)
            let task = Task { await connect(fixture) }
            await fixture.fake.until { $0.last == "Connect" }
            task.cancel()
            #expect(await task.value == .failure(.cancelled))
            #expect(await fixture.fake.calls == ["Connect", "Disconnect"])
        }
    }

    @Test func `cancelling while listening stops discovery`() async throws {
        try await withFixture { fixture in
            let task = Task { await connect(fixture) }
            await fixture.fake.until { $0.last == "StartDiscovery" }
            task.cancel()
            #expect(await task.value == .failure(.cancelled))
            #expect(await fixture.fake.calls.suffix(2) == ["StopDiscovery", "SetDiscoveryFilter"])
        }
    }

    @Test func `an error and a cancellation of the body disconnect`() async throws {
        struct BodyError: Error {}
        try await withFixture(device: heard) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            await #expect(throws: BodyError.self) {
                try await fixture.central.withPeripheral(.ring) { _ in throw BodyError() }
            }
            #expect(await fixture.fake.calls == ["Connect", "Disconnect"])

            let task = Task {
                try await fixture.central.withPeripheral(.ring) { _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                    try Task.checkCancellation()
                }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(await fixture.fake.calls == ["Connect", "Disconnect", "Connect", "Disconnect"])
        }
    }

    @Test func `a second connection of this program to a peripheral is refused as busy`() async throws {
        try await withFixture(device: heard) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            try await fixture.central.withPeripheral(.ring) { _ in
                #expect(
                    await connect(fixture) == .failure(.busy("C0:DE:00:00:00:01 is in use by this program already")))
            }
            #expect(await connect(fixture) == .success(true))
        }
    }

    @Test func `a link that another program uses is shared and left up`() async throws {
        let connected = Sample.deviceProperties(
            .ring,
            [
                "Connected": .boolean(true), "ServicesResolved": .boolean(true), "Trusted": .boolean(true),
            ])
        try await withFixture(device: connected, objects: Sample.gatt) { fixture in
            try await fixture.central.withPeripheral(.ring) { peripheral in
                _ = try await peripheral.notifications(of: Sample.counterUUID, in: Sample.serviceUUID)
            }
            #expect(await fixture.fake.calls == ["StartNotify", "StopNotify"])
        }
    }

    @Test func `closing the central disconnects`() async throws {
        try await withFixture(device: heard) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            try await fixture.central.withPeripheral(.ring) { _ in
                await fixture.central.close()
                #expect(await fixture.fake.calls == ["Connect", "Disconnect"])
            }
        }
    }

    @Test func `with several adapters, a bonded peripheral is searched on the adapter of its bond`() async throws {
        let device: ObjectPath = "/org/bluez/hci1/dev_C0_DE_00_00_00_01"
        let objects: [ObjectPath: [String: FakeBlueZ.Properties]] = [
            "/org/bluez/hci1": ["org.bluez.Adapter1": Sample.adapterProperties()],
            device: ["org.bluez.Device1": Sample.deviceProperties(.ring, ["Paired": .boolean(true)])],
        ]
        try await withFixture(objects: objects) { fixture in
            await fixture.fake.on("Connect") { _, call in
                #expect(call.message.path == device)
                await call.fail("org.bluez.Error.NotSupported", "")
            }
            guard case .failure(.connectFailed) = await connect(fixture) else {
                Issue.record("not tried")
                return
            }
        }
    }

    @Test func `the name is the one that the peripheral reports when connected`() async throws {
        try await withFixture(device: heard) { fixture in
            await fixture.fake.on("Connect") { fake, call in
                try? await fake.device(["Name": .string("Full Name")])
                await FakeBlueZ.connect(fake, call)
            }
            try await fixture.central.withPeripheral(.ring) { peripheral in
                #expect(peripheral.name == "Full Name")
                #expect(peripheral.address == .ring)
                #expect(peripheral.addressType == .random)
            }
        }
    }
}
