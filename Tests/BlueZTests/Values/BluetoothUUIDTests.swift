import BlueZ
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct BluetoothUUIDTests {
    static let battery = BluetoothUUID.short(0x180f)

    @Test(arguments: [
        "180f", "180F", "0x180f", "0X180F", "0000180f", "0x0000180F", "0000180f-0000-1000-8000-00805f9b34fb",
        "0000180F-0000-1000-8000-00805F9B34FB", "0000180f00001000800000805f9b34fb",
    ])
    func `all forms of one UUID are equal`(text: String) {
        #expect(BluetoothUUID(text) == Self.battery)
        #expect(BluetoothUUID(text)?.hashValue == Self.battery.hashValue)
    }

    @Test(arguments: [
        "", "1", "18f", "180g", "180f ", " 180f", "0x", "0x1", "18:0f", "180f0", "00180f", "+80f", "-80f",
        "0000180f-0000-1000-8000-00805f9b34f", "0000180f-0000-1000-8000-00805f9b34fbb",
        "0000180f00-00-1000-8000-00805f9b34fb", "0x0000180f00001000800000805f9b34fb",
        "{000180f-0000-1000-8000-00805f9b34fb}", "１８０ｆ", "0000180f-0000-1000-8000-00805f9b34f\0",
    ])
    func `text that is not a UUID is rejected`(text: String) {
        #expect(BluetoothUUID(text) == nil)
    }

    @Test func `a UUID is printed in full form and in lower case`() {
        #expect(Self.battery.description == "0000180f-0000-1000-8000-00805f9b34fb")
        let text = "6e40fff0-b5a3-f393-e0a9-e50e24dcca9e"
        #expect(BluetoothUUID(text.uppercased())?.description == text)
        #expect(BluetoothUUID("12345678").description == "12345678-0000-1000-8000-00805f9b34fb")
        #expect(
            BluetoothUUID("ffffffff-ffff-ffff-ffff-ffffffffffff").description == "ffffffff-ffff-ffff-ffff-ffffffffffff")
    }

    @Test func `only UUIDs of the SIG with 16 bits have a short value`() {
        #expect(Self.battery.shortValue == 0x180f)
        #expect(BluetoothUUID("12345678").shortValue == nil)
        #expect(BluetoothUUID("0000180f-0000-1000-8000-00805f9b34fc").shortValue == nil)
        #expect(BluetoothUUID("0000180f-0001-1000-8000-00805f9b34fb").shortValue == nil)
    }

    @Test func `a UUID is encoded and decoded as text`() throws {
        let coded = try JSONEncoder().encode([Self.battery])
        #expect(String(decoding: coded, as: UTF8.self) == #"["0000180f-0000-1000-8000-00805f9b34fb"]"#)
        #expect(try JSONDecoder().decode([BluetoothUUID].self, from: Data(#"["0x180F"]"#.utf8)) == [Self.battery])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([BluetoothUUID].self, from: Data(#"["steps"]"#.utf8))
        }
    }
}
