@testable import DBus
import Testing

@testable import BlueZ

struct ObjectCacheTests {
    private let interface = "org.bluez.Device1"

    private func loaded(_ objects: [ObjectPath: [String: Properties]] = [:]) -> ObjectCache {
        var cache = ObjectCache()
        cache.setOwner(":1.1")
        cache.beginSnapshot()
        cache.finishSnapshot(objects)
        return cache
    }

    private func connected(_ isConnected: Bool) -> ObjectChange {
        .changed(Sample.device, interface: interface, ["Connected": .boolean(isConnected)], invalidated: [])
    }

    @Test func `is loaded only when the snapshot is in`() {
        var cache = ObjectCache()
        #expect(!cache.isLoaded)
        cache.setOwner(":1.1")
        cache.beginSnapshot()
        #expect(!cache.isLoaded)
        cache.finishSnapshot([Sample.adapter: ["org.bluez.Adapter1": Sample.adapterProperties()]])
        #expect(cache.isLoaded)
        #expect(cache.adapters.map(\.name) == ["hci0"])
    }

    @Test func `properties change and are invalidated`() {
        var cache = loaded([Sample.device: [interface: Sample.deviceProperties(rssi: -60)]])
        cache.apply(connected(true))
        #expect(cache.device(Sample.device)?.isConnected == true)
        #expect(cache.device(Sample.device)?.rssi == -60)
        cache.apply(.changed(Sample.device, interface: interface, [:], invalidated: ["RSSI"]))
        #expect(cache.device(Sample.device)?.rssi == nil)
        #expect(cache.device(Sample.device)?.isHeard == false)
    }

    @Test func `an object goes with its last interface`() {
        var cache = loaded()
        cache.apply(
            .added(
                Sample.device,
                [interface: Sample.deviceProperties(), "org.freedesktop.DBus.Introspectable": [:], "org.bluez.Battery1": [:]]))
        cache.apply(.removed(Sample.device, interfaces: ["org.bluez.Battery1"]))
        #expect(cache.device(Sample.device) != nil)
        cache.apply(.removed(Sample.device, interfaces: [interface]))
        #expect(cache.objects.isEmpty)
    }

    @Test func `a change of what is not known is ignored`() {
        var cache = loaded()
        cache.apply(connected(true))
        cache.apply(.removed(Sample.device, interfaces: [interface]))
        #expect(cache.objects.isEmpty)
    }

    @Test func `a signal that overtakes the snapshot is not lost in it`() {
        var cache = ObjectCache()
        cache.setOwner(":1.1")
        cache.beginSnapshot()
        // Both were sent after the reply, which is still under way.
        cache.apply(connected(true))
        cache.apply(.removed(Sample.otherDevice, interfaces: [interface]))
        cache.finishSnapshot([
            Sample.device: [interface: Sample.deviceProperties()],
            Sample.otherDevice: [interface: Sample.deviceProperties(.other)],
        ])
        #expect(cache.device(Sample.device)?.isConnected == true)
        #expect(cache.device(Sample.otherDevice) == nil)
    }

    @Test func `a second snapshot takes the place of what was known`() {
        var cache = loaded([Sample.device: [interface: Sample.deviceProperties()]])
        cache.apply(connected(true))
        cache.beginSnapshot()
        cache.finishSnapshot([Sample.otherDevice: [interface: Sample.deviceProperties(.other)]])
        #expect(cache.device(Sample.device) == nil)
        #expect(cache.device(Sample.otherDevice)?.address == .other)
    }

    @Test func `another daemon means other objects`() {
        var cache = loaded([Sample.device: [interface: Sample.deviceProperties()]])
        let generation = cache.generation
        cache.setOwner(nil)
        #expect(cache.objects.isEmpty)
        #expect(!cache.isLoaded)
        #expect(cache.generation != generation)
    }

    @Test func `a link that came and went is noticed`() {
        var cache = loaded([Sample.device: [interface: Sample.deviceProperties()]])
        #expect(cache.disconnections[Sample.device] == nil)
        cache.apply(connected(true))
        cache.apply(connected(false))
        #expect(cache.disconnections[Sample.device] == 1)
        cache.apply(.removed(Sample.device, interfaces: [interface]))
        #expect(cache.disconnections[Sample.device] == nil)
    }

    @Test func `the values of characteristics are not kept`() {
        var cache = loaded(Sample.gatt)
        cache.apply(
            .changed(Sample.command, interface: "org.bluez.GattCharacteristic1", ["Value": .bytes([1, 2])], invalidated: []))
        #expect(cache.properties(Sample.command, "org.bluez.GattCharacteristic1")?["Value"] == nil)
        #expect(cache.properties(Sample.command, "org.bluez.GattCharacteristic1")?["UUID"] != nil)
    }

    @Test func `a device is found by its address on its adapter`() {
        let cache = loaded([
            Sample.device: [interface: Sample.deviceProperties()],
            Sample.otherDevice: [interface: Sample.deviceProperties(.other)],
            "/org/bluez/hci1/dev_C0_DE_00_00_00_01": [interface: Sample.deviceProperties()],
            "/org/bluez/hci0/dev_broken": [interface: ["Address": .string("nonsense")]],
        ])
        #expect(cache.device(.ring, on: Sample.adapter)?.path == Sample.device)
        #expect(cache.device(.ring, on: "/org/bluez/hci2") == nil)
        #expect(cache.devices(on: Sample.adapter).count == 2)
    }

    @Test func `adapters are ordered by their numbers`() {
        let objects = ["hci10", "hci2", "hci0"].map { name in
            (ObjectPath("/org/bluez/\(name)")!, ["org.bluez.Adapter1": Sample.adapterProperties()])
        }
        #expect(loaded(Dictionary(uniqueKeysWithValues: objects)).adapters.map(\.name) == ["hci0", "hci2", "hci10"])
    }
}
