import DBus
import SimulatedBlueZ
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ConnectionTests {
    private let ring = SimulatedColmi()
    private let watch = SimulatedGeneric.infiniTime()
    private let adapter = BusClient.adapter
    private var device: ObjectPath { BusClient.path(ring) }

    /// Measured with bluetoothd 5.66: Connected, then the reply, the attributes one by one, and last UUIDs and
    /// ServicesResolved at once.
    @Test func `signals are sent in the order of BlueZ`() async throws {
        try await withStack([ring]) { _, client in
            try await client.discover(ring)
            try await client.call(adapter, "Adapter1", "StopDiscovery")
            let start = await client.log.count
            try await client.call(device, "Device1", "Connect")
            _ = await client.log.first { [device] in $0.change(of: "ServicesResolved", at: device) == .boolean(true) }
            let order = await client.log.signals.dropFirst(start).map(\.summary).filter {
                $0 != "-RSSI" && $0 != "Discovering"
            }
            #expect(
                order == [
                    "Connected", "+service0006", "+char0007", "+desc0009", "+service000a", "+char000b", "+char000d",
                    "+desc000f",
                    "+service0010", "+char0011", "+char0013", "ServicesResolved,UUIDs",
                ])
        }
    }

    @Test func `the Connect call returns before the services are resolved`() async throws {
        let clock = ManualClock()
        var timing = Timing.immediate
        timing.clock = clock
        timing.services = .seconds(2)
        try await withStack([ring], timing: timing) { _, client in
            try await client.discover(ring)
            try await client.call(device, "Device1", "Connect")
            #expect(try await client.get("Connected", "Device1", device) == .boolean(true))
            #expect(try await client.get("ServicesResolved", "Device1", device) == .boolean(false))
            await clock.sleeping(for: .seconds(2))
            clock.advance(by: .seconds(2))
            _ = await client.log.first { [device] in $0.change(of: "ServicesResolved", at: device) == .boolean(true) }
        }
    }

    @Test func `a quirk resolves services before their objects are exported`() async throws {
        var quirks = Quirks()
        quirks.resolvesBeforeExport = true
        try await withStack([ring], quirks: quirks) { _, client in
            try await client.connect(ring)
            _ = await client.log.first { [device] in $0.adds(device.appending("service000a")) }
            let order = await client.log.signals.map(\.summary)
            let resolved = try #require(order.firstIndex(of: "ServicesResolved,UUIDs"))
            #expect(try #require(order.firstIndex(of: "+service000a")) > resolved)
        }
    }

    @Test func `connecting a connected device is not an error`() async throws {
        try await withStack([ring]) { stack, client in
            try await client.connect(ring)
            try await client.call(device, "Device1", "Connect")
            #expect(stack.history.filter { $0 == .connected(ring.address) }.count == 1)
        }
    }

    @Test func `attributes remain for the next connection`() async throws {
        try await withStack([ring]) { stack, client in
            try await client.connect(ring)
            try await client.call(device, "Device1", "Disconnect")
            #expect(try await client.get("Connected", "Device1", device) == .boolean(false))
            let characteristic = try #require(try await client.characteristic(SimulatedColmi.replies, of: ring))
            #expect(
                try await client.failure(characteristic, "GattCharacteristic1", "ReadValue", [.properties([:])])
                    == "org.bluez.Error.Failed: Not connected")
            let start = await client.log.count
            try await client.call(device, "Device1", "Connect")
            _ = await client.log.first(from: start) { [device] in
                $0.change(of: "ServicesResolved", at: device) == .boolean(true)
            }
            #expect(await client.log.signals.dropFirst(start).map(\.summary) == ["Connected", "ServicesResolved"])
        }
    }

    @Test func `disconnecting a disconnected device is not an error`() async throws {
        try await withStack([ring]) { _, client in
            try await client.discover(ring)
            try await client.call(device, "Device1", "Disconnect")
        }
    }

    @Test func `a refused connect returns the reason of BlueZ`() async throws {
        try await withStack([ring]) { stack, client in
            try await client.discover(ring)
            await stack.inject(.refuseConnect("le-connection-abort-by-local", .first(2)), for: ring.address)
            for _ in 0..<2 {
                #expect(
                    try await client.failure(device, "Device1", "Connect")
                        == "org.bluez.Error.Failed: le-connection-abort-by-local")
            }
            try await client.call(device, "Device1", "Connect")
        }
    }

    @Test func `a disconnect cancels a pending connect`() async throws {
        try await withStack([ring]) { stack, client in
            try await client.discover(ring)
            await stack.inject(.stall(.connect), for: ring.address)
            async let outcome = client.failure(device, "Device1", "Connect")
            await stack.events.waits(for: .connecting(ring.address))
            #expect(
                try await client.failure(device, "Device1", "Connect")
                    == "org.bluez.Error.Failed: Operation already in progress")
            try await client.call(device, "Device1", "Disconnect")
            #expect(try await outcome == "org.bluez.Error.Failed: br-connection-canceled")
        }
    }

    @Test func `a device out of range disconnects and cannot be connected`() async throws {
        try await withStack([ring]) { stack, client in
            try await client.connect(ring)
            await stack.inject(.outOfRange, for: ring.address)
            _ = await client.log.first { [device] in $0.change(of: "Connected", at: device) == .boolean(false) }
            #expect(
                try await client.failure(device, "Device1", "Connect")
                    == "org.bluez.Error.Failed: le-connection-abort-by-local")
        }
    }

    @Test func `a controller that receives nothing opens no link`() async throws {
        try await withStack([ring]) { stack, client in
            try await client.discover(ring)
            await stack.setDiscoveryFault(.receivesNothing)
            #expect(
                try await client.failure(device, "Device1", "Connect")
                    == "org.bluez.Error.Failed: le-connection-abort-by-local")
            await stack.setDiscoveryFault(nil)
            try await client.call(device, "Device1", "Connect")
        }
    }

    @Test func `a link can drop immediately after the connect`() async throws {
        try await withStack([ring]) { stack, client in
            try await client.discover(ring)
            await stack.inject(.drop(during: .connect), for: ring.address)
            try await client.call(device, "Device1", "Connect")
            _ = await client.log.first { [device] in $0.change(of: "Connected", at: device) == .boolean(false) }
            #expect(!stack.history.contains(.servicesResolved(ring.address)))
        }
    }

    @Test func `services can remain unresolved`() async throws {
        try await withStack([ring]) { stack, client in
            try await client.discover(ring)
            await stack.inject(.servicesNeverResolved, for: ring.address)
            try await client.call(device, "Device1", "Connect")
            #expect(try await client.get("ServicesResolved", "Device1", device) == .boolean(false))
        }
    }

    @Test func `a service can be missing and appear in a later connection`() async throws {
        try await withStack([ring]) { stack, client in
            await stack.inject(.missingService(SimulatedColmi.service), for: ring.address)
            try await client.connect(ring)
            #expect(try await client.characteristic(SimulatedColmi.replies, of: ring) == nil)
            // The next firmware has it again, and BlueZ creates its objects again.
            await stack.clearFaults()
            try await client.call(device, "Device1", "Disconnect")
            try await client.connect(ring)
            #expect(try await client.characteristic(SimulatedColmi.replies, of: ring) != nil)
        }
    }

    @Test func `the battery object exists only while the device is connected`() async throws {
        try await withStack([watch]) { _, client in
            try await client.connect(watch)
            let path = BusClient.path(watch)
            #expect(try await client.get("Percentage", "Battery1", path) == .byte(61))
            try await client.call(path, "Device1", "Disconnect")
            #expect(try await client.objects()[path]?["org.bluez.Battery1"] == nil)
        }
    }

    /// With a table that is known, the battery comes before ServicesResolved; the first time it comes after it.
    @Test func `the battery comes after the services the first time, and before them later`() async throws {
        try await withStack([watch]) { _, client in
            let path = BusClient.path(watch)
            for expected in [
                ["Connected", "ServicesResolved,UUIDs", "+" + path.lastElement],
                ["Connected", "+" + path.lastElement, "ServicesResolved"],
            ] {
                try await client.discover(watch)
                try await client.call(adapter, "Adapter1", "StopDiscovery")
                let start = await client.log.count
                try await client.call(path, "Device1", "Connect")
                _ = await client.log.first(from: start) {
                    $0.change(of: "ServicesResolved", at: path)?.boolValue == true
                }
                _ = await client.log.first(from: start) { $0.adds(path) }
                let order = await client.log.signals.dropFirst(start).filter { $0.path == path || $0.adds(path) }.map(
                    \.summary)
                #expect(order.filter { $0 != "-RSSI" } == expected)
                try await client.call(path, "Device1", "Disconnect")
            }
        }
    }

    @Test func `a link that is lost is announced in one signal`() async throws {
        try await withStack([watch]) { stack, client in
            try await client.connect(watch)
            let path = BusClient.path(watch)
            let start = await client.log.count
            await stack.drop(watch.address)
            _ = await client.log.first(from: start) { $0.removes(path) }
            let order = await client.log.signals.dropFirst(start).filter { $0.path == path || $0.removes(path) }.map(
                \.summary)
            #expect(order.prefix(2) == ["Connected,ServicesResolved", "-" + path.lastElement])
        }
    }

    @Test func `the MTU is there while connected`() async throws {
        try await withStack([watch]) { _, client in
            try await client.connect(watch)
            let path = try #require(try await client.characteristic(watch.steps, of: watch))
            #expect(try await client.get("MTU", "GattCharacteristic1", path) == .uint16(watch.mtu))
            try await client.call(BusClient.path(watch), "Device1", "Disconnect")
            let mtu: [DBusValue] = [.string("org.bluez.GattCharacteristic1"), .string("MTU")]
            #expect(
                try await client.failure(path, "org.freedesktop.DBus.Properties", "Get", mtu)
                    == "org.freedesktop.DBus.Error.InvalidArgs: No such property 'MTU'")
            try await client.connect(watch)
            #expect(try await client.get("MTU", "GattCharacteristic1", path) == .uint16(watch.mtu))
        }
    }

    @Test func `profiles of Bluetooth Classic are not found`() async throws {
        try await withStack([ring]) { _, client in
            try await client.connect(ring)
            let uuid = DBusValue.string(SimulatedColmi.service.text)
            #expect(
                try await client.failure(device, "Device1", "ConnectProfile", [uuid])
                    == "org.bluez.Error.Failed: br-connection-sdp-search")
            #expect(
                try await client.failure(device, "Device1", "DisconnectProfile", [uuid])
                    == "org.bluez.Error.InvalidArguments: Invalid arguments in method call")
        }
    }

    @Test func `a removed device is deleted with all its objects`() async throws {
        try await withStack([ring]) { _, client in
            try await client.connect(ring)
            try await client.call(adapter, "Adapter1", "StopDiscovery")
            try await client.call(adapter, "Adapter1", "RemoveDevice", [.objectPath(device)])
            #expect(try await client.objects().keys.filter { $0.isInside(device) }.isEmpty)
            #expect(
                try await client.failure(adapter, "Adapter1", "RemoveDevice", [.objectPath(device)])
                    == "org.bluez.Error.DoesNotExist: Does Not Exist")
        }
    }
}
