@testable import DBus
import Testing

@testable import BlueZ

@Suite(.timeLimit(.minutes(5))) struct ObjectCacheTests {
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

    @Test func `the cache counts as loaded only once it has the snapshot`() {
        var cache = ObjectCache()
        #expect(!cache.isLoaded)
        cache.setOwner(":1.1")
        cache.beginSnapshot()
        #expect(!cache.isLoaded)
        cache.finishSnapshot([Sample.adapter: ["org.bluez.Adapter1": Sample.adapterProperties()]])
        #expect(cache.isLoaded)
        #expect(cache.adapters.map(\.name) == ["hci0"])
    }

    @Test func `a disconnection during a snapshot is counted once`() {
        var cache = loaded([Sample.device: [interface: Sample.deviceProperties(rssi: -60)]])
        cache.beginSnapshot()
        cache.apply(connected(false))
        #expect(cache.disconnections[Sample.device] == 1)
        cache.finishSnapshot([Sample.device: [interface: Sample.deviceProperties(rssi: -60)]])
        #expect(cache.disconnections[Sample.device] == 1)
        cache.beginSnapshot()
        cache.finishSnapshot([:])
        #expect(cache.disconnections.isEmpty)
    }

    @Test func `properties change and are invalidated`() {
        var cache = loaded([Sample.device: [interface: Sample.deviceProperties(rssi: -60)]])
        cache.apply(connected(true))
        #expect(cache.device(Sample.device)?.isConnected == true)
        #expect(cache.device(Sample.device)?.rssi == -60)
        cache.apply(.changed(Sample.device, interface: interface, [:], invalidated: ["RSSI"]))
        #expect(cache.device(Sample.device)?.rssi == nil)
        #expect(cache.device(Sample.device)?.isDiscovered == false)
    }

    @Test func `the value of a notification is not cached and needs no processing`() {
        let known: [ObjectPath: [String: Properties]] = [Sample.device: [interface: Sample.deviceProperties()]]
        var cache = loaded(known.merging(Sample.gatt) { old, _ in old })
        let characteristic = "org.bluez.GattCharacteristic1"
        let value = ["Value": DBusValue.bytes([1])]
        let notification = cache.apply(.changed(Sample.counter, interface: characteristic, value, invalidated: []))
        #expect(!notification)
        #expect(cache.properties(Sample.counter, characteristic)?["Value"] == nil)

        let both = value.merging(["Notifying": .boolean(true)]) { old, _ in old }
        let subscription = cache.apply(.changed(Sample.counter, interface: characteristic, both, invalidated: []))
        #expect(subscription)
        #expect(cache.properties(Sample.counter, characteristic)?["Notifying"] == .boolean(true))
        let invalidation = cache.apply(
            .changed(Sample.counter, interface: characteristic, [:], invalidated: ["Notifying"]))
        #expect(invalidation)
        #expect(cache.properties(Sample.counter, characteristic)?["Notifying"] == nil)
        // A device was heard, whatever the signal says.
        let sighting = cache.apply(.changed(Sample.device, interface: interface, [:], invalidated: []))
        #expect(sighting)
    }

    @Test func `an object is removed with its last interface`() {
        var cache = loaded()
        cache.apply(
            .added(
                Sample.device,
                [
                    interface: Sample.deviceProperties(), "org.freedesktop.DBus.Introspectable": [:],
                    "org.bluez.Battery1": [:],
                ]))
        cache.apply(.removed(Sample.device, interfaces: ["org.bluez.Battery1"]))
        #expect(cache.device(Sample.device) != nil)
        cache.apply(.removed(Sample.device, interfaces: [interface]))
        #expect(cache.objects.isEmpty)
    }

    @Test func `a change of an unknown object is ignored`() {
        var cache = loaded()
        cache.apply(connected(true))
        cache.apply(.removed(Sample.device, interfaces: [interface]))
        #expect(cache.objects.isEmpty)
    }

    @Test func `a signal that arrives before the snapshot is applied after it`() {
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

    @Test func `a second snapshot replaces the first`() {
        var cache = loaded([Sample.device: [interface: Sample.deviceProperties()]])
        cache.apply(connected(true))
        cache.beginSnapshot()
        cache.finishSnapshot([Sample.otherDevice: [interface: Sample.deviceProperties(.other)]])
        #expect(cache.device(Sample.device) == nil)
        #expect(cache.device(Sample.otherDevice)?.address == .other)
    }

    @Test func `the objects are discarded when the owner of the bus name changes`() {
        var cache = loaded([Sample.device: [interface: Sample.deviceProperties()]])
        let generation = cache.generation
        cache.setOwner(nil)
        #expect(cache.objects.isEmpty)
        #expect(!cache.isLoaded)
        #expect(cache.generation != generation)
    }

    @Test func `a link that was set up and lost is counted as a disconnection`() {
        var cache = loaded([Sample.device: [interface: Sample.deviceProperties()]])
        #expect(cache.disconnections[Sample.device] == nil)
        cache.apply(connected(true))
        cache.apply(connected(false))
        #expect(cache.disconnections[Sample.device] == 1)
        cache.apply(.removed(Sample.device, interfaces: [interface]))
        #expect(cache.disconnections[Sample.device] == nil)
    }

    @Test func `the values of characteristics are not kept`() {
        var cache = loaded(
            Sample.gatt.merging([Sample.device: [interface: Sample.deviceProperties()]]) { old, _ in old })
        cache.apply(
            .changed(
                Sample.command, interface: "org.bluez.GattCharacteristic1", ["Value": .bytes([1, 2])], invalidated: []))
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

    @Test func `a device that changes its address is found by the new one`() {
        var cache = loaded([Sample.device: [interface: Sample.deviceProperties()]])
        cache.apply(
            .changed(
                Sample.device, interface: interface, ["Address": .string(DeviceAddress.other.description)],
                invalidated: []))
        #expect(cache.device(.ring, on: Sample.adapter) == nil)
        #expect(cache.device(.other, on: Sample.adapter)?.path == Sample.device)
        cache.apply(.removed(Sample.device, interfaces: [interface]))
        #expect(!cache.knows(.other) && cache.memory == 0)
    }

    @Test func `a failed snapshot stops recording`() {
        var cache = loaded()
        cache.beginSnapshot()
        cache.apply(.added(Sample.device, [interface: Sample.deviceProperties()]))
        #expect(cache.journal.count == 1)
        cache.abandonSnapshot()
        cache.apply(connected(true))
        #expect(cache.journal.isEmpty)
        #expect(cache.device(Sample.device)?.isConnected == true)
    }

    @Test func `adapters are ordered by their numbers`() {
        let objects = ["hci10", "hci2", "hci0"].map { name in
            (ObjectPath("/org/bluez/\(name)")!, ["org.bluez.Adapter1": Sample.adapterProperties()])
        }
        #expect(loaded(Dictionary(uniqueKeysWithValues: objects)).adapters.map(\.name) == ["hci0", "hci2", "hci10"])
    }

    // MARK: Look-ups

    @Test func `a device is found by its address until it is removed or has another`() {
        let text = DeviceAddress.other.description
        var cache = loaded([Sample.device: [interface: Sample.deviceProperties()]])
        #expect(cache.device(.ring, on: Sample.adapter)?.path == Sample.device)
        #expect(cache.device(.ring, on: "/org/bluez/hci1") == nil)
        // BlueZ gives a device its identity address when it pairs.
        cache.apply(.changed(Sample.device, interface: interface, ["Address": .string(text)], invalidated: []))
        #expect(cache.device(.ring, on: Sample.adapter) == nil)
        #expect(cache.device(.other, on: Sample.adapter)?.path == Sample.device)
        cache.apply(.removed(Sample.device, interfaces: [interface]))
        #expect(cache.device(.other, on: Sample.adapter) == nil && cache.device(Sample.device) == nil)
        #expect(cache.devices(on: Sample.adapter).isEmpty)
    }

    @Test func `a device's attributes come and go with their objects`() {
        var cache = loaded([Sample.device: [interface: Sample.deviceProperties()]])
        for (path, interfaces) in Sample.gatt { cache.apply(.added(path, interfaces)) }
        #expect(cache.attributes(of: Sample.device) == Set(Sample.gatt.keys))
        #expect(cache.attributes(of: Sample.otherDevice).isEmpty)
        cache.apply(.removed(Sample.counter, interfaces: ["org.bluez.GattCharacteristic1"]))
        #expect(cache.attributes(of: Sample.device) == [Sample.service, Sample.command])
        cache.beginSnapshot()
        cache.finishSnapshot([Sample.device: [interface: Sample.deviceProperties()]])
        #expect(cache.attributes(of: Sample.device).isEmpty)
    }

    @Test func `adapters come and go`() {
        var cache = loaded([Sample.adapter: ["org.bluez.Adapter1": Sample.adapterProperties()]])
        cache.apply(
            .changed(Sample.adapter, interface: "org.bluez.Adapter1", ["Powered": .boolean(false)], invalidated: []))
        #expect(cache.adapters.map(\.isPowered) == [false])
        cache.apply(.removed(Sample.adapter, interfaces: ["org.bluez.Adapter1"]))
        #expect(cache.adapters.isEmpty && cache.adapter(Sample.adapter) == nil)
    }
}
