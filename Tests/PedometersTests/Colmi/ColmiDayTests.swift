import StepDomain
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct ColmiDayTests {
    /// Captured from a ring (test data of colmi_r02_client): 2024-10-15, slot 92, 1210 calories, 21 steps, 16 m.
    private let header = hex("43 F0 01 01 00 00 00 00 00 00 00 00 00 00 00 35")
    private let record = hex("43 24 10 15 5C 00 01 79 00 15 00 10 00 00 00 87")

    @Test func `a captured day is decoded`() throws {
        var day = ColmiDay()
        #expect(day.add(try packet(header)) == .more)
        #expect(day.add(try packet(record)) == .complete)
        let midnight = try #require(Day("2024-10-15")).daysSince1970 * 86_400
        #expect(day.slots == [ColmiDay.Record(wall: midnight + 23 * 3600, slot: 92, steps: 21, energy: 1.21, metres: 16)])
    }

    @Test func `the older protocol sends calories without a factor of ten`() throws {
        var day = ColmiDay()
        _ = day.add(ColmiPacket(0x43, [0xf0, 1, 0]))
        _ = day.add(try packet(record))
        #expect(day.slots.first?.energy == 0.121)
    }

    @Test func `a reply without data is recognized`() { #expect(run([ColmiPacket(0x43, [0xff])]) == .noData) }

    @Test func `an empty header means no data`() { #expect(run([ColmiPacket(0x43, [0xf0, 0, 1])]) == .noData) }

    @Test func `an error reply means refused`() { #expect(run([ColmiPacket(0xc3)]) == .refused) }

    @Test func `packets of another kind are not part of the day`() {
        #expect(run([ColmiPacket(0x73, [0x12, 0, 0, 5])]) == .other)
    }

    @Test func `a missing record is reported as a gap`() {
        #expect(run([ColmiPacket(0x43, [0xf0, 3, 1]), slot(40, 0, of: 3), slot(42, 2, of: 3)]) == .gaps)
    }

    @Test(arguments: [[0, 1, 2], [2, 1, 0], [0, 2, 1, 1]] as [[UInt8]])
    func `an answer is complete when all records have arrived`(order: [UInt8]) {
        // Out of order, the last record before its time is a gap: the ring is asked again, or the others follow.
        let packets = [ColmiPacket(0x43, [0xf0, 3, 1])] + order.map { slot(40 + 4 * $0, $0, of: 3) }
        var day = ColmiDay()
        let progress = packets.map { day.add($0) }
        #expect(progress.contains(.complete) && progress[1] == .more)
        #expect(day.slots.map(\.slot) == [40, 44, 48])
    }

    @Test func `records from the last to the first with one missing are a gap`() {
        #expect(run([ColmiPacket(0x43, [0xf0, 3, 1]), slot(42, 2, of: 3), slot(40, 0, of: 3)]) == .gaps)
    }

    @Test func `a missing header is reported as a gap`() { #expect(run([slot(40, 0, of: 1)]) == .gaps) }

    @Test func `a new header discards earlier records`() {
        var day = ColmiDay()
        for packet in [ColmiPacket(0x43, [0xf0, 2, 1]), slot(40, 0, of: 2), ColmiPacket(0x43, [0xf0, 1, 1])] { _ = day.add(packet) }
        #expect(day.slots.isEmpty)
        #expect(day.add(slot(8, 0, of: 1)) == .complete)
    }

    @Test(arguments: [[0x24, 0x13, 0x15, 0x5c], [0x24, 0x02, 0x30, 0x5c], [0x24, 0x10, 0x15, 0x60], [0x2a, 0x10, 0x15, 0x5c]] as [[UInt8]])
    func `a record with an impossible date or slot is ignored`(_ head: [UInt8]) {
        var day = ColmiDay()
        _ = day.add(ColmiPacket(0x43, [0xf0, 1, 1]))
        #expect(day.add(ColmiPacket(0x43, head + [0, 1, 0, 0, 9])) == .other)
        #expect(day.slots.isEmpty)
    }

    @Test func `slots only on full hours are one hour long`() {
        var day = ColmiDay()
        for packet in [ColmiPacket(0x43, [0xf0, 2, 1]), slot(40, 0, of: 2), slot(44, 1, of: 2)] { _ = day.add(packet) }
        #expect(day.slotLength == 3600)
        for packet in [ColmiPacket(0x43, [0xf0, 2, 1]), slot(40, 0, of: 2), slot(41, 1, of: 2)] { _ = day.add(packet) }
        #expect(day.slotLength == 900)
    }

    private func packet(_ bytes: [UInt8]) throws -> ColmiPacket { try #require(ColmiPacket(received: bytes)) }

    private func slot(_ slot: UInt8, _ index: UInt8, of total: UInt8) -> ColmiPacket {
        ColmiPacket(0x43, [0x24, 0x10, 0x15, slot, index, total, 1, 0, 100, 0, 70, 0])
    }

    private func run(_ packets: [ColmiPacket]) -> ColmiDay.Progress? {
        var day = ColmiDay()
        return packets.map { day.add($0) }.last
    }
}
