import DBus
import Testing

@testable import BlueZ

@Suite(.timeLimit(.minutes(5))) struct AdvertisementPatternTests {
    private func patterns(_ properties: [String: DBusValue]) throws -> [AdvertisementPattern] {
        let record = try #require(
            DeviceRecord(Sample.device, properties.merging(["Address": .string("C0:DE:00:00:00:01")]) { $1 }))
        return AdvertisementPattern.patterns(of: record)
    }

    @Test func `a name gives patterns for its complete and shortened form`() throws {
        #expect(
            try patterns(["Name": .string("COLMI R02_A1B2")]) == [
                AdvertisementPattern(0x09, Array("COLMI R02_A1B2".utf8)),
                AdvertisementPattern(0x08, Array("COLMI R0".utf8)),
            ])
    }

    @Test func `a long name is cut to fit into an advertisement`() throws {
        let all = try patterns(["Name": .string(String(repeating: "n", count: 248))])
        #expect(all.map(\.content.count) == [26, 8])
    }

    @Test func `service identifiers are encoded as in advertisements`() throws {
        let ring = "6e40fff0-b5a3-f393-e0a9-e50e24dcca9e"
        let bytes: [UInt8] = [
            0x9e, 0xca, 0xdc, 0x24, 0x0e, 0xe5, 0xa9, 0xe0, 0x93, 0xf3, 0xa3, 0xb5, 0xf0, 0xff, 0x40, 0x6e,
        ]
        #expect(
            try patterns(["UUIDs": .strings([ring, "00001801-0000-1000-8000-00805f9b34fb"])]) == [
                AdvertisementPattern(0x07, bytes), AdvertisementPattern(0x06, bytes),
            ])
        #expect(
            try patterns(["UUIDs": .strings(["0000180d-0000-1000-8000-00805f9b34fb"])]).map(\.value)
                == [(0, 0x03), (2, 0x03), (0, 0x02), (2, 0x02)].map {
                    .structure([.byte($0), .byte($1), .bytes([0x0d, 0x18])])
                })
    }

    @Test func `manufacturer data gives a pattern with the company number`() throws {
        let data = DBusValue.dictionary(key: "q", value: "v", [.uint16(0x02d5): .variant(.bytes([1]))])
        #expect(try patterns(["ManufacturerData": data]) == [AdvertisementPattern(0xff, [0xd5, 0x02])])
    }

    @Test func `a device without known properties gets patterns that match any device`() throws {
        let anybody = AdvertisementPattern.patterns(of: nil)
        #expect(!anybody.isEmpty)
        #expect(anybody.allSatisfy { $0.field == 0x01 && $0.content.count == 1 })
        #expect(try patterns([:]) == anybody)
        #expect(try patterns(["Name": .string("")]) == anybody)
    }

    @Test func `the number of patterns is limited to the maximum of the kernel`() throws {
        let services = (0x1810...0x1840).map { "0000\(String($0, radix: 16))-0000-1000-8000-00805f9b34fb" }
        #expect(try patterns(["UUIDs": .strings(services)]).count == AdvertisementPattern.most)
    }
}
