import BlueZ
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct DeviceAddressTests {
    @Test(arguments: ["C0:DE:00:00:00:01", "c0:de:00:00:00:01", "C0:de:00:00:00:01"])
    func `an address in upper or lower case is printed in upper case`(text: String) {
        #expect(DeviceAddress(text)?.description == "C0:DE:00:00:00:01")
    }

    @Test(arguments: [
        "", "C0:DE:00:00:00", "C0:DE:00:00:00:01:02", "C0-DE-00-00-00-01", "C0DE00000001", "C0:DE:00:00:00:0G",
        "C0:DE:00:00:00:1", "C0:DE:00:00:00:01\0", "C0:DE:00:00:00:01\0junk", "C0:DE:00:00:00\0:01",
        " C0:DE:00:00:00:0",
    ])
    func `text that is not an address is rejected`(text: String) {
        #expect(DeviceAddress(text) == nil)
    }

    @Test func `addresses are ordered by their digits`() throws {
        let first = try #require(DeviceAddress("00:00:00:00:00:FF"))
        let second = try #require(DeviceAddress("FF:00:00:00:00:00"))
        #expect(first < second)
    }

    @Test func `an address is encoded and decoded as text`() throws {
        let address = try #require(DeviceAddress("00:1A:7D:DA:71:01"))
        let coded = try JSONEncoder().encode([address])
        #expect(String(decoding: coded, as: UTF8.self) == #"["00:1A:7D:DA:71:01"]"#)
        #expect(try JSONDecoder().decode([DeviceAddress].self, from: coded) == [address])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([DeviceAddress].self, from: Data(#"["nowhere"]"#.utf8))
        }
    }
}
