@testable import DBus
import Testing

@testable import BlueZ

@Suite(.timeLimit(.minutes(5))) struct DeviceRecordTests {
    @Test func `the properties of a device are decoded`() throws {
        let properties = Sample.deviceProperties(
            rssi: -61,
            [
                "ManufacturerData": .dictionary(key: "q", value: "v", [.uint16(0x0157): .variant(.bytes([1, 2]))]),
                "ServiceData": .dictionary(
                    key: "s", value: "v", [.string("0000fee0-0000-1000-8000-00805f9b34fb"): .variant(.bytes([3]))]),
                "Paired": .boolean(true),
            ])
        let record = try #require(DeviceRecord(Sample.device, properties))
        #expect(
            record.discovery(adapter: "hci0")
                == Discovery(
                    address: .ring, addressType: .random, name: "Ring", rssi: -61, services: [Sample.serviceUUID],
                    manufacturerData: [0x0157: [1, 2]], serviceData: ["fee0": [3]], isPaired: true, adapter: "hci0"))
    }

    @Test func `a device may have almost no properties`() throws {
        let record = try #require(DeviceRecord(Sample.device, ["Address": .string("C0:DE:00:00:00:01")]))
        #expect(record.discovery(adapter: "hci0") == Discovery(address: .ring))
        #expect(!record.isDiscovered)
    }

    @Test func `invalid properties of a device are ignored`() throws {
        let properties = Sample.deviceProperties(
            .ring,
            [
                "UUIDs": .strings(["180f", "no UUID"]), "RSSI": .string("near"), "Connected": .string("yes"),
                "ManufacturerData": .dictionary(key: "u", value: "v", [.uint32(0x10000): .variant(.bytes([1]))]),
                "ServiceData": .dictionary(key: "s", value: "v", [.string("no UUID"): .variant(.bytes([1]))]),
            ])
        let record = try #require(DeviceRecord(Sample.device, properties))
        #expect(record.services == ["180f"])
        #expect(record.rssi == nil)
        #expect(!record.isConnected)
        #expect(record.manufacturerData == [:])
        #expect(record.serviceData == [:])
        #expect(DeviceRecord(Sample.device, ["Name": .string("no address")]) == nil)
    }

    @Test func `a signal strength of 127 means unknown, and the device counts as heard`() throws {
        let record = try #require(DeviceRecord(Sample.device, Sample.deviceProperties(rssi: 127)))
        #expect(record.rssi == nil)
        #expect(record.isDiscovered)
    }
}
