import BlueZ
import DBus
import PrivateBus
import SimulatedBlueZ
import TestSupport
import Testing

/// A presence on the simulation, with and without advertisement monitors; the test controls its pauses.
@Suite(.timeLimit(.minutes(5)))
struct PresenceMonitorTests {
    private struct Simulation {
        let stack: SimulatedBlueZ
        let clock: ManualClock
        let central: Central
        let presence: PresenceMonitor
        let events: Events
        let mode: PresenceMonitor.Mode

        func range(_ isIn: Bool, _ ring: SimulatedColmi = PresenceMonitorTests.ring) async {
            await isIn ? stack.remove(.outOfRange, for: ring.address) : stack.inject(.outOfRange, for: ring.address)
        }
    }

    private static let ring = SimulatedColmi(address: DeviceAddress.ring.description)
    private static let other = SimulatedColmi(address: DeviceAddress.other.description, name: "R06_00FF")
    private static let pause = Duration.seconds(55)

    /// Afterwards the presence must have left nothing in BlueZ.
    private func withSimulation(
        _ mode: PresenceMonitor.Mode, inRange: Bool = true, _ body: (Simulation) async throws -> Void
    ) async throws {
        var quirks = Quirks()
        quirks.isExperimental = mode == .monitor
        let stack = try await SimulatedBlueZ.start(
            peripherals: [Self.ring, Self.other], timing: .immediate, quirks: quirks)
        if !inRange { for ring in [Self.ring, Self.other] { await stack.inject(.outOfRange, for: ring.address) } }
        let clock = ManualClock()
        let central = try await Central.open(.address(stack.address), clock: clock)
        let presence = PresenceMonitor(central)
        do {
            try await body(
                Simulation(
                    stack: stack, clock: clock, central: central, presence: presence, events: Events(presence.events),
                    mode: mode))
        } catch {
            Issue.record(error)
        }
        await presence.close()
        if await central.isOpen {
            let left = await stack.snapshot
            #expect(left.discovering == [])
            #expect(left.monitors == 0)
        }
        await central.close()
        await stack.stop()
    }

    @Test(arguments: [PresenceMonitor.Mode.monitor, .scans])
    func `a device in range is seen`(mode: PresenceMonitor.Mode) async throws {
        try await withSimulation(mode) { simulation in
            await simulation.presence.watch(for: [.ring])
            #expect(await simulation.events.next() == .listening(mode))
            #expect(await simulation.events.next() == .discovered(.ring))
            await simulation.presence.stop()
            #expect(await simulation.stack.snapshot == SimulatedBlueZ.Snapshot())
            #expect(simulation.stack.history.contains(.discovering(true)) == (mode == .scans))
        }
    }

    @Test func `the monitor reports a device at once when it comes into range`() async throws {
        try await withSimulation(.monitor, inRange: false) { simulation in
            await simulation.presence.watch(for: [.ring, .other])
            for await event in simulation.stack.events where event == .monitoring(true) { break }
            await simulation.range(true)
            await simulation.events.until(.discovered(.ring))
            await simulation.range(true, Self.other)
            await simulation.events.until(.discovered(.other))
            #expect(!simulation.stack.history.contains(.discovering(true)))
        }
    }

    @Test func `the next scan finds a device that comes into range`() async throws {
        try await withSimulation(.scans, inRange: false) { simulation in
            await simulation.presence.watch(for: [.ring])
            await simulation.clock.pass(.seconds(5))  // a scan that finds nothing
            await simulation.clock.sleeping(for: Self.pause)
            #expect(await simulation.stack.snapshot.discovering == [])
            await simulation.range(true)
            await simulation.clock.pass(Self.pause)
            await simulation.events.until(.discovered(.ring))
        }
    }

    /// A monitor does not hear a device that sends its name and services in scan responses only.
    @Test func `an occasional scan finds a device that the monitor misses`() async throws {
        try await withSimulation(.monitor) { simulation in
            // BlueZ knows it under a name and services that it does not advertise any more.
            _ = try await simulation.central.find(ScanFilter(address: .ring), limit: .seconds(20))
            await simulation.range(false)
            await simulation.stack.add(Self.silent)
            await simulation.presence.watch(for: [.ring])
            await simulation.clock.sleeping(for: .seconds(295))
            await simulation.range(true)
            await simulation.clock.pass(.seconds(295))
            await simulation.events.until(.discovered(.ring))
            #expect(simulation.stack.history.contains(.discovering(true)))
        }
    }

    private static let silent = SimulatedGeneric(
        address: DeviceAddress.ring.description, name: "", advertisedServices: [],
        steps: CharacteristicID("fff0", "fff1"), source: .manual(1))

    @Test(arguments: [PresenceMonitor.Mode.monitor, .scans])
    func `other devices are not reported`(mode: PresenceMonitor.Mode) async throws {
        try await withSimulation(mode) { simulation in
            await simulation.range(false)
            await simulation.presence.watch(for: [.ring])
            if mode == .scans { await simulation.clock.pass(.seconds(5)) }
            await simulation.stack.advertise(Self.other.address)
            await simulation.range(true)
            if mode == .scans { await simulation.clock.pass(Self.pause) }
            #expect(await simulation.events.next() == .listening(mode))
            #expect(await simulation.events.next() == .discovered(.ring))
        }
    }

    @Test func `a device seen by the scan of another program is reported`() async throws {
        try await withSimulation(.scans, inRange: false) { simulation in
            await simulation.presence.watch(for: [.ring])
            await simulation.clock.pass(.seconds(5))
            await simulation.clock.sleeping(for: Self.pause)
            let another = try await DBusConnection.open(.address(simulation.stack.address))
            _ = try await another.call("org.bluez", Sample.adapter, "org.bluez.Adapter1", "StartDiscovery")
            await simulation.range(true)
            await simulation.events.until(.discovered(.ring))
            _ = try await another.call("org.bluez", Sample.adapter, "org.bluez.Adapter1", "StopDiscovery")
            await another.close()
        }
    }

    @Test(arguments: [PresenceMonitor.Mode.monitor, .scans])
    func `listening resumes after a restart of bluetoothd`(mode: PresenceMonitor.Mode) async throws {
        try await withSimulation(mode, inRange: false) { simulation in
            await simulation.presence.watch(for: [.ring])
            #expect(await simulation.events.next() == .listening(mode))
            await simulation.stack.leaveBus()
            #expect(await simulation.events.next() == .unavailable(.daemonNotRunning))
            await simulation.range(true)
            try await simulation.stack.returnToBus()
            #expect(await simulation.events.next() == .listening(mode))
            await simulation.events.until(.discovered(.ring))
        }
    }

    @Test(arguments: [PresenceMonitor.Mode.monitor, .scans])
    func `listening resumes when the adapter is plugged in or switched on again`(mode: PresenceMonitor.Mode)
        async throws
    {
        try await withSimulation(mode, inRange: false) { simulation in
            await simulation.presence.watch(for: [.ring])
            #expect(await simulation.events.next() == .listening(mode))
            await simulation.stack.unplug()
            await simulation.events.untilBlind()
            await simulation.stack.plug()
            await simulation.events.until(.listening(mode))
            await simulation.stack.setPowered(false)
            await simulation.events.until(.unavailable(.adapterDown("hci0")))
            await simulation.range(true)
            await simulation.stack.setPowered(true)
            await simulation.events.until(.discovered(.ring))
        }
    }

    // MARK: An adapter that is on and does not scan

    private static let stuck = BluetoothError.adapterStuck(
        "hci0", reason: "a scan start or stop is in progress and does not end")

    /// Lets the time pass until StartDiscovery is given up.
    private func startIsGivenUp(_ simulation: Simulation) async {
        for wait in [200, 500, 1000, 2000] { await simulation.clock.pass(.milliseconds(wait)) }
    }

    private func isRefused(_ simulation: Simulation) async {
        await startIsGivenUp(simulation)
        #expect(await simulation.events.next() == .unavailable(Self.stuck))
    }

    /// A pending retry does not count as listening.
    @Test func `listening is not reported until a scan succeeds`() async throws {
        try await withSimulation(.scans, inRange: false) { simulation in
            await simulation.stack.setDiscoveryFault(.busy)
            await simulation.presence.watch(for: [.ring])
            await isRefused(simulation)
            await simulation.clock.pass(.seconds(5))
            await isRefused(simulation)
            await simulation.stack.setDiscoveryFault(nil)
            await simulation.clock.pass(.seconds(10))
            await simulation.clock.pass(.seconds(5))  // the scan
            #expect(await simulation.events.next() == .listening(.scans))
        }
    }

    @Test func `a monitor with failing scans listens again after a event`() async throws {
        try await withSimulation(.monitor, inRange: false) { simulation in
            await simulation.stack.setDiscoveryFault(.busy)
            await simulation.presence.watch(for: [.ring])
            #expect(await simulation.events.next() == .listening(.monitor))
            await simulation.clock.pass(.seconds(295))
            await isRefused(simulation)
            await simulation.clock.pass(.seconds(5))
            await isRefused(simulation)
            await simulation.clock.pass(.seconds(10))
            await simulation.range(true)
            #expect(await simulation.events.next() == .listening(.monitor))
            #expect(await simulation.events.next() == .discovered(.ring))
            await startIsGivenUp(simulation)
        }
    }

    /// Otherwise a pedometer that is read often would prevent every scan for another.
    @Test func `new search targets do not restart the pause between scans`() async throws {
        try await withSimulation(.monitor, inRange: false) { simulation in
            await simulation.presence.watch(for: [.ring])
            await simulation.clock.sleeping(for: .seconds(295))
            simulation.clock.advance(by: .seconds(200))
            await simulation.presence.watch(for: [.ring, .other])
            await simulation.clock.pass(.seconds(95))
            await simulation.clock.pass(.seconds(5))  // the scan
            await simulation.clock.sleeping(for: .seconds(295))
            #expect(simulation.stack.history.contains(.discovering(true)))
        }
    }

    @Test func `the stream of events ends when the bus ends`() async throws {
        try await withSimulation(.scans, inRange: false) { simulation in
            await simulation.presence.watch(for: [.ring])
            #expect(await simulation.events.next() == .listening(.scans))
            simulation.stack.bus.stop()
            await simulation.events.untilBlind()
            #expect(await simulation.events.next() == nil)
        }
    }

    @Test func `the stream of events ends when the central is closed while it waits for the adapter`() async throws {
        try await withSimulation(.scans, inRange: false) { simulation in
            await simulation.presence.watch(for: [.ring])
            #expect(await simulation.events.next() == .listening(.scans))
            await simulation.stack.setPowered(false)
            await simulation.events.until(.unavailable(.adapterDown("hci0")))
            await simulation.central.close()
            #expect(await simulation.events.next() == nil)
        }
    }

    @Test(arguments: [PresenceMonitor.Mode.monitor, .scans])
    func `a device that is no longer searched for is not reported`(mode: PresenceMonitor.Mode) async throws {
        try await withSimulation(mode, inRange: false) { simulation in
            await simulation.presence.watch(for: [.ring])
            #expect(await simulation.events.next() == .listening(mode))
            await simulation.presence.watch(for: [.other])
            #expect(await simulation.events.next() == .listening(mode))
            if mode == .scans { await simulation.clock.pass(.seconds(5)) }  // a scan that finds nothing
            await simulation.range(true)
            await simulation.range(true, Self.other)
            if mode == .scans { await simulation.clock.pass(Self.pause) }
            #expect(await simulation.events.next() == .discovered(.other))
        }
    }
}

extension Central {
    fileprivate var isOpen: Bool {
        get async { (try? await adapters()) != nil }
    }
}

/// Reads the events of a presence, one after the other.
private actor Events {
    private var iterator: AsyncStream<PresenceMonitor.Event>.Iterator

    init(_ stream: AsyncStream<PresenceMonitor.Event>) { iterator = stream.makeAsyncIterator() }

    func next() async -> PresenceMonitor.Event? {
        var copy = iterator  // of the same stream
        return await copy.next(isolation: #isolation)
    }

    /// Skips the events before it: the same one may be reported many times.
    func until(_ wanted: PresenceMonitor.Event) async {
        while let event = await next() { if event == wanted { return } }
        Issue.record("the stream ended before \(wanted)")
    }

    func untilBlind() async {
        while let event = await next() { if case .unavailable = event { return } }
        Issue.record("the stream ended before")
    }
}
