import DBus
import SimulatedBlueZ
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DiscoveryTests {
    private let ring = SimulatedColmi()
    private let watch = SimulatedGeneric.infiniTime()
    private let adapter = BusClient.adapter

    @Test func `discovered devices have the properties that they advertise`() async throws {
        try await withStack([ring, watch]) { _, client in
            try await client.discover(ring)
            try await client.discoverNothingMore(watch)
            let objects = try await client.objects()
            let device = try #require(objects[BusClient.path(ring)]?["org.bluez.Device1"])
            #expect(device["Name"] == .string("R02_A1B2"))
            #expect(device["Alias"] == .string("R02_A1B2"))
            #expect(device["Address"] == .string(ring.address))
            #expect(device["AddressType"] == .string("random"))
            #expect(device["UUIDs"] == .strings([SimulatedColmi.service.text]))
            #expect(device["Connected"] == .boolean(false))
            #expect(device["ServicesResolved"] == .boolean(false))
            #expect(try #require(device["RSSI"]?.intValue) < 0)
            #expect(objects[adapter]?["org.bluez.Adapter1"]?["Discovering"] == .boolean(true))
        }
    }

    @Test func `a filter excludes other devices`() async throws {
        try await withStack([ring, watch]) { stack, client in
            try await client.call(
                adapter, "Adapter1", "SetDiscoveryFilter", [.properties(["Pattern": .string("Infini")])])
            try await client.discover(watch)
            #expect(try await client.objects()[BusClient.path(ring)] == nil)
            #expect(!stack.history.contains(.found(ring.address)))
        }
    }

    @Test func `each client has one discovery session`() async throws {
        try await withStack([ring]) { stack, client in
            let other = try await BusClient(stack)
            #expect(
                try await client.failure(adapter, "Adapter1", "StopDiscovery")
                    == "org.bluez.Error.Failed: No discovery started")
            try await client.call(adapter, "Adapter1", "StartDiscovery")
            #expect(
                try await client.failure(adapter, "Adapter1", "StartDiscovery")
                    == "org.bluez.Error.InProgress: Operation already in progress")
            try await other.call(adapter, "Adapter1", "StartDiscovery")
            try await client.call(adapter, "Adapter1", "StopDiscovery")
            #expect(try await client.get("Discovering", "Adapter1", adapter) == .boolean(true))
            // The other client leaves without StopDiscovery.
            await other.close()
            _ = await client.log.first { $0.change(of: "Discovering", at: BusClient.adapter) == .boolean(false) }
            #expect(await stack.snapshot == SimulatedBlueZ.Snapshot())
        }
    }

    @Test func `the RSSI is removed when discovery ends`() async throws {
        try await withStack([ring]) { _, client in
            try await client.discover(ring)
            try await client.call(adapter, "Adapter1", "StopDiscovery")
            let path = BusClient.path(ring)
            _ = await client.log.first { $0.invalidates("RSSI", at: path) }
            #expect(try await client.objects()[path]?["org.bluez.Device1"]?["RSSI"] == nil)
        }
    }

    @Test func `a device that is no longer seen is removed`() async throws {
        let clock = ManualClock()
        var timing = Timing.immediate
        timing.clock = clock
        timing.temporaryTimeout = .seconds(30)
        try await withStack([ring], timing: timing) { _, client in
            try await client.discover(ring)
            let path = BusClient.path(ring)
            await clock.sleeping(for: .seconds(30))
            // Still discovering: it is heard all the time.
            clock.advance(by: .seconds(30))
            await clock.sleeping(for: .seconds(30))
            #expect(try await client.objects()[path] != nil)
            try await client.call(adapter, "Adapter1", "StopDiscovery")
            clock.advance(by: .seconds(30))
            _ = await client.log.first { $0.removes(path) }
            #expect(try await client.objects()[path] == nil)
        }
    }

    @Test func `a device is removed when the controller receives nothing any more`() async throws {
        let clock = ManualClock()
        var timing = Timing.immediate
        timing.clock = clock
        timing.temporaryTimeout = .seconds(30)
        try await withStack([ring], timing: timing) { stack, client in
            try await client.discover(ring)
            let path = BusClient.path(ring)
            await stack.setDiscoveryFault(.receivesNothing)
            await clock.pass(.seconds(30))
            _ = await client.log.first { $0.removes(path) }
            #expect(try await client.objects()[path] == nil)
        }
    }

    @Test func `repeated advertisements update the RSSI and the name`() async throws {
        let clock = ManualClock()
        var timing = Timing.immediate
        timing.clock = clock
        timing.advertising = .seconds(1)
        try await withStack([ring], timing: timing) { stack, client in
            // With a filter BlueZ reports every change of the signal strength.
            try await client.call(
                adapter, "Adapter1", "SetDiscoveryFilter", [.properties(["Transport": .string("le")])])
            try await client.discover(ring)
            await stack.inject(.name("R02_NEW"), for: ring.address)
            for _ in 0..<5 {
                await clock.sleeping(for: .seconds(1))
                clock.advance(by: .seconds(1))
            }
            let path = BusClient.path(ring)
            _ = await client.log.first { $0.change(of: "RSSI", at: path) != nil }
            _ = await client.log.first { $0.change(of: "Name", at: path) == .string("R02_NEW") }
        }
    }

    @Test func `a device out of range is not seen`() async throws {
        try await withStack([ring, watch]) { stack, client in
            await stack.inject(.outOfRange, for: ring.address)
            try await client.discover(watch)
            #expect(try await client.objects()[BusClient.path(ring)] == nil)
            await stack.clearFaults(for: ring.address)
            let path = BusClient.path(ring)
            _ = await client.log.first { $0.adds(path) }
        }
    }

    @Test func `a name is passed with control characters and cut at NUL`() async throws {
        try await withStack([ring]) { stack, client in
            await stack.inject(.name("\u{1b}[2J\u{7}evil\nname\0hidden"), for: ring.address)
            try await client.discover(ring)
            #expect(
                try await client.get("Name", "Device1", BusClient.path(ring)) == .string("\u{1b}[2J\u{7}evil\nname"))
        }
    }

    @Test func `a device without a name has its address as alias`() async throws {
        try await withStack([ring]) { stack, client in
            await stack.inject(.name(nil), for: ring.address)
            try await client.discover(ring)
            let device = try #require(try await client.objects()[BusClient.path(ring)]?["org.bluez.Device1"])
            #expect(device["Name"] == nil)
            #expect(device["Alias"] == .string("C0-DE-52-02-A1-B2"))
        }
    }
}

extension BusClient {
    /// Waits until the running discovery has found this peripheral, too.
    func discoverNothingMore(_ peripheral: some SimulatedPeripheral) async throws {
        let path = Self.path(peripheral)
        _ = await log.first { $0.adds(path) }
    }
}
