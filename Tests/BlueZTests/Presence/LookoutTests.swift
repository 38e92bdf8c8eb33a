import BlueZ
import DBus
import PrivateBus
import SimulatedBlueZ
import Testing

/// A lookout over the simulation, with and without monitors of advertisements; its pauses pass when the test says so.
@Suite(.timeLimit(.minutes(5)))
struct LookoutTests {
    private struct World {
        let stack: SimulatedBlueZ
        let clock: ManualClock
        let central: Central
        let lookout: Lookout
        let sightings: Sightings
        let means: Lookout.Means

        func range(_ isIn: Bool, _ ring: SimulatedRing = LookoutTests.ring) async {
            await isIn ? stack.remove(.outOfRange, for: ring.address) : stack.inject(.outOfRange, for: ring.address)
        }
    }

    private static let ring = SimulatedRing(address: DeviceAddress.ring.description)
    private static let other = SimulatedRing(address: DeviceAddress.other.description, name: "R06_00FF")
    private static let pause = Duration.seconds(55)

    /// Afterwards nothing of the lookout's may be left in BlueZ.
    private func withWorld(_ means: Lookout.Means, inRange: Bool = true, _ body: (World) async throws -> Void) async throws {
        var quirks = Quirks()
        quirks.isExperimental = means == .monitor
        let stack = try await SimulatedBlueZ.start(peripherals: [Self.ring, Self.other], timing: .immediate, quirks: quirks)
        if !inRange { for ring in [Self.ring, Self.other] { await stack.inject(.outOfRange, for: ring.address) } }
        let clock = ManualClock()
        let central = try await Central.open(.address(stack.address), clock: clock)
        let lookout = Lookout(central)
        do {
            try await body(
                World(stack: stack, clock: clock, central: central, lookout: lookout, sightings: Sightings(lookout.sightings), means: means))
        } catch {
            Issue.record(error)
        }
        await lookout.close()
        if await central.isOpen {
            let left = await stack.snapshot
            #expect(left.discovering == [])
            #expect(left.monitors == 0)
        }
        await central.close()
        await stack.stop()
    }

    @Test(arguments: [Lookout.Means.monitor, .scans])
    func whoIsInRangeIsHeard(means: Lookout.Means) async throws {
        try await withWorld(means) { world in
            await world.lookout.look(for: [.ring])
            #expect(await world.sightings.next() == .listening(means))
            #expect(await world.sightings.next() == .heard(.ring))
            await world.lookout.rest()
            #expect(await world.stack.snapshot == SimulatedBlueZ.Snapshot())
            #expect(world.stack.history.contains(.discovering(true)) == (means == .scans))
        }
    }

    @Test func whoComesIntoRangeIsHeardByTheMonitorAtOnce() async throws {
        try await withWorld(.monitor, inRange: false) { world in
            await world.lookout.look(for: [.ring, .other])
            for await event in world.stack.events where event == .monitoring(true) { break }
            await world.range(true)
            await world.sightings.until(.heard(.ring))
            await world.range(true, Self.other)
            await world.sightings.until(.heard(.other))
            #expect(!world.stack.history.contains(.discovering(true)))
        }
    }

    @Test func whoComesIntoRangeIsHeardByTheNextScan() async throws {
        try await withWorld(.scans, inRange: false) { world in
            await world.lookout.look(for: [.ring])
            await world.clock.pass(.seconds(5))         // a scan in vain
            await world.clock.sleeping(for: Self.pause)
            #expect(await world.stack.snapshot.discovering == [])
            await world.range(true)
            await world.clock.pass(Self.pause)
            await world.sightings.until(.heard(.ring))
        }
    }

    /// What shows its name and services in scan responses only, no monitor hears.
    @Test func whatAMonitorDoesNotHearASeldomScanFinds() async throws {
        try await withWorld(.monitor) { world in
            // BlueZ knows it under a name and services that it does not advertise any more.
            _ = try await world.central.find(ScanFilter(address: .ring), limit: .seconds(20))
            await world.range(false)
            await world.stack.add(Self.silent)
            await world.lookout.look(for: [.ring])
            await world.clock.sleeping(for: .seconds(295))
            await world.range(true)
            await world.clock.pass(.seconds(295))
            await world.sightings.until(.heard(.ring))
            #expect(world.stack.history.contains(.discovering(true)))
        }
    }

    private static let silent = SimulatedPedometer(
        address: DeviceAddress.ring.description, name: "", advertisedServices: [], steps: CharacteristicID("fff0", "fff1"), source: .manual(1))

    @Test(arguments: [Lookout.Means.monitor, .scans])
    func strangersAreNoneOfItsBusiness(means: Lookout.Means) async throws {
        try await withWorld(means) { world in
            await world.range(false)
            await world.lookout.look(for: [.ring])
            if means == .scans { await world.clock.pass(.seconds(5)) }
            await world.stack.advertise(Self.other.address)
            await world.range(true)
            if means == .scans { await world.clock.pass(Self.pause) }
            #expect(await world.sightings.next() == .listening(means))
            #expect(await world.sightings.next() == .heard(.ring))
        }
    }

    @Test func anotherProgramsScanCounts() async throws {
        try await withWorld(.scans, inRange: false) { world in
            await world.lookout.look(for: [.ring])
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

    @Test(arguments: [Lookout.Means.monitor, .scans])
    func aBluetoothdThatIsRestartedIsWaitedFor(means: Lookout.Means) async throws {
        try await withWorld(means, inRange: false) { world in
            await world.lookout.look(for: [.ring])
            #expect(await world.sightings.next() == .listening(means))
            await world.stack.leaveBus()
            #expect(await world.sightings.next() == .blind(.daemonNotRunning))
            await world.range(true)
            try await world.stack.returnToBus()
            #expect(await world.sightings.next() == .listening(means))
            await world.sightings.until(.heard(.ring))
        }
    }

    @Test(arguments: [Lookout.Means.monitor, .scans])
    func anAdapterThatIsPulledOutOrSwitchedOffIsWaitedFor(means: Lookout.Means) async throws {
        try await withWorld(means, inRange: false) { world in
            await world.lookout.look(for: [.ring])
            #expect(await world.sightings.next() == .listening(means))
            await world.stack.unplug()
            await world.sightings.untilBlind()
            await world.stack.plug()
            await world.sightings.until(.listening(means))
            await world.stack.setPowered(false)
            await world.sightings.until(.blind(.adapterDown("hci0")))
            await world.range(true)
            await world.stack.setPowered(true)
            await world.sightings.until(.heard(.ring))
        }
    }

    // MARK: An adapter that is on and does not scan

    private static let stuck = BluetoothError.adapterStuck("hci0", reason: "a scan has been starting or stopping all the while")

    /// Until StartDiscovery is given up.
    private func startIsGivenUp(_ world: World) async {
        for wait in [200, 500, 1000, 2000] { await world.clock.pass(.milliseconds(wait)) }
    }

    private func isRefused(_ world: World) async {
        await startIsGivenUp(world)
        #expect(await world.sightings.next() == .blind(Self.stuck))
    }

    /// That it will be tried again is not listening.
    @Test func whoCannotScanDoesNotListenUntilAScanHasComeAbout() async throws {
        try await withWorld(.scans, inRange: false) { world in
            await world.stack.setDiscoveryFault(.busy)
            await world.lookout.look(for: [.ring])
            await isRefused(world)
            await world.clock.pass(.seconds(5))
            await isRefused(world)
            await world.stack.setDiscoveryFault(nil)
            await world.clock.pass(.seconds(10))
            await world.clock.pass(.seconds(5))     // the scan
            #expect(await world.sightings.next() == .listening(.scans))
        }
    }

    @Test func aMonitorBesideScansThatFailListensOnceItHearsSomething() async throws {
        try await withWorld(.monitor, inRange: false) { world in
            await world.stack.setDiscoveryFault(.busy)
            await world.lookout.look(for: [.ring])
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

    /// Otherwise a pedometer that is read often would keep it from ever scanning for another.
    @Test func thePauseBetweenScansBesideAMonitorGoesOnWhenOthersAreLookedFor() async throws {
        try await withWorld(.monitor, inRange: false) { world in
            await world.lookout.look(for: [.ring])
            await world.clock.sleeping(for: .seconds(295))
            world.clock.advance(by: .seconds(200))
            await world.lookout.look(for: [.ring, .other])
            await world.clock.pass(.seconds(95))
            await world.clock.pass(.seconds(5))     // the scan
            await world.clock.sleeping(for: .seconds(295))
            #expect(world.stack.history.contains(.discovering(true)))
        }
    }

    @Test func itEndsWithTheBus() async throws {
        try await withWorld(.scans, inRange: false) { world in
            await world.lookout.look(for: [.ring])
            #expect(await world.sightings.next() == .listening(.scans))
            world.stack.bus.stop()
            await world.sightings.untilBlind()
            #expect(await world.sightings.next() == nil)
        }
    }

    @Test(arguments: [Lookout.Means.monitor, .scans])
    func whoIsNotLookedForAnyMoreIsNotTold(means: Lookout.Means) async throws {
        try await withWorld(means, inRange: false) { world in
            await world.lookout.look(for: [.ring])
            #expect(await world.sightings.next() == .listening(means))
            await world.lookout.look(for: [.other])
            #expect(await world.sightings.next() == .listening(means))
            if means == .scans { await world.clock.pass(.seconds(5)) }      // a scan in vain
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

/// Reads what a lookout tells, one after the other.
private actor Sightings {
    private var iterator: AsyncStream<Lookout.Sighting>.Iterator

    init(_ stream: AsyncStream<Lookout.Sighting>) { iterator = stream.makeAsyncIterator() }

    func next() async -> Lookout.Sighting? {
        var copy = iterator     // of the same stream
        return await copy.next(isolation: #isolation)
    }

    /// Skips what comes before: the same may be heard many times.
    func until(_ wanted: Lookout.Sighting) async {
        while let sighting = await next() { if sighting == wanted { return } }
        Issue.record("the stream ended before \(wanted)")
    }

    func untilBlind() async {
        while let sighting = await next() { if case .blind = sighting { return } }
        Issue.record("the stream ended before")
    }
}
