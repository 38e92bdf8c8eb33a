@testable import DBus
import TestSupport
import Testing

@testable import BlueZ

/// What a `bluetoothd` among many devices, or one that sends invented data, can put into the cache.
@Suite(.timeLimit(.minutes(10)), .cpuBound) struct CacheLimitsTests {
    private let interface = "org.bluez.Device1"

    private func loaded(_ objects: [ObjectPath: [String: Properties]] = [:], wanted: Set<DeviceAddress> = [])
        -> ObjectCache
    {
        var cache = ObjectCache()
        cache.pinned = wanted
        cache.setOwner(":1.1")
        cache.beginSnapshot()
        cache.finishSnapshot(
            [Sample.adapter: ["org.bluez.Adapter1": Sample.adapterProperties()]].merging(objects) { $1 })
        return cache
    }

    private func path(_ number: Int) throws -> ObjectPath { try #require(ObjectPath("/org/bluez/hci0/dev_\(number)")) }

    private func address(_ number: Int) throws -> DeviceAddress {
        let digits = (0..<5).map { String((number >> (8 * $0)) & 255 | 256, radix: 16).suffix(2) }
        return try #require(DeviceAddress("02:" + digits.reversed().joined(separator: ":").uppercased()))
    }

    private func discovered(_ number: Int, _ more: Properties = [:]) throws -> ObjectChange {
        .added(try path(number), [interface: Sample.deviceProperties(try address(number), rssi: -60, more)])
    }

    @Test func `after a flood of devices the cache is limited and keeps the important ones`() throws {
        let wanted = try address(1)
        var cache = loaded(wanted: [wanted])
        cache.apply(try discovered(1))
        cache.apply(try discovered(2, ["Connected": .boolean(true)]))
        cache.apply(try discovered(3, ["Paired": .boolean(true)]))
        cache.apply(.added(Sample.device, [interface: Sample.deviceProperties()]))
        for (path, interfaces) in Sample.gatt { cache.apply(.added(path, interfaces)) }
        for number in 4..<30_000 {
            cache.apply(try discovered(number))
            // Not on each change: an expectation captures a copy of the cache, so that the next change would copy all
            // of it.
            guard number % 1_000 == 0 else { continue }
            #expect(cache.devices.count <= CacheLimits.devices)
            #expect(cache.memory <= CacheLimits.memory)
        }
        #expect(cache.devices.count == CacheLimits.devices)
        for number in 1...3 { #expect(cache.device(try path(number)) != nil) }
        #expect(cache.device(wanted, on: Sample.adapter) != nil)
        #expect(cache.device(Sample.device) != nil && cache.objects[Sample.counter] != nil)
        #expect(cache.device(try path(29_999)) != nil)
        #expect(cache.adapters.count == 1)
        #expect(cache.omitted == 30_000 - CacheLimits.devices)
    }

    @Test func `a device that is heard again stays longer than one that is not`() throws {
        var cache = loaded()
        for number in 0..<CacheLimits.devices { cache.apply(try discovered(number)) }
        cache.apply(.changed(try path(0), interface: interface, ["RSSI": .int16(-50)], invalidated: []))
        cache.apply(try discovered(100_000))
        #expect(cache.device(try path(0)) != nil)
        #expect(cache.device(try path(1)) == nil)
    }

    /// A controller does not have a thousand connections; a program that reports so many is not trusted.
    @Test func `devices that are all connected are bounded too`() throws {
        var cache = loaded()
        for number in 0..<2 * CacheLimits.protectedDevices {
            cache.apply(try discovered(number, ["Connected": .boolean(true)]))
        }
        #expect(cache.devices.count == CacheLimits.protectedDevices)
    }

    @Test func `devices that come and go leave nothing behind`() throws {
        var cache = loaded()
        let memory = cache.memory
        for number in 0..<10_000 {
            cache.apply(try discovered(number, ["Connected": .boolean(true)]))
            cache.apply(
                .changed(try path(number), interface: interface, ["Connected": .boolean(false)], invalidated: []))
            cache.apply(.removed(try path(number), interfaces: [interface]))
        }
        #expect(
            cache.memory == memory && cache.objects.count == 1 && cache.disconnections.isEmpty && cache.omitted == 0)
        #expect(!cache.knows(try address(1)))
    }

    @Test func `the cache keeps fewer devices if they are large`() throws {
        var cache = loaded()
        let data = DBusValue.bytes([UInt8](repeating: 1, count: 7_000))
        let properties = Properties(uniqueKeysWithValues: (0..<20).map { ("Data\($0)", data) })
        for number in 0..<1_000 { cache.apply(try discovered(number, properties)) }
        #expect(cache.memory <= CacheLimits.memory)
        #expect(cache.devices.count > 100 && cache.devices.count < 300)
    }

    private func bytes(_ count: Int) -> DBusValue { .bytes([UInt8](repeating: 1, count: count)) }

    @Test func `the cache keeps fewer devices if changes make them large`() throws {
        var cache = loaded()
        var most = 0
        for number in 0..<600 {
            cache.apply(try discovered(number))
            for data in 0..<20 {
                cache.apply(
                    .changed(try path(number), interface: interface, ["Data\(data)": bytes(7_000)], invalidated: []))
                most = max(most, cache.memory)
            }
        }
        #expect(most <= CacheLimits.memory)
        let devices = cache.devices.count
        #expect(devices > 100 && devices < 300)
        let knowsLast = cache.knows(try address(599))
        #expect(knowsLast, "the one heard last")
    }

    @Test func `connected devices grow within the limit only, and their state still changes`() throws {
        var cache = loaded()
        for number in 0..<500 { cache.apply(try discovered(number, ["Connected": .boolean(true)])) }
        for number in 0..<500 {
            for data in 0..<20 {
                cache.apply(
                    .changed(try path(number), interface: interface, ["Data\(data)": bytes(7_000)], invalidated: []))
            }
        }
        let (before, devices, omitted) = (cache.memory, cache.devices.count, cache.omitted)
        #expect(before <= CacheLimits.memory && before > CacheLimits.memory / 2)
        #expect(devices == 500 && omitted > 0)
        // An interface that is added to a known device also makes the cache grow.
        cache.apply(.added(try path(1), ["org.bluez.Battery1": ["Data": bytes(8_000), "More": bytes(8_000)]]))
        for number in 0..<20 { cache.apply(.added(try path(2), ["org.bluez.Data\(number)": ["Data": bytes(8_000)]])) }
        let after = cache.memory
        #expect(after <= CacheLimits.memory && after >= before)
        cache.apply(
            .changed(
                try path(499), interface: interface, ["Connected": .boolean(false), "New": bytes(8_000)],
                invalidated: []))
        let ended = cache.device(try path(499))
        #expect(ended?.isConnected == false)
    }

    @Test func `property values beyond the limits of Bluetooth are not cached`() throws {
        var cache = loaded()
        let huge: Properties = [
            "Name": .string(String(repeating: "n", count: 5_000)),
            "ManufacturerData": .dictionary(
                key: "q", value: "v", [.uint16(1): .variant(.bytes([UInt8](repeating: 1, count: 1 << 20)))]),
            "UUIDs": .strings([String](repeating: "0000180d-0000-1000-8000-00805f9b34fb", count: 10_000)),
        ]
        cache.apply(try discovered(1, huge))
        let device = try #require(cache.device(try path(1)))
        #expect(device.name?.utf8.count == CacheLimits.name)
        #expect(device.manufacturerData.isEmpty && device.services.isEmpty)
        // The same holds for a change.
        cache.apply(
            .changed(try path(1), interface: interface, ["ServiceData": try #require(huge["UUIDs"])], invalidated: []))
        for number in 0..<1_000 {
            cache.apply(.changed(try path(1), interface: interface, ["Property\(number)": .byte(1)], invalidated: []))
        }
        #expect(cache.objects[try path(1)]?[interface]?.count ?? 0 <= CacheLimits.properties)
        #expect(cache.memory < 64 << 10)
        // Properties within the limits are still applied.
        cache.apply(.changed(try path(1), interface: interface, ["Connected": .boolean(true)], invalidated: []))
        #expect(cache.device(try path(1))?.isConnected == true)
    }

    @Test func `objects that are no devices are bounded`() throws {
        var cache = loaded()
        for number in 0..<1_000 {
            cache.apply(.added(try #require(ObjectPath("/org/bluez/hci\(number)")), ["org.bluez.Adapter1": [:]]))
        }
        #expect(cache.objects.count == CacheLimits.others)
        for number in 0..<2 * CacheLimits.attributes {
            let path = try #require(ObjectPath(Sample.device.string + "/service\(number)"))
            cache.apply(.added(path, ["org.bluez.GattService1": ["UUID": .string("180d")]]))
        }
        #expect(cache.objects.count == CacheLimits.others + CacheLimits.attributes)
        let long = try #require(ObjectPath("/org/" + String(repeating: "a", count: 1_000)))
        cache.apply(.added(long, ["org.bluez.Adapter1": [:]]))
        #expect(cache.objects[long] == nil)
    }

    @Test func `the more important devices of a large snapshot are kept`() throws {
        var snapshot: [ObjectPath: [String: Properties]] = [:]
        for number in 0..<10_000 {
            snapshot[try path(number)] = [interface: Sample.deviceProperties(try address(number))]
        }
        for number in 10_000..<10_100 {
            snapshot[try path(number)] = [interface: Sample.deviceProperties(try address(number), rssi: -60)]
        }
        snapshot[Sample.device] = [interface: Sample.deviceProperties(.ring, ["Paired": .boolean(true)])]
        snapshot.merge(Sample.gatt) { $1 }
        let cache = loaded(snapshot, wanted: [try address(77)])
        #expect(cache.devices.count == CacheLimits.devices)
        #expect(cache.device(try path(77)) != nil && cache.device(Sample.device) != nil)
        for number in 10_000..<10_100 { #expect(cache.device(try path(number)) != nil) }
        #expect(cache.objects[Sample.counter] != nil)
        #expect(cache.omitted == 10_101 - CacheLimits.devices)
    }

    @Test func `signals during a snapshot are recorded up to a limit, the newest`() throws {
        var cache = loaded()
        cache.beginSnapshot()
        for number in 0..<20_000 {
            cache.apply(try discovered(number))
            guard number % 1_000 == 0 else { continue }
            #expect(cache.journal.count <= 2 * CacheLimits.journal)
        }
        cache.finishSnapshot([:])
        #expect(cache.device(try path(19_999)) != nil)
        #expect(cache.journal.isEmpty)
    }
}

extension ObjectCache {
    fileprivate var devices: [ObjectPath] { objects.filter { $0.value["org.bluez.Device1"] != nil }.map(\.key) }
}
