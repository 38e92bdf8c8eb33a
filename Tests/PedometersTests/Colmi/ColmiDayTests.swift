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
        #expect(
            day.slots == [ColmiDay.Record(wall: midnight + 23 * 3600, slot: 92, steps: 21, energy: 1.21, metres: 16)])
    }

    /// An answer in a log of tahnok/colmi_r02_client, issue 27: a ring that counts by the hour.
    @Test func `a captured day of seven hours is decoded`() throws {
        let captured = [
            "43 F0 07 01 00 00 00 00 00 00 00 00 00 00 00 3B", "43 24 11 05 24 00 07 A5 05 28 01 CE 00 00 00 49",
            "43 24 11 05 28 01 07 FD 01 6F 00 49 00 00 00 63", "43 24 11 05 30 02 07 AF 00 25 00 19 00 00 00 A3",
            "43 24 11 05 34 03 07 1C 13 B0 03 BB 02 00 00 5A", "43 24 11 05 38 04 07 F0 01 7E 00 47 00 00 00 76",
            "43 24 11 05 3C 05 07 6C 06 84 01 EB 00 00 00 A7", "43 24 11 05 40 06 07 E4 03 E1 00 8E 00 00 00 20",
        ]
        var day = ColmiDay()
        #expect(try captured.map { day.add(try packet(hex($0))) } == Array(repeating: .more, count: 7) + [.complete])
        #expect(day.date == Day("2024-11-05")?.daysSince1970 && day.slotLength == 3600)
        #expect(day.slots.map(\.slot) == [36, 40, 48, 52, 56, 60, 64])
        #expect(day.slots.map(\.steps) == [296, 111, 37, 944, 126, 388, 225])
        #expect(day.slots.map(\.metres) == [206, 73, 25, 699, 71, 235, 142])
        #expect(day.slots.map(\.energy) == [14.45, 5.09, 1.75, 48.92, 4.96, 16.44, 9.96])
    }

    /// The header of another day in the same log.
    @Test func `a captured header announces ten records`() throws {
        var day = ColmiDay()
        #expect(day.add(try packet(hex("43 F0 0A 01 00 00 00 00 00 00 00 00 00 00 00 3E"))) == .more)
        let progress = (0..<10).map { day.add(slot(36 + 4 * $0, $0, of: 10)) }
        #expect(progress == Array(repeating: .more, count: 9) + [.complete])
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
        for packet in [ColmiPacket(0x43, [0xf0, 2, 1]), slot(40, 0, of: 2), ColmiPacket(0x43, [0xf0, 1, 1])] {
            _ = day.add(packet)
        }
        #expect(day.slots.isEmpty)
        #expect(day.add(slot(8, 0, of: 1)) == .complete)
    }

    @Test(
        arguments: [
            [0x24, 0x13, 0x15, 0x5c], [0x24, 0x02, 0x30, 0x5c], [0x24, 0x10, 0x15, 0x60], [0x2a, 0x10, 0x15, 0x5c],
        ] as [[UInt8]])
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
