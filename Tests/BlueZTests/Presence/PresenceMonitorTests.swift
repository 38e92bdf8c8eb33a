import BlueZ
import DBus
import PrivateBus
import SimulatedBlueZ
import TestSupport
import Testing

/// A presence on the simulation, with and without advertisement monitors; the test controls its pauses.
@Suite(.timeLimit(.minutes(5)))
struct PresenceMonitorTests {
    private struct World {
        let stack: SimulatedBlueZ
        let clock: ManualClock
        let central: Central
        let presence: PresenceMonitor
        let sightings: Sightings
        let means: PresenceMonitor.Means

        func range(_ isIn: Bool, _ ring: SimulatedRing = PresenceMonitorTests.ring) async {
            await isIn ? stack.remove(.outOfRange, for: ring.address) : stack.inject(.outOfRange, for: ring.address)
        }
    }

    private static let ring = SimulatedRing(address: DeviceAddress.ring.description)
    private static let other = SimulatedRing(address: DeviceAddress.other.description, name: "R06_00FF")
    private static let pause = Duration.seconds(55)

    /// Afterwards the presence must have left nothing in BlueZ.
    private func withWorld(_ means: PresenceMonitor.Means, inRange: Bool = true, _ body: (World) async throws -> Void) async throws {
        var quirks = Quirks()
        quirks.isExperimental = means == .monitor
        let stack = try await SimulatedBlueZ.start(peripherals: [Self.ring, Self.other], timing: .immediate, quirks: quirks)
        if !inRange { for ring in [Self.ring, Self.other] { await stack.inject(.outOfRange, for: ring.address) } }
        let clock = ManualClock()
        let central = try await Central.open(.address(stack.address), clock: clock)
        let presence = PresenceMonitor(central)
        do {
            try await body(
                World(stack: stack, clock: clock, central: central, presence: presence, sightings: Sightings(presence.sightings), means: means))
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

    @Test(arguments: [PresenceMonitor.Means.monitor, .scans])
    func `a device in range is seen`(means: PresenceMonitor.Means) async throws {
        try await withWorld(means) { world in
            await world.presence.watch(for: [.ring])
            #expect(await world.sightings.next() == .listening(means))
            #expect(await world.sightings.next() == .heard(.ring))
            await world.presence.rest()
            #expect(await world.stack.snapshot == SimulatedBlueZ.Snapshot())
            #expect(world.stack.history.contains(.discovering(true)) == (means == .scans))
        }
    }

    @Test func `the monitor reports a device at once when it comes into range`() async throws {
        try await withWorld(.monitor, inRange: false) { world in
            await world.presence.watch(for: [.ring, .other])
            for await event in world.stack.events where event == .monitoring(true) { break }
            await world.range(true)
            await world.sightings.until(.heard(.ring))
            await world.range(true, Self.other)
            await world.sightings.until(.heard(.other))
            #expect(!world.stack.history.contains(.discovering(true)))
        }
    }

    @Test func `the next scan finds a device that comes into range`() async throws {
        try await withWorld(.scans, inRange: false) { world in
            await world.presence.watch(for: [.ring])
            await world.clock.pass(.seconds(5))  // a scan that finds nothing
            await world.clock.sleeping(for: Self.pause)
            #expect(await world.stack.snapshot.discovering == [])
            await world.range(true)
            await world.clock.pass(Self.pause)
            await world.sightings.until(.heard(.ring))
        }
    }

    /// A monitor does not hear a device that sends its name and services in scan responses only.
    @Test func `an occasional scan finds a device that the monitor misses`() async throws {
        try await withWorld(.monitor) { world in
            // BlueZ knows it under a name and services that it does not advertise any more.
            _ = try await world.central.find(ScanFilter(address: .ring), limit: .seconds(20))
            await world.range(false)
            await world.stack.add(Self.silent)
            await world.presence.watch(for: [.ring])
            await world.clock.sleeping(for: .seconds(295))
            await world.range(true)
            await world.clock.pass(.seconds(295))
            await world.sightings.until(.heard(.ring))
            #expect(world.stack.history.contains(.discovering(true)))
        }
    }

    private static let silent = SimulatedPedometer(
        address: DeviceAddress.ring.description, name: "", advertisedServices: [], steps: CharacteristicID("fff0", "fff1"), source: .manual(1))

    @Test(arguments: [PresenceMonitor.Means.monitor, .scans])
    func `other devices are not reported`(means: PresenceMonitor.Means) async throws {
        try await withWorld(means) { world in
            await world.range(false)
            await world.presence.watch(for: [.ring])
            if means == .scans { await world.clock.pass(.seconds(5)) }
            await world.stack.advertise(Self.other.address)
            await world.range(true)
            if means == .scans { await world.clock.pass(Self.pause) }
            #expect(await world.sightings.next() == .listening(means))
            #expect(await world.sightings.next() == .heard(.ring))
        }
    }

    @Test func `a device seen by the scan of another program is reported`() async throws {
        try await withWorld(.scans, inRange: false) { world in
            await world.presence.watch(for: [.ring])
            await world.clock.pass(.seconds(5))
            await world.clock.sleeping(for: Self.pause)
            let another = try await DBusConnection.open(.address(world.stack.address))
            _ = try await another.call("org.bluez", Sample.adapter, "org.bluez.Adapter1", "StartDiscovery")
            await world.range(true)
            await world.sightings.until(.heard(.ring))
            _ = try await another.call("org.bluez", Sample.adapter, "org.bluez.Adapter1", "StopDiscovery")
            await another.close()
        }
    }

    @Test(arguments: [PresenceMonitor.Means.monitor, .scans])
    func `listening resumes after a restart of bluetoothd`(means: PresenceMonitor.Means) async throws {
        try await withWorld(means, inRange: false) { world in
            await world.presence.watch(for: [.ring])
            #expect(await world.sightings.next() == .listening(means))
            await world.stack.leaveBus()
            #expect(await world.sightings.next() == .unavailable(.daemonNotRunning))
            await world.range(true)
            try await world.stack.returnToBus()
            #expect(await world.sightings.next() == .listening(means))
            await world.sightings.until(.heard(.ring))
        }
    }

    @Test(arguments: [PresenceMonitor.Means.monitor, .scans])
    func `listening resumes when the adapter is plugged in or switched on again`(means: PresenceMonitor.Means) async throws {
        try await withWorld(means, inRange: false) { world in
            await world.presence.watch(for: [.ring])
            #expect(await world.sightings.next() == .listening(means))
            await world.stack.unplug()
            await world.sightings.untilBlind()
            await world.stack.plug()
            await world.sightings.until(.listening(means))
            await world.stack.setPowered(false)
            await world.sightings.until(.unavailable(.adapterDown("hci0")))
            await world.range(true)
            await world.stack.setPowered(true)
            await world.sightings.until(.heard(.ring))
        }
    }

    // MARK: An adapter that is on and does not scan

    private static let stuck = BluetoothError.adapterStuck("hci0", reason: "a scan start or stop is in progress and does not end")

    /// Lets the time pass until StartDiscovery is given up.
    private func startIsGivenUp(_ world: World) async {
        for wait in [200, 500, 1000, 2000] { await world.clock.pass(.milliseconds(wait)) }
    }

    private func isRefused(_ world: World) async {
        await startIsGivenUp(world)
        #expect(await world.sightings.next() == .unavailable(Self.stuck))
    }

    /// A pending retry does not count as listening.
    @Test func `listening is not reported until a scan succeeds`() async throws {
        try await withWorld(.scans, inRange: false) { world in
            await world.stack.setDiscoveryFault(.busy)
            await world.presence.watch(for: [.ring])
            await isRefused(world)
            await world.clock.pass(.seconds(5))
            await isRefused(world)
            await world.stack.setDiscoveryFault(nil)
            await world.clock.pass(.seconds(10))
            await world.clock.pass(.seconds(5))  // the scan
            #expect(await world.sightings.next() == .listening(.scans))
        }
    }

    @Test func `a monitor with failing scans listens again after a sighting`() async throws {
        try await withWorld(.monitor, inRange: false) { world in
            await world.stack.setDiscoveryFault(.busy)
            await world.presence.watch(for: [.ring])
            #expect(await world.sightings.next() == .listening(.monitor))
            await world.clock.pass(.seconds(295))
            await isRefused(world)
            await world.clock.pass(.seconds(5))
            await isRefused(world)
            await world.clock.pass(.seconds(10))
            await world.range(true)
            #expect(await world.sightings.next() == .listening(.monitor))
            #expect(await world.sightings.next() == .heard(.ring))
            await startIsGivenUp(world)
        }
    }

    /// Otherwise a pedometer that is read often would prevent every scan for another.
    @Test func `new search targets do not restart the pause between scans`() async throws {
        try await withWorld(.monitor, inRange: false) { world in
            await world.presence.watch(for: [.ring])
            await world.clock.sleeping(for: .seconds(295))
            world.clock.advance(by: .seconds(200))
            await world.presence.watch(for: [.ring, .other])
            await world.clock.pass(.seconds(95))
            await world.clock.pass(.seconds(5))  // the scan
            await world.clock.sleeping(for: .seconds(295))
            #expect(world.stack.history.contains(.discovering(true)))
        }
    }

    @Test func `the stream of sightings ends when the bus ends`() async throws {
        try await withWorld(.scans, inRange: false) { world in
            await world.presence.watch(for: [.ring])
            #expect(await world.sightings.next() == .listening(.scans))
            world.stack.bus.stop()
            await world.sightings.untilBlind()
            #expect(await world.sightings.next() == nil)
        }
    }

    @Test func `the stream of sightings ends when the central is closed while it waits for the adapter`() async throws {
        try await withWorld(.scans, inRange: false) { world in
            await world.presence.watch(for: [.ring])
            #expect(await world.sightings.next() == .listening(.scans))
            await world.stack.setPowered(false)
            await world.sightings.until(.unavailable(.adapterDown("hci0")))
            await world.central.close()
            #expect(await world.sightings.next() == nil)
        }
    }

    @Test(arguments: [PresenceMonitor.Means.monitor, .scans])
    func `a device that is no longer searched for is not reported`(means: PresenceMonitor.Means) async throws {
        try await withWorld(means, inRange: false) { world in
            await world.presence.watch(for: [.ring])
            #expect(await world.sightings.next() == .listening(means))
            await world.presence.watch(for: [.other])
            #expect(await world.sightings.next() == .listening(means))
            if means == .scans { await world.clock.pass(.seconds(5)) }  // a scan that finds nothing
            await world.range(true)
            await world.range(true, Self.other)
            if means == .scans { await world.clock.pass(Self.pause) }
            #expect(await world.sightings.next() == .heard(.other))
        }
    }
}

extension Central {
    fileprivate var isOpen: Bool {
        get async { (try? await adapters()) != nil }
    }
}

/// Reads the sightings of a presence, one after the other.
private actor Sightings {
    private var iterator: AsyncStream<PresenceMonitor.Sighting>.Iterator

    init(_ stream: AsyncStream<PresenceMonitor.Sighting>) { iterator = stream.makeAsyncIterator() }

    func next() async -> PresenceMonitor.Sighting? {
        var copy = iterator  // of the same stream
        return await copy.next(isolation: #isolation)
    }

    /// Skips the sightings before it: the same one may be reported many times.
    func until(_ wanted: PresenceMonitor.Sighting) async {
        while let sighting = await next() { if sighting == wanted { return } }
        Issue.record("the stream ended before \(wanted)")
    }

    func untilBlind() async {
        while let sighting = await next() { if case .unavailable = sighting { return } }
        Issue.record("the stream ended before")
    }
}
