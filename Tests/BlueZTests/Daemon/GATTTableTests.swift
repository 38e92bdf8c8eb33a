@testable import DBus
import Testing

@testable import BlueZ

struct GATTTableTests {
    private func table(_ objects: [ObjectPath: [String: Properties]]) -> GATTTable {
        var cache = ObjectCache()
        cache.setOwner(":1.1")
        cache.beginSnapshot()
        cache.finishSnapshot(objects)
        return GATTTable(cache, device: Sample.device)
    }

    @Test func `shows services and characteristics in the peripheral's order`() {
        #expect(
            table(Sample.gatt).services == [
                GATTService(
                    uuid: Sample.serviceUUID,
                    characteristics: [
                        GATTCharacteristic(uuid: Sample.counterUUID, flags: ["read", "notify"]),
                        GATTCharacteristic(uuid: Sample.commandUUID, flags: ["write", "write-without-response"]),
                    ])
            ])
    }

    @Test func `finds the path of a characteristic`() throws {
        let path = try table(Sample.gatt).path(Sample.serviceUUID, Sample.commandUUID, peripheral: "P")
        #expect(path == Sample.command)
    }

    @Test func `tells a missing service from a missing characteristic`() {
        let table = table(Sample.gatt)
        #expect(throws: BluetoothError.serviceNotFound("180f", peripheral: "P")) {
            try table.path("180f", Sample.commandUUID, peripheral: "P")
        }
        #expect(throws: BluetoothError.characteristicNotFound("2a19", service: Sample.serviceUUID, peripheral: "P")) {
            try table.path(Sample.serviceUUID, "2a19", peripheral: "P")
        }
    }

    @Test func `looks through all services of the same UUID`() throws {
        var objects = Sample.gatt
        let twin: ObjectPath = "/org/bluez/hci0/dev_C0_DE_00_00_00_01/service0001"
        objects[twin] = ["org.bluez.GattService1": ["UUID": .string(Sample.serviceUUID.description)]]
        let path = try table(objects).path(Sample.serviceUUID, Sample.commandUUID, peripheral: "P")
        #expect(path == Sample.command)
    }

    @Test func `services of other devices are not shown`() {
        var cache = ObjectCache()
        cache.setOwner(":1.1")
        cache.beginSnapshot()
        cache.finishSnapshot(Sample.gatt)
        #expect(GATTTable(cache, device: Sample.otherDevice).isEmpty)
    }
}
