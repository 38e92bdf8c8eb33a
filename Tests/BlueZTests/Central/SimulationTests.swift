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

    private struct Simulation {
        let stack: SimulatedBlueZ
        let pedometer: SimulatedGeneric
        let central: Central
    }

    /// One pedometer in range. Afterwards the central must have left nothing in BlueZ.
    private func withSimulation(
        security: SimulatedCharacteristic.Security = .open, pairing: PairingMethod = .justWorks, faults: [Fault] = [],
        quirks: Quirks = Quirks(), _ body: (Simulation) async throws -> Void
    ) async throws {
        let pedometer = SimulatedGeneric(
            address: Self.address, name: "Pedometer", advertisedServices: [AttributeUUID(short: 0x180f)],
            steps: CharacteristicID(
                try #require(AttributeUUID(Self.service.description)),
                try #require(AttributeUUID(Self.steps.description))),
            source: .manual(4711), battery: 61, security: security, pairing: pairing)
        let stack = try await SimulatedBlueZ.start(peripherals: [pedometer], timing: .immediate, quirks: quirks)
        for fault in faults { await stack.inject(fault, for: Self.address) }
        let central = try await Central.open(.address(stack.address), clock: ScaledClock.slow)
        do {
            try await body(Simulation(stack: stack, pedometer: pedometer, central: central))
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

    private func value(_ simulation: Simulation, _ limits: ConnectionLimits = ConnectionLimits()) async -> Result<
        [UInt8], BluetoothError
    > {
        do {
            return .success(
                try await simulation.central.readValue(
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
    func `a peripheral is found by each filter`(filter: ScanFilter) async throws {
        try await withSimulation { simulation in
            let found = try await simulation.central.find(filter, limit: .seconds(20))
            #expect(found.address == .ring)
            #expect(found.name == "Pedometer")
            #expect(found.rssi != nil)
        }
    }

    @Test func `a peripheral is found and read, also once BlueZ knows it, and nothing is left behind`() async throws {
        try await withSimulation { simulation in
            #expect(await value(simulation) == .success(number))
            // Now BlueZ knows it.
            #expect(await value(simulation) == .success(number))
        }
    }

    @Test func `services that BlueZ exports after ServicesResolved are read`() async throws {
        var quirks = Quirks()
        quirks.resolvesBeforeExport = true
        try await withSimulation(quirks: quirks) { simulation in
            #expect(await value(simulation) == .success(number))
        }
    }

    @Test func `the battery level is read, and all notifications arrive in order`() async throws {
        try await withSimulation { simulation in
            try await simulation.central.withPeripheral(.ring) { peripheral in
                #expect(await peripheral.batteryLevel() == 61)
                var iterator = try await peripheral.notifications(of: Self.steps, in: Self.service).makeAsyncIterator()
                for n in 1...50 { simulation.pedometer.set(n) }
                for n in 1...50 {
                    let value = try await iterator.next(within: .seconds(10))
                    #expect(value == [UInt8(n), 0, 0, 0])
                }
            }
        }
    }

    @Test func `a refused connection is tried again, but not for ever`() async throws {
        try await withSimulation(faults: [.refuseConnect("le-connection-abort-by-local", .first(2))]) { simulation in
            #expect(await value(simulation, ConnectionLimits(backoff: .milliseconds(1))) == .success(number))
        }
        try await withSimulation(faults: [.refuseConnect()]) { simulation in
            let failure = ConnectFailure(.linkFailed, detail: "le-connection-abort-by-local")
            #expect(
                await value(simulation, ConnectionLimits(backoff: .milliseconds(1)))
                    == .failure(.connectFailed(Self.address, reason: failure)))
        }
    }

    @Test func `a link that drops right after Connect is tried again`() async throws {
        try await withSimulation(faults: [.drop(during: .connect)]) { simulation in
            #expect(await value(simulation) == .success(number))
        }
    }

    @Test func `a drop in the middle of a read is a lost link`() async throws {
        try await withSimulation(faults: [.drop(during: .read)]) { simulation in
            #expect(await value(simulation) == .failure(.linkLost(during: reading)))
            #expect(await value(simulation) == .success(number))
        }
    }

    @Test func `an error of the peripheral's application is reported with its code`() async throws {
        try await withSimulation(faults: [.attError(ATTError(0x80), on: .read)]) { simulation in
            #expect(await value(simulation) == .failure(.attError(code: 0x80, doing: reading)))
        }
    }

    @Test func `a read that is never answered times out`() async throws {
        try await withSimulation(faults: [.stall(.read, .first(1))]) { simulation in
            let limits = ConnectionLimits(operation: .milliseconds(50))
            #expect(await value(simulation, limits) == .failure(.timedOut(operation: reading, seconds: 0.05)))
        }
    }

    @Test func `a peripheral out of range is reported as not found`() async throws {
        try await withSimulation(faults: [.outOfRange]) { simulation in
            #expect(
                await value(simulation, ConnectionLimits(scan: .milliseconds(50)))
                    == .failure(.peripheralNotFound(Self.address, seconds: 0.05)))
        }
    }

    @Test func `a missing service is reported as not found`() async throws {
        try await withSimulation { simulation in
            await simulation.stack.inject(
                .missingService(try #require(AttributeUUID(Self.service.description))), for: Self.address)
            #expect(await value(simulation) == .failure(.serviceNotFound(Self.service, peripheral: Self.address)))
        }
    }

    // MARK: Pairing

    @Test func `an encrypted characteristic requires pairing, and is read after it`() async throws {
        try await withSimulation(security: .encrypted) { simulation in
            try await simulation.central.pair(.ring, delegate: AcceptJustWorks())
            #expect(await simulation.stack.snapshot.bonded == [Self.address])
            #expect(await value(simulation) == .success(number))
            #expect(try await simulation.central.remove(.ring))
            #expect(await simulation.stack.snapshot.bonded == [])
        }
    }

    @Test func `a connection with a pairing delegate pairs when the peripheral requires it`() async throws {
        try await withSimulation(security: .encrypted) { simulation in
            let value = try await simulation.central.withPeripheral(.ring, pairing: AcceptJustWorks()) { peripheral in
                try await peripheral.read(Self.steps, of: Self.service)
            }
            #expect(value == number)
        }
    }

    @Test func `pairing works by numeric comparison and by passkey entry`() async throws {
        struct ExpectedPasskey: PairingDelegate {
            let expected: UInt32
            let capability = PairingCapability.keyboardDisplay
            func confirm(passkey: UInt32, of peripheral: DeviceAddress) async -> Bool { passkey == expected }
            func passkey(of peripheral: DeviceAddress) async -> UInt32? { expected }
        }
        for method in [PairingMethod.comparison(passkey: 42), .entry(passkey: 42)] {
            try await withSimulation(security: .encrypted, pairing: method) { simulation in
                do {
                    try await simulation.central.pair(.ring, delegate: ExpectedPasskey(expected: 41))
                    Issue.record("paired with a wrong number")
                } catch {
                    guard case .pairingFailed? = error as? BluetoothError else { throw error }
                }
                try await simulation.central.pair(.ring, delegate: ExpectedPasskey(expected: 42))
                #expect(await value(simulation) == .success(number))
            }
        }
    }

    // MARK: The machine

    @Test func `an adapter that is off is an error until it is on again`() async throws {
        try await withSimulation { simulation in
            await simulation.stack.setPowered(false)
            #expect(await value(simulation) == .failure(.adapterDown("hci0")))
            await simulation.stack.setPowered(true)
            while try await !simulation.central.adapters()[0].isPowered { await Task.yield() }
            #expect(await value(simulation) == .success(number))
        }
    }

    @Test func `a bluetoothd that has left the bus is an error until it returns`() async throws {
        try await withSimulation { simulation in
            #expect(await value(simulation) == .success(number))
            await simulation.stack.leaveBus()
            #expect(await value(simulation) == .failure(.daemonNotRunning))
            try await simulation.stack.returnToBus()
            #expect(await value(simulation) == .success(number))
        }
    }
}
