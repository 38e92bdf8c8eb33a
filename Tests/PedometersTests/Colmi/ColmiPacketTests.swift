import StepDomain
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct ColmiPacketTests {
    @Test func `requests have the same bytes as those of other clients`() {
        // Day 0 has checksum B2 in the captures of colmi_r02_client.
        let request = ColmiPacket.stepsRequest(daysAgo: 0)
        #expect(request.bytes == hex("43 00 0F 00 5F 01 00 00 00 00 00 00 00 00 00 B2"))
        #expect(ColmiPacket.batteryRequest.bytes == hex("03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 03"))
    }

    @Test func `the clock is set in binary-coded decimal`() throws {
        let day = try #require(Day("2024-10-15"))
        let packet = ColmiPacket.setTime(wall: day.daysSince1970 * 86_400 + 23 * 3600 + 59 * 60 + 8)
        #expect(Array(packet.bytes[0..<8]) == hex("01 24 10 15 23 59 08 01"))
    }

    @Test(arguments: [
        "43 F0 01 01 00 00 00 00 00 00 00 00 00 00 00 36",  // checksum off by one
        "43 F0 01 01 00 00 00 00 00 00 00 00 00 00 35",  // 15 bytes
        "",
    ])
    func `a damaged packet is rejected`(_ text: String) {
        #expect(ColmiPacket(received: hex(text)) == nil)
    }

    @Test func `bit 7 marks an error reply`() throws {
        let packet = try #require(ColmiPacket(received: ColmiPacket(0xc3).bytes))
        #expect(packet.isError)
        #expect(packet.command == ColmiPacket.Command.steps)
    }

    @Test func `a nibble above nine is rejected as a decimal digit`() {
        #expect(ColmiPacket.decimal(0x59) == 59)
        #expect(ColmiPacket.decimal(0x5a) == nil)
        #expect(ColmiPacket.decimal(0xa0) == nil)
    }
}

func hex(_ text: String) -> [UInt8] { text.split(separator: " ").compactMap { UInt8($0, radix: 16) } }
