import Foundation
import Synchronization
import Testing

@testable import SimulatedBlueZ

@Suite(.timeLimit(.minutes(5))) struct SimulatedColmiTests {
    /// Friday, 2026-11-20, 13:37:30 UTC.
    static let now = Date(timeIntervalSince1970: 1_795_181_850)

    private func ring(
        calories: SimulatedColmi.CalorieProtocol = .tens, granularity: SimulatedColmi.Granularity = .quarterHours,
        clock: SimulatedColmi.ClockSetting = .utc
    ) -> SimulatedColmi {
        SimulatedColmi(calories: calories, granularity: granularity, clock: clock, now: { Self.now })
    }

    /// Everything that the ring sends back for a packet.
    private func replies(_ ring: SimulatedColmi, to packet: [UInt8]) throws -> [[UInt8]] {
        let received = Mutex<[[UInt8]]>([])
        ring.linkOpened(
            PeripheralLink { event in
                guard case .notification(SimulatedColmi.replies, let value) = event else { return }
                received.withLock { $0.append(value) }
            })
        try ring.write(packet, to: SimulatedColmi.commands)
        return received.withLock { $0 }
    }

    private func steps(daysAgo: UInt8, from: UInt8 = 0, to: UInt8 = 95) -> [UInt8] {
        RingPacket.make(0x43, [daysAgo, 0x0f, from, to, 1])
    }

    @Test func `the ring sends all its records in valid packets`() throws {
        let ring = ring()
        for day in SimulatedColmi.daysKept {
            let packets = try replies(ring, to: steps(daysAgo: UInt8(day)))
            let records = packets.dropFirst()
            #expect(packets.allSatisfy(RingPacket.isValid))
            #expect(packets[0][1...3] == [0xf0, UInt8(records.count), 1])
            #expect(records.map { Int($0[9]) | Int($0[10]) << 8 } == ring.expectedSteps(daysAgo: day).map(\.steps))
            #expect(
                records.map { (Int($0[7]) | Int($0[8]) << 8) * 10 } == ring.expectedSteps(daysAgo: day).map(\.calories))
            #expect(records.map { Int($0[11]) | Int($0[12]) << 8 } == ring.expectedSteps(daysAgo: day).map(\.metres))
            #expect(records.map { Int($0[4]) } == ring.expectedSteps(daysAgo: day).map(\.index))
            #expect(records.last.map { $0[5] } == records.last.map { $0[6] - 1 })
        }
    }

    @Test func `steps stay in their slot when the clock is set back`() throws {
        let ring = SimulatedColmi(
            seed: nil, clock: .showing(WallClock(year: 2026, month: 11, day: 21, hour: 13)), now: { Self.now })
        ring.walk(700)
        #expect(try replies(ring, to: steps(daysAgo: 0)).count == 2)
        ring.setClock(.showing(WallClock(year: 2026, month: 11, day: 21, hour: 9)))
        let record = try #require(try replies(ring, to: steps(daysAgo: 0)).last)
        #expect(record[1...4] == [0x26, 0x11, 0x21, 52] && Int(record[9]) | Int(record[10]) << 8 == 700)
    }

    @Test func `a record contains its date`() throws {
        let record = try replies(ring(), to: steps(daysAgo: 1))[1]
        #expect(record[1...3] == [0x26, 0x11, 0x19])
    }

    @Test func `the ring has no data older than a week`() throws {
        #expect(try replies(ring(), to: steps(daysAgo: 8)) == [RingPacket.make(0x43, [0xff])])
    }

    @Test func `a day on which the ring was not worn has no data`() throws {
        let ring = ring()
        ring.behaviour.notWorn = [3]
        #expect(try replies(ring, to: steps(daysAgo: 3)) == [RingPacket.make(0x43, [0xff])])
        #expect(ring.expectedSteps(daysAgo: 3).isEmpty)
    }

    @Test func `only the requested slots are sent`() throws {
        let slots = try replies(ring(), to: steps(daysAgo: 1, from: 40, to: 60)).dropFirst().map { $0[4] }
        #expect(!slots.isEmpty)
        #expect(slots.allSatisfy { (40...60).contains($0) })
    }

    @Test func `the data of today ends at the current time`() throws {
        let ring = ring()
        let today = ring.expectedSteps(daysAgo: 0)
        #expect(today.allSatisfy { $0.start < ring.clock })
        #expect(ring.expectedSteps(daysAgo: 1).contains { $0.index > 13 * 4 + 2 })
    }

    @Test func `a command sets the clock of the ring`() throws {
        let ring = ring()
        #expect(ring.clock == WallClock(year: 2026, month: 11, day: 20, hour: 13, minute: 37, second: 30))
        let answer = try replies(ring, to: RingPacket.make(0x01, [0x26, 0x11, 0x21, 0x08, 0x05, 0x09, 1]))
        #expect(answer.map { $0[0] } == [0x01])
        #expect(ring.clock == WallClock(year: 2026, month: 11, day: 21, hour: 8, minute: 5, second: 9))
        // What was today is yesterday now.
        #expect(ring.expectedSteps(daysAgo: 1).first?.start.day == 20)
    }

    @Test func `an invalid time is rejected`() throws {
        let ring = ring()
        for wrong: [UInt8] in [[0x26, 0x13, 1, 0, 0, 0], [0x26, 0x11, 0x1a, 0, 0, 0], [0x26, 0x11, 1, 0x24, 0, 0]] {
            #expect(try replies(ring, to: RingPacket.make(0x01, wrong)).map { $0[0] } == [0x81])
        }
        #expect(ring.clock.hour == 13)
    }

    @Test func `an unknown command is answered with an error`() throws {
        #expect(try replies(ring(), to: RingPacket.make(0x60)).map { $0[0] } == [0xe0])
    }

    @Test func `a packet with a bad checksum or length is ignored`() throws {
        var packet = steps(daysAgo: 0)
        packet[15] ^= 1
        #expect(try replies(ring(), to: packet).isEmpty)
        #expect(try replies(ring(), to: [3]).isEmpty)
    }

    @Test func `the ring reports its battery level`() throws {
        #expect(try replies(ring(), to: RingPacket.make(0x03)) == [RingPacket.make(0x03, [76, 0])])
    }

    @Test func `live steps are sent between the records`() throws {
        let ring = ring()
        ring.behaviour.sendsUnrequestedData = true
        let packets = try replies(ring, to: steps(daysAgo: 1))
        let live = packets.filter { $0[0...1] == [0x73, 0x12] }
        #expect(live.count == packets.count / 2)
        let today = ring.expectedSteps(daysAgo: 0).map(\.steps).reduce(0, +)
        #expect(live.allSatisfy { Int($0[2]) << 16 | Int($0[3]) << 8 | Int($0[4]) == today })
    }

    @Test func `the ring can omit a record, refuse or ignore a command`() throws {
        let ring = ring()
        let whole = try replies(ring, to: steps(daysAgo: 1))
        ring.behaviour.omitsLastRecord = true
        #expect(try replies(ring, to: steps(daysAgo: 1)) == whole.dropLast())
        ring.behaviour.refuses = [0x43]
        #expect(try replies(ring, to: steps(daysAgo: 1)).map { $0[0] } == [0xc3])
        ring.behaviour.ignored = [0x43]
        #expect(try replies(ring, to: steps(daysAgo: 1)).isEmpty)
    }

    @Test func `older firmware reports steps per hour`() {
        let quarters = ring().expectedSteps(daysAgo: 2)
        let hours = ring(granularity: .hours).expectedSteps(daysAgo: 2)
        #expect(hours.allSatisfy { $0.index % 4 == 0 })
        #expect(hours.map(\.steps).reduce(0, +) == quarters.map(\.steps).reduce(0, +))
        #expect(Set(hours.map(\.start)).count == hours.count)
    }

    @Test func `added steps are stored in their slot`() {
        let ring = ring()
        let before = ring.expectedSteps(daysAgo: 1).map(\.steps).reduce(0, +)
        ring.addSteps(500, at: WallClock(year: 2026, month: 11, day: 19, hour: 3, minute: 20))
        #expect(ring.expectedSteps(daysAgo: 1).map(\.steps).reduce(0, +) == before + 500)
        #expect(ring.expectedSteps(daysAgo: 1).first?.index == 13)
    }

    @Test func `steps and calories do not exceed the limits of a record`() {
        let ring = ring(calories: .single)
        ring.addSteps(70_000, at: WallClock(year: 2026, month: 11, day: 19, hour: 3))
        #expect(ring.expectedSteps(daysAgo: 1).allSatisfy { $0.steps <= 65_535 && $0.calories <= 65_535 })
    }
}
