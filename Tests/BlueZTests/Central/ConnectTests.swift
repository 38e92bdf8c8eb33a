import DBus
import TestSupport
import Testing

@testable import BlueZ

extension Fixture {
    /// The properties of a ring that BlueZ hears.
    static let discovered = Sample.deviceProperties(rssi: -60)

    /// Connects to the ring and ends the link.
    ///
    /// - Returns: whether it had its service.
    func connect(limits: ConnectionLimits = ConnectionLimits()) async -> Result<Bool, BluetoothError> {
        do {
            return .success(
                try await central.withPeripheral(.ring, limits: limits) { peripheral in
                    peripheral.services.map(\.uuid) == [Sample.serviceUUID]
                })
        } catch {
            return .failure(error as? BluetoothError ?? .unexpected("\(error)"))
        }
    }
}

/// How a link is set up.
@Suite(.timeLimit(.minutes(5)))
struct ConnectTests {
    @Test func `discovery finds a peripheral and stops before Connect, and the end of the body disconnects`()
        async throws
    {
        try await withFixture { fixture in
            await fixture.fake.on("StartDiscovery", FakeBlueZ.hear())
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            #expect(await fixture.connect() == .success(true))
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
            #expect(await fixture.connect() == .success(true))
            #expect(await fixture.fake.calls == ["Connect", "Disconnect"])
        }
    }

    @Test func `discovery of a running scan pauses while a connection is set up`() async throws {
        try await withFixture { fixture in
            await fixture.fake.on("StartDiscovery", FakeBlueZ.hear(), FakeBlueZ.agree)
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            for try await _ in await fixture.central.scan(limit: .seconds(20)) {
                #expect(await fixture.connect() == .success(true))
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
            async let result = fixture.connect()
            await fixture.clock.pass(.seconds(20))
            #expect(await result == .failure(.peripheralNotFound("C0:DE:00:00:00:01", seconds: 20)))
            #expect(await !fixture.fake.calls.contains("Connect"))
        }
    }

    @Test func `services whose objects BlueZ did not announce are read`() async throws {
        try await withFixture(device: Fixture.discovered) { fixture in
            await fixture.fake.on("Connect") { fake, call in
                await FakeBlueZ.connectOnly(fake, call)
                await fake.set(Sample.gatt)
                try? await fake.device(["ServicesResolved": .boolean(true)])
            }
            #expect(await fixture.connect() == .success(true))
            #expect(await fixture.fake.calls == ["Connect", "Disconnect"])
        }
    }

    /// A method reply makes BlueZ send what is pending in its own order: ServicesResolved before the last objects.
    @Test func `services of which BlueZ has announced a part are read whole`() async throws {
        try await withFixture(device: Fixture.discovered) { fixture in
            await fixture.fake.on("Connect") { fake, call in
                await FakeBlueZ.connectOnly(fake, call)
                try? await fake.add(Sample.gatt.filter { $0.key != Sample.counter })
                await fake.set(Sample.gatt)
                try? await fake.device(["ServicesResolved": .boolean(true)])
            }
            try await fixture.central.withPeripheral(.ring) { peripheral in
                #expect(
                    peripheral.services.flatMap(\.characteristics).map(\.uuid)
                        == [Sample.counterUUID, Sample.commandUUID])
            }
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
            #expect(await fixture.connect() == .success(true))
            #expect(
                await fixture.fake.calls == [
                    "SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "SetDiscoveryFilter",
                    "SetDiscoveryFilter", "StartDiscovery", "Connect", "StopDiscovery", "SetDiscoveryFilter",
                    "Disconnect",
                ])
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
            guard case .failure(.connectFailed) = await fixture.connect() else {
                Issue.record("not tried")
                return
            }
        }
    }

    @Test func `the name is the one that the peripheral reports when connected`() async throws {
        try await withFixture(device: Fixture.discovered) { fixture in
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
