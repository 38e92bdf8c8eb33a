import DBus
import SimulatedBlueZ
import Testing

@Suite(.timeLimit(.minutes(5)))
struct MonitorTests {
    private let ring = SimulatedColmi()
    private let watch = SimulatedGeneric.infiniTime()
    private let manager = "AdvertisementMonitorManager1"

    private var experimental: Quirks {
        var quirks = Quirks()
        quirks.isExperimental = true
        return quirks
    }

    private func register(_ client: BusClient, _ patterns: [(UInt8, UInt8, [UInt8])]) async throws -> TestMonitors {
        let monitors = TestMonitors(patterns)
        await client.connection.export(monitors, at: TestMonitors.path, subtree: true)
        try await client.call(BusClient.adapter, manager, "RegisterMonitor", [.objectPath(TestMonitors.path)])
        return monitors
    }

    @Test func `monitors are not available without the experimental mode`() async throws {
        try await withStack([ring]) { _, client in
            #expect(try await client.objects()[BusClient.adapter]?["org.bluez." + manager] == nil)
            let failure = try await client.failure(
                BusClient.adapter, manager, "RegisterMonitor", [.objectPath("/test")])
            #expect(failure.hasPrefix("org.freedesktop.DBus.Error.UnknownMethod"))
        }
    }

    @Test(
        arguments: [
            (0, 0x09, Array("R02_".utf8)), (2, 0x09, Array("2_A1".utf8)),
            (
                0, 0x07,
                [0x9e, 0xca, 0xdc, 0x24, 0x0e, 0xe5, 0xa9, 0xe0, 0x93, 0xf3, 0xa3, 0xb5, 0xf0, 0xff, 0x40, 0x6e]
            ),
        ] as [(UInt8, UInt8, [UInt8])])
    func `a matching device is reported without discovery`(pattern: (UInt8, UInt8, [UInt8])) async throws {
        try await withStack([ring, watch], quirks: experimental) { stack, client in
            let monitors = try await register(client, [pattern])
            #expect(await monitors.next() == "Activate")
            #expect(await monitors.next() == "DeviceFound \(BusClient.path(ring).string)")
            #expect(!stack.history.contains(.found(watch.address)))
            #expect(!stack.history.contains(.discovering(true)))
            #expect(await stack.snapshot.monitors == 1)
        }
    }

    @Test func `a device is reported when it comes into range`() async throws {
        try await withStack([ring], quirks: experimental) { stack, client in
            await stack.inject(.outOfRange, for: ring.address)
            let monitors = try await register(client, [(0, 0x01, [0x06])])
            #expect(await monitors.next() == "Activate")
            await stack.clearFaults()
            #expect(await monitors.next() == "DeviceFound \(BusClient.path(ring).string)")
        }
    }

    @Test func `a controller that receives nothing reports no device until it is switched off and on`() async throws {
        try await withStack([ring], quirks: experimental) { stack, client in
            await stack.setDiscoveryFault(.receivesNothing)
            let monitors = try await register(client, [(0, 0x01, [0x06])])
            #expect(await monitors.next() == "Activate")
            await stack.advertise(ring.address)
            #expect(!stack.history.contains(.found(ring.address)))
            await stack.setPowered(false)
            await stack.setPowered(true)
            #expect(await monitors.next() == "DeviceFound \(BusClient.path(ring).string)")
        }
    }

    @Test func `a monitor without patterns is released`() async throws {
        try await withStack([ring], quirks: experimental) { stack, client in
            let monitors = try await register(client, [])
            #expect(await monitors.next() == "Release")
            #expect(await stack.snapshot.monitors == 0)
        }
    }

    @Test func `an application can be registered only once`() async throws {
        try await withStack([ring], quirks: experimental) { stack, client in
            let monitors = try await register(client, [(0, 0x09, Array("nobody".utf8))])
            let path = DBusValue.objectPath(TestMonitors.path)
            #expect(
                try await client.failure(BusClient.adapter, manager, "RegisterMonitor", [path])
                    == "org.bluez.Error.AlreadyExists: Already Exists")
            try await client.call(BusClient.adapter, manager, "UnregisterMonitor", [path])
            #expect(await [monitors.next(), monitors.next()] == ["Activate", "Release"])
            #expect(
                try await client.failure(BusClient.adapter, manager, "UnregisterMonitor", [path])
                    == "org.bluez.Error.DoesNotExist: Does Not Exist")
        }
    }

    @Test func `monitors end with their client or the adapter`() async throws {
        try await withStack([ring], quirks: experimental) { stack, client in
            let other = try await BusClient(stack)
            _ = try await register(other, [(0, 0x01, [0x06])])
            await other.close()
            await stack.events.waits(for: .monitoring(false))
            let monitors = try await register(client, [(0, 0x09, Array("nobody".utf8))])
            #expect(await monitors.next() == "Activate")
            await stack.unplug()
            #expect(await monitors.next() == "Release")
        }
    }
}

/// A client's object tree with one monitor; `next` returns the calls of BlueZ in order.
private final class TestMonitors: DBusObject {
    static let path: ObjectPath = "/test"
    private let patterns: [(UInt8, UInt8, [UInt8])]
    private let calls: AsyncStream<String>
    private let called: AsyncStream<String>.Continuation

    init(_ patterns: [(UInt8, UInt8, [UInt8])]) {
        self.patterns = patterns
        (calls, called) = AsyncStream.makeStream()
    }

    func next() async -> String? {
        for await call in calls { return call }
        return nil
    }

    func receive(_ call: DBusMethodCall) async {
        let member = call.message.member ?? ""
        guard member == "GetManagedObjects" else {
            called.yield(([member] + call.message.body.compactMap(\.stringValue)).joined(separator: " "))
            return await call.reply()
        }
        let values = patterns.map { DBusValue.structure([.byte($0.0), .byte($0.1), .bytes($0.2)]) }
        let monitor = DBusValue.properties([
            "Type": .string("or_patterns"), "Patterns": .array(element: "(yyay)", values),
        ])
        let interfaces = DBusValue.dictionary(
            key: "s", value: "a{sv}", [.string("org.bluez.AdvertisementMonitor1"): monitor])
        await call.reply([.dictionary(key: "o", value: "a{sa{sv}}", [.objectPath("/test/monitor"): interfaces])])
    }
}
