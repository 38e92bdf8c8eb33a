import Testing

@testable import SimulatedBlueZ

@Suite(.timeLimit(.minutes(5))) struct RingPacketTests {
    @Test func `a request for today's steps has the checksum of the vendor's app`() {
        #expect(RingPacket.make(0x43, [0, 0x0f, 0, 0x5f, 1]).last == 0xb2)
    }

    /// A capture of colmi_r02_client's tests: one record of 2024-10-15, 23:00.
    @Test func `a reply equals the capture of a real ring`() {
        let slot = WalkedSlot(
            start: WallClock(year: 2024, month: 10, day: 15, hour: 23), steps: 21, calories: 1_210, metres: 16)
        let packets = RingStepReply(slots: [slot], calories: .tens).packets
        #expect(
            packets == [
                [0x43, 0xf0, 0x01, 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x35],
                [0x43, 0x24, 0x10, 0x15, 0x5c, 0x00, 0x01, 0x79, 0x00, 0x15, 0x00, 0x10, 0x00, 0x00, 0x00, 0x87],
            ])
    }

    @Test func `a reply without steps is the packet for no data`() {
        let packets = RingStepReply(slots: [], calories: .single).packets
        #expect(packets == [RingPacket.make(0x43, [0xff])])
    }

    @Test func `the protocol for single calories sends the exact value`() {
        let slot = WalkedSlot(start: WallClock(year: 2026, month: 1, day: 2), steps: 300, calories: 0x1234, metres: 200)
        let packets = RingStepReply(slots: [slot], calories: .single).packets
        #expect(packets[0][3] == 0)
        #expect(packets[1][7...8] == [0x34, 0x12])
    }

    @Test(arguments: [(0x00, 0), (0x09, 9), (0x37, 37), (0x99, 99)] as [(UInt8, Int)])
    func `BCD codes are converted in both directions`(code: UInt8, number: Int) {
        #expect(RingPacket.number(code) == number)
        #expect(RingPacket.bcd(number) == code)
    }

    @Test(arguments: [0x0a, 0xa0, 0xff] as [UInt8]) func `an invalid BCD code is not converted`(code: UInt8) {
        #expect(RingPacket.number(code) == nil)
    }
}
