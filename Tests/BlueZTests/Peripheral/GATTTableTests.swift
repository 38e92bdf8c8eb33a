@testable import DBus
import Testing

@testable import BlueZ

@Suite(.timeLimit(.minutes(5))) struct GATTTableTests {
    private func table(_ objects: [ObjectPath: [String: Properties]]) throws(ConnectFailure) -> GATTTable {
        var cache = ObjectCache()
        cache.setOwner(":1.1")
        cache.beginSnapshot()
        cache.finishSnapshot(
            objects.merging([Sample.device: ["org.bluez.Device1": Sample.deviceProperties()]]) { old, _ in old })
        return try GATTTable(cache, device: Sample.device)
    }

    @Test func `a table has the services and characteristics in the peripheral's order`() throws {
        #expect(
            try table(Sample.gatt).services == [
                GATTService(
                    uuid: Sample.serviceUUID, handle: 0x10,
                    characteristics: [
                        GATTCharacteristic(uuid: Sample.counterUUID, handle: 0x11, flags: [.read, .notify]),
                        GATTCharacteristic(
                            uuid: Sample.commandUUID, handle: 0x14, flags: [.write, .writeWithoutResponse]),
                    ])
            ])
    }

    @Test func `the path of a characteristic is found by its handle and UUID`() throws {
        let table = try table(Sample.gatt)
        let command = try table.characteristic(Sample.commandUUID, of: Sample.serviceUUID, peripheral: "P")
        #expect(table.path(command.handle, command.uuid) == Sample.command)
        #expect(table.path(command.handle, Sample.counterUUID) == nil)
        #expect(table.path(0x12, command.uuid) == nil)
    }

    @Test func `a missing service is distinguished from a missing characteristic`() throws {
        let table = try table(Sample.gatt)
        #expect(throws: BluetoothError.serviceNotFound("180f", peripheral: "P")) {
            try table.characteristic(Sample.commandUUID, of: "180f", peripheral: "P")
        }
        #expect(throws: BluetoothError.characteristicNotFound("2a19", service: Sample.serviceUUID, peripheral: "P")) {
            try table.characteristic("2a19", of: Sample.serviceUUID, peripheral: "P")
        }
    }

    @Test func `a characteristic is looked up in all services with the same UUID`() throws {
        var objects = Sample.gatt
        let twin: ObjectPath = "/org/bluez/hci0/dev_C0_DE_00_00_00_01/service0001"
        objects[twin] = ["org.bluez.GattService1": ["UUID": .string(Sample.serviceUUID.description)]]
        let table = try table(objects)
        #expect(table.services.map(\.handle) == [1, 0x10])
        #expect(try table.characteristic(Sample.commandUUID, of: Sample.serviceUUID, peripheral: "P").handle == 0x14)
    }

    @Test func `services of other devices are not shown`() throws {
        var cache = ObjectCache()
        cache.setOwner(":1.1")
        cache.beginSnapshot()
        cache.finishSnapshot(Sample.gatt)
        #expect(try GATTTable(cache, device: Sample.otherDevice).isEmpty)
    }

    @Test func `descriptors belong to their characteristic, without the client configuration`() throws {
        var objects = Sample.gatt
        func add(_ name: String, _ uuid: String, to characteristic: ObjectPath) {
            objects[characteristic.appending(name)] = ["org.bluez.GattDescriptor1": ["UUID": .string(uuid)]]
        }
        add("desc0013", "00002902-0000-1000-8000-00805f9b34fb", to: Sample.counter)
        add("desc0014", "00002901-0000-1000-8000-00805f9b34fb", to: Sample.counter)
        add("desc0016", "00002904-0000-1000-8000-00805f9b34fb", to: Sample.command)
        add("desc0018", "not a UUID", to: Sample.command)
        let table = try table(objects)
        #expect(
            table.services.first?.characteristics.map(\.descriptors) == [
                [GATTDescriptor(uuid: "2901", handle: 0x14)], [GATTDescriptor(uuid: "2904", handle: 0x16)],
            ])
        #expect(table.path(0x16, "2904") == Sample.command.appending("desc0016"))
        #expect(table.path(0x13, "2902") == nil)
    }

    @Test func `the flag names of BlueZ are parsed, and unknown ones are ignored`() {
        typealias Flags = GATTCharacteristic.Flags
        let words = [
            "broadcast", "read", "write-without-response", "write", "notify", "indicate", "authenticated-signed-writes",
            "extended-properties", "reliable-write", "writable-auxiliaries",
        ]
        #expect(Flags(words: words).rawValue == 0x3ff)
        // The bits of the declaration: Core Specification Vol 3 Part G table 3.5.
        #expect(Flags(words: ["read", "notify", "encrypt-read"]).rawValue == 0x12)
        #expect(Flags(words: ["write", "writable-auxiliaries"]) == [.write, .writableAuxiliaries])
        #expect(Flags(words: []).isEmpty)
    }

    // MARK: Large tables

    private func large(_ services: Int) -> [ObjectPath: [String: Properties]] {
        var objects: [ObjectPath: [String: Properties]] = [:]
        for number in 0..<services {
            let name = "service" + String(number + 0x10000, radix: 16).dropFirst()
            let path = Sample.device.appending(name)
            objects[path] = ["org.bluez.GattService1": ["UUID": .string(Sample.serviceUUID.description)]]
            // Handles of services have fewer than 0x8000 here.
            objects[path.appending("char" + String(number + 0x8000, radix: 16))] = [
                "org.bluez.GattCharacteristic1": [
                    "UUID": .string(Sample.counterUUID.description), "Flags": .strings(["read"]),
                ]
            ]
        }
        return objects
    }

    @Test func `each characteristic belongs to its own service, also where one path begins as another`() throws {
        var objects = large(300)
        // No '/' after the common part.
        objects[ObjectPath(Sample.device.string + "/service00010")!] = [
            "org.bluez.GattService1": ["UUID": .string(Sample.serviceUUID.description)]
        ]
        let table = try table(objects)
        #expect(table.services.count == 301)
        for (number, service) in table.services.filter({ !$0.characteristics.isEmpty }).enumerated() {
            let handle = try #require(service.characteristics.first).handle
            #expect(handle == UInt16(0x8000 + number))
            let name = "service" + String(number + 0x10000, radix: 16).dropFirst() + "/char" + String(handle, radix: 16)
            #expect(table.path(handle, Sample.counterUUID)?.string == Sample.device.string + "/" + name)
        }
        #expect(table.services.count { $0.characteristics.count == 1 } == 300)
    }

    @Test func `a table beyond the limit is refused`() throws {
        #expect(try table(large(GATTTable.limit / 2)).services.count == GATTTable.limit / 2)
        #expect(
            throws: ConnectFailure(
                .tableTooLarge, detail: "4098 services, characteristics and descriptors, at most 4096")
        ) {
            try table(large(GATTTable.limit / 2 + 1))
        }
        #expect(!ConnectFailure(.tableTooLarge).isTransient)
    }
}
