import BlueZ
import DBus
import SimulatedBlueZ
import TestSupport
import Testing

/// The central against the simulation, which follows the measured behaviour of bluetoothd 5.66: order of signals,
/// error texts, pairing. The scripted fake is for events that must occur at one exact moment.
@Suite(.timeLimit(.minutes(5)))
struct SimulationTests {
    static let service: BluetoothUUID = "8f1d0001-7e57-4c0b-9b1d-000000000000"
    static let steps: BluetoothUUID = "8f1d0002-7e57-4c0b-9b1d-000000000000"
    static let address = "C0:DE:00:00:00:01"

    private struct World {
        let stack: SimulatedBlueZ
        let pedometer: SimulatedPedometer
        let central: Central
    }

    /// One pedometer in range. Afterwards the central must have left nothing in BlueZ.
    private func withWorld(
        security: SimulatedCharacteristic.Security = .open, pairing: PairingMethod = .justWorks, faults: [Fault] = [],
        quirks: Quirks = Quirks(), _ body: (World) async throws -> Void
    ) async throws {
        let pedometer = SimulatedPedometer(
            address: Self.address, name: "Pedometer", advertisedServices: [AttributeUUID(short: 0x180f)],
            steps: CharacteristicID(
                try #require(AttributeUUID(Self.service.description)), try #require(AttributeUUID(Self.steps.description))),
            source: .manual(4711), battery: 61, security: security, pairing: pairing)
        let stack = try await SimulatedBlueZ.start(peripherals: [pedometer], timing: .immediate, quirks: quirks)
        for fault in faults { await stack.inject(fault, for: Self.address) }
        let central = try await Central.open(.address(stack.address), clock: SlowClock())
        do {
            try await body(World(stack: stack, pedometer: pedometer, central: central))
        } catch {
            Issue.record(error)
        }
        let left = await stack.snapshot
        #expect(left.connected == [])
        #expect(left.discovering == [])
        #expect(left.subscriptions == 0)
        #expect(!left.hasAgent)
        await central.close()
        await stack.stop()
    }

    private func value(_ world: World, _ limits: ConnectionLimits = ConnectionLimits()) async -> Result<[UInt8], BluetoothError> {
        do {
            return .success(
                try await world.central.readValue(
                    peripheral: .ring, service: Self.service, characteristic: Self.steps, limits: limits))
        } catch {
            return .failure(error)
        }
    }

    private let number: [UInt8] = [0x67, 0x12, 0, 0]
    private let reading = "reading \(steps) of \(address)"

    @Test(arguments: [
        ScanFilter(services: ["180f"]), ScanFilter(namePrefix: "Pedo"), ScanFilter(address: .ring), ScanFilter(),
    ])
    func `finds by each filter`(filter: ScanFilter) async throws {
        try await withWorld { world in
            let found = try await world.central.find(filter, limit: .seconds(20))
            #expect(found.address == .ring)
            #expect(found.name == "Pedometer")
            #expect(found.rssi != nil)
        }
    }

    @Test func `finds, connects, reads, and leaves nothing behind`() async throws {
        try await withWorld { world in
            #expect(await value(world) == .success(number))
            // Now BlueZ knows it.
            #expect(await value(world) == .success(number))
        }
    }

    @Test func `services that come after ServicesResolved`() async throws {
        var quirks = Quirks()
        quirks.resolvesBeforeExport = true
        try await withWorld(quirks: quirks) { world in
            #expect(await value(world) == .success(number))
        }
    }

    @Test func `notifications and battery`() async throws {
        try await withWorld { world in
            try await world.central.withPeripheral(.ring) { peripheral in
                #expect(await peripheral.batteryLevel() == 61)
                var iterator = try await peripheral.notifications(of: Self.steps, in: Self.service).makeAsyncIterator()
                for n in 1...50 { world.pedometer.set(n) }
                for n in 1...50 {
                    let value = try await iterator.next(within: .seconds(10))
                    #expect(value == [UInt8(n), 0, 0, 0])
                }
            }
        }
    }

    @Test func `a refused connection is tried again, but not for ever`() async throws {
        try await withWorld(faults: [.refuseConnect("le-connection-abort-by-local", .first(2))]) { world in
            #expect(await value(world, ConnectionLimits(backOff: .milliseconds(1))) == .success(number))
        }
        try await withWorld(faults: [.refuseConnect()]) { world in
            let failure = ConnectFailure(.linkFailed, detail: "le-connection-abort-by-local")
            #expect(
                await value(world, ConnectionLimits(backOff: .milliseconds(1)))
                    == .failure(.connectFailed(Self.address, reason: failure)))
        }
    }

    @Test func `a link that drops right after Connect is tried again`() async throws {
        try await withWorld(faults: [.drop(during: .connect)]) { world in
            #expect(await value(world) == .success(number))
        }
    }

    @Test func `a drop in the middle of a read is a lost link`() async throws {
        try await withWorld(faults: [.drop(during: .read)]) { world in
            #expect(await value(world) == .failure(.linkLost(during: reading)))
            #expect(await value(world) == .success(number))
        }
    }

    @Test func `an error of the peripheral's application`() async throws {
        try await withWorld(faults: [.attError(ATTError(0x80), on: .read)]) { world in
            #expect(await value(world) == .failure(.attError(code: 0x80, doing: reading)))
        }
    }

    @Test func `a read that is never answered`() async throws {
        try await withWorld(faults: [.stall(.read, .first(1))]) { world in
            let limits = ConnectionLimits(operation: .milliseconds(50))
            #expect(await value(world, limits) == .failure(.timedOut(operation: reading, seconds: 0.05)))
        }
    }

    @Test func `out of range`() async throws {
        try await withWorld(faults: [.outOfRange]) { world in
            #expect(
                await value(world, ConnectionLimits(scan: .milliseconds(50)))
                    == .failure(.peripheralNotFound(Self.address, seconds: 0.05)))
        }
    }

    @Test func `a service that is not there`() async throws {
        try await withWorld { world in
            await world.stack.inject(.missingService(try #require(AttributeUUID(Self.service.description))), for: Self.address)
            #expect(await value(world) == .failure(.serviceNotFound(Self.service, peripheral: Self.address)))
        }
    }

    // MARK: Pairing

    @Test func `an encrypted characteristic requires pairing, and is read after it`() async throws {
        try await withWorld(security: .encrypted) { world in
            try await world.central.pair(.ring, delegate: AcceptJustWorks())
            #expect(await world.stack.snapshot.bonded == [Self.address])
            #expect(await value(world) == .success(number))
            #expect(try await world.central.remove(.ring))
            #expect(await world.stack.snapshot.bonded == [])
        }
    }

    @Test func `pairs on the way where it is wanted`() async throws {
        try await withWorld(security: .encrypted) { world in
            let value = try await world.central.withPeripheral(.ring, pairing: AcceptJustWorks()) { peripheral in
                try await peripheral.read(Self.steps, of: Self.service)
            }
            #expect(value == number)
        }
    }

    @Test func `pairing works by numeric comparison and by passkey entry`() async throws {
        struct Careful: PairingDelegate {
            let expected: UInt32
            let capability = PairingCapability.keyboardDisplay
            func confirm(passkey: UInt32, of peripheral: DeviceAddress) async -> Bool { passkey == expected }
            func passkey(of peripheral: DeviceAddress) async -> UInt32? { expected }
        }
        for method in [PairingMethod.comparison(passkey: 42), .entry(passkey: 42)] {
            try await withWorld(security: .encrypted, pairing: method) { world in
                do {
                    try await world.central.pair(.ring, delegate: Careful(expected: 41))
                    Issue.record("paired with a wrong number")
                } catch {
                    guard case .pairingFailed? = error as? BluetoothError else { throw error }
                }
                try await world.central.pair(.ring, delegate: Careful(expected: 42))
                #expect(await value(world) == .success(number))
            }
        }
    }

    // MARK: The machine

    @Test func `an adapter that is off, and on again`() async throws {
        try await withWorld { world in
            await world.stack.setPowered(false)
            #expect(await value(world) == .failure(.adapterDown("hci0")))
            await world.stack.setPowered(true)
            while try await !world.central.adapters()[0].isPowered { await Task.yield() }
            #expect(await value(world) == .success(number))
        }
    }

    @Test func `bluetoothd that leaves and comes back`() async throws {
        try await withWorld { world in
            #expect(await value(world) == .success(number))
            await world.stack.leaveBus()
            #expect(await value(world) == .failure(.daemonNotRunning))
            try await world.stack.returnToBus()
            #expect(await value(world) == .success(number))
        }
    }
}
