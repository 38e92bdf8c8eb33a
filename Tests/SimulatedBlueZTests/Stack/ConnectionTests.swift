import DBus
import SimulatedBlueZ
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ConnectionTests {
    private let ring = SimulatedRing()
    private let watch = SimulatedPedometer.infiniTime()
    private let adapter = BusClient.adapter
    private var device: ObjectPath { BusClient.path(ring) }

    /// Measured with bluetoothd 5.66: Connected, then the reply, the attributes one by one, UUIDs, and last ServicesResolved.
    @Test func signalsComeInBlueZsOrder() async throws {
        try await withStack([ring]) { _, client in
            try await client.discover(ring)
            try await client.call(adapter, "Adapter1", "StopDiscovery")
            let start = await client.log.count
            try await client.call(device, "Device1", "Connect")
            _ = await client.log.first { [device] in $0.change(of: "ServicesResolved", at: device) == .boolean(true) }
            let order = await client.log.signals.dropFirst(start).map(\.summary).filter { $0 != "-RSSI" && $0 != "Discovering" }
            #expect(order == [
                "Connected", "+service0006", "+char0007", "+desc0009", "+service000a", "+char000b", "+char000d", "+desc000f",
                "+service0010", "+char0011", "+char0013", "UUIDs", "ServicesResolved",
            ])
        }
    }

    @Test func theReplyComesBeforeTheServices() async throws {
        let clock = ManualClock()
        var timing = Timing.immediate
        timing.clock = clock
        timing.services = .seconds(2)
        try await withStack([ring], timing: timing) { _, client in
            try await client.discover(ring)
            try await client.call(device, "Device1", "Connect")
            #expect(try await client.get("Connected", "Device1", device) == .boolean(true))
            #expect(try await client.get("ServicesResolved", "Device1", device) == .boolean(false))
            await clock.waitForSleep(of: .seconds(2))
            clock.advance(by: .seconds(2))
            _ = await client.log.first { [device] in $0.change(of: "ServicesResolved", at: device) == .boolean(true) }
        }
    }

    @Test func someBlueZResolvesBeforeItExports() async throws {
        var quirks = Quirks()
        quirks.resolvesBeforeExport = true
        try await withStack([ring], quirks: quirks) { _, client in
            try await client.connect(ring)
            _ = await client.log.first { [device] in $0.adds(device.appending("service000a")) }
            let order = await client.log.signals.map(\.summary)
            let resolved = try #require(order.firstIndex(of: "ServicesResolved"))
            #expect(try #require(order.firstIndex(of: "+service000a")) > resolved)
        }
    }

    @Test func connectingTwiceIsNoError() async throws {
        try await withStack([ring]) { stack, client in
            try await client.connect(ring)
            try await client.call(device, "Device1", "Connect")
            #expect(stack.history.filter { $0 == .connected(ring.address) }.count == 1)
        }
    }

    @Test func attributesStayForTheNextConnection() async throws {
        try await withStack([ring]) { stack, client in
            try await client.connect(ring)
            try await client.call(device, "Device1", "Disconnect")
            #expect(try await client.get("Connected", "Device1", device) == .boolean(false))
            let characteristic = try #require(try await client.characteristic(SimulatedRing.replies, of: ring))
            #expect(try await client.failure(characteristic, "GattCharacteristic1", "ReadValue", [.properties([:])]) == "org.bluez.Error.Failed: Not connected")
            let start = await client.log.count
            try await client.call(device, "Device1", "Connect")
            _ = await client.log.first(from: start) { [device] in $0.change(of: "ServicesResolved", at: device) == .boolean(true) }
            #expect(await client.log.signals.dropFirst(start).map(\.summary) == ["Connected", "ServicesResolved"])
        }
    }

    @Test func disconnectingWhatIsNotConnectedIsNoError() async throws {
        try await withStack([ring]) { _, client in
            try await client.discover(ring)
            try await client.call(device, "Device1", "Disconnect")
        }
    }

    @Test func aRefusedConnectTellsBlueZsReason() async throws {
        try await withStack([ring]) { stack, client in
            try await client.discover(ring)
            await stack.inject(.refuseConnect("le-connection-abort-by-local", .first(2)), for: ring.address)
            for _ in 0..<2 {
                #expect(try await client.failure(device, "Device1", "Connect") == "org.bluez.Error.Failed: le-connection-abort-by-local")
            }
            try await client.call(device, "Device1", "Connect")
        }
    }

    @Test func disconnectEndsAConnectThatHangs() async throws {
        try await withStack([ring]) { stack, client in
            try await client.discover(ring)
            await stack.inject(.stall(.connect), for: ring.address)
            async let outcome = client.failure(device, "Device1", "Connect")
            await stack.events.waits(for: .connecting(ring.address))
            #expect(try await client.failure(device, "Device1", "Connect") == "org.bluez.Error.Failed: Operation already in progress")
            try await client.call(device, "Device1", "Disconnect")
            #expect(try await outcome == "org.bluez.Error.Failed: br-connection-canceled")
        }
    }

    @Test func outOfRangeConnectFailsAndLinksAreLost() async throws {
        try await withStack([ring]) { stack, client in
            try await client.connect(ring)
            await stack.inject(.outOfRange, for: ring.address)
            _ = await client.log.first { [device] in $0.change(of: "Connected", at: device) == .boolean(false) }
            #expect(try await client.failure(device, "Device1", "Connect") == "org.bluez.Error.Failed: le-connection-abort-by-local")
        }
    }

    @Test func aLinkMayDropAtOnce() async throws {
        try await withStack([ring]) { stack, client in
            try await client.discover(ring)
            await stack.inject(.drop(during: .connect), for: ring.address)
            try await client.call(device, "Device1", "Connect")
            _ = await client.log.first { [device] in $0.change(of: "Connected", at: device) == .boolean(false) }
            #expect(!stack.history.contains(.servicesResolved(ring.address)))
        }
    }

    @Test func servicesMayNeverBeResolved() async throws {
        try await withStack([ring]) { stack, client in
            try await client.discover(ring)
            await stack.inject(.servicesNeverResolved, for: ring.address)
            try await client.call(device, "Device1", "Connect")
            #expect(try await client.get("ServicesResolved", "Device1", device) == .boolean(false))
        }
    }

    @Test func aServiceMayBeMissing() async throws {
        try await withStack([ring]) { stack, client in
            await stack.inject(.missingService(SimulatedRing.service), for: ring.address)
            try await client.connect(ring)
            #expect(try await client.characteristic(SimulatedRing.replies, of: ring) == nil)
            // The next firmware has it again, and BlueZ lays its objects out anew.
            await stack.clearFaults()
            try await client.call(device, "Device1", "Disconnect")
            try await client.connect(ring)
            #expect(try await client.characteristic(SimulatedRing.replies, of: ring) != nil)
        }
    }

    @Test func theBatteryIsThereWhileConnected() async throws {
        try await withStack([watch]) { _, client in
            try await client.connect(watch)
            let path = BusClient.path(watch)
            #expect(try await client.get("Percentage", "Battery1", path) == .byte(61))
            try await client.call(path, "Device1", "Disconnect")
            #expect(try await client.objects()[path]?["org.bluez.Battery1"] == nil)
        }
    }

    @Test func aRemovedDeviceIsForgotten() async throws {
        try await withStack([ring]) { _, client in
            try await client.connect(ring)
            try await client.call(adapter, "Adapter1", "StopDiscovery")
            try await client.call(adapter, "Adapter1", "RemoveDevice", [.objectPath(device)])
            #expect(try await client.objects().keys.filter { $0.isInside(device) }.isEmpty)
            #expect(try await client.failure(adapter, "Adapter1", "RemoveDevice", [.objectPath(device)]) == "org.bluez.Error.DoesNotExist: Does Not Exist")
        }
    }
}
