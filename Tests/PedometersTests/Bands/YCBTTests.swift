import SimulatedBlueZ
import StepDomain
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct YCBTTests {
    /// Frames that were captured: the clock being set (PulseLoop, YCBTProtocolTest) and a request for information (Gadgetbridge,
    /// YcbtInboundRouterTest).
    @Test(arguments: ["01000e00ea0707060c220e0026c7", "0200080047436fec"])
    func `captured frames have the checksum`(hex: String) throws {
        let frame = try #require(YCBTFrame(received: bytes(hex)))
        #expect(frame.bytes == bytes(hex))
        var wrong = bytes(hex)
        wrong[4] ^= 1
        #expect(YCBTFrame(received: wrong) == nil)
        #expect(YCBTFrame(received: Array(bytes(hex).dropLast())) == nil)
    }

    @Test func `frames are assembled from pieces, and noise is skipped`() {
        let (first, second) = (YCBTFrame(5, 0x11, Array(repeating: 7, count: 40)), YCBTFrame(5, 0x80, [1, 2]))
        var frames = YCBTFrames()
        let all = [0xff, 0x00, 0xff, 0xff, 0x7f] + first.bytes + second.bytes
        var found: [YCBTFrame?] = []
        for start in stride(from: 0, to: all.count, by: 20) { found += frames.add(Array(all[start..<min(start + 20, all.count)])) }
        #expect(found == [first, second])
    }

    @Test(arguments: [23, 53, 247])
    func `all records are read, then accepted, then the ring's clock is set`(mtu: UInt16) throws {
        let memory = BandFixture.memory(days: 4)
        let ring = SimulatedSerialBand.ycbt(memory, mtu: mtu)
        let outcome = try BandFixture.play(YCBT.self, ring)
        #expect(outcome.steps == memory.steps && memory.steps > 0)
        #expect(outcome.samples.allSatisfy { $0.length == 900 && $0.distance != nil && $0.energy != nil })
        #expect(outcome.report?.battery == 66 && outcome.report?.firmware == "1.07" && outcome.notices.isEmpty)
        #expect(ring.written.map { Array($0.prefix(2)) } == [[2, 0], [5, 2], [5, 0x80], [1, 0]])
        #expect(ring.written[3] == YCBTFrame(1, 0, bytes("ea07 05 14 0f 28 00 02")).bytes)
        #expect(outcome.cursor?.readThrough == BandFixture.now && outcome.report?.clockSet?.utcOffset == 7_200)
        #expect(outcome.covers(LocalTime.zone(BandFixture.zone).span(of: BandFixture.today.advanced(by: -1))))
    }

    /// The records of PulseLoop's YCBTHealthRecordsTest: 640 steps, 480 m and 25 kcal in 900 s; then none.
    @Test func `records from the tests of another client are decoded`() {
        var reading = YCBTReading(SessionContext(pedometer: .sample(YCBT.self), localTime: .fixed(0)))
        let now = Timestamp(836_694_044 + 946_684_800 + 86_400)
        _ = reading.next(at: now)
        _ = reading.next(at: now)
        reading.begin(at: now)
        let records = bytes("1cf0de31a0f3de318002e0011900 1afede319e01df31000000000000")
        let head = YCBTFrame(5, 2, bytes("0200 0100 0000 1c000000"))
        let tail = YCBTFrame(5, 0x80, bytes("0100 1c00") + .little(YCBTFrame.checksum(records), 2))
        #expect(reading.receive(head.bytes, at: now) == .more)
        #expect(reading.receive(YCBTFrame(5, 0x11, records).bytes, at: now) == .more)
        #expect(reading.receive(tail.bytes, at: now) == .done)
        let batch = reading.end(.complete, at: now)
        let sample = StepSample(
            start: Timestamp(1_783_378_844), length: 900, steps: 640, distance: 480, energy: 25, utcOffset: 0)
        #expect(batch?.samples == [sample])
    }

    /// The batch that these records give.
    private func read(_ records: [UInt8], at now: Timestamp) -> SampleBatch? {
        var reading = YCBTReading(SessionContext(pedometer: .sample(YCBT.self), localTime: .fixed(0)))
        _ = reading.next(at: now)
        _ = reading.next(at: now)
        reading.begin(at: now)
        let head = [UInt8].little(records.count / 14, 2) + .little(1, 2) + [0, 0] + .little(records.count, 4)
        let tail = [UInt8].little(1, 2) + .little(records.count, 2) + .little(YCBTFrame.checksum(records), 2)
        for frame in [YCBTFrame(5, 2, head), YCBTFrame(5, 0x11, records), YCBTFrame(5, 0x80, tail)] {
            _ = reading.receive(frame.bytes, at: now)
        }
        return reading.end(.complete, at: now)
    }

    private func record(_ start: Timestamp, _ length: Int, _ steps: Int) -> [UInt8] {
        .little(start.seconds - 946_684_800, 4) + .little(start.seconds + length - 946_684_800, 4) + .little(steps, 2) + .little(0, 4)
    }

    @Test func `a record from years ago does not extend the coverage back to its time`() throws {
        let now = BandFixture.now
        let old = bytes("00000000 3c000000 0500 0000 0000")
        let batch = try #require(read(old + record(now - 7_200, 900, 100), at: now))
        #expect(batch.samples.map(\.steps) == [100] && batch.notices == [.implausible(samples: 1)])
        #expect(batch.coverage == [TimeSpan(now - 7_200, now)] && batch.cursor?.readThrough == now)
        // What was recorded before a clock that was lost may be of any time.
        let after = try #require(read(record(now - 7_200, 900, 100) + old, at: now))
        #expect(after.coverage.isEmpty && after.samples.map(\.steps) == [100])
    }

    @Test func `overlapping records count once`() throws {
        let now = BandFixture.now
        let copies = (0..<50).flatMap { _ in record(now - 7_200, 900, 600) }
        #expect(try #require(read(copies, at: now)).samples.map(\.steps) == [600])
        let overlapping = try #require(
            read(record(now - 7_200, 900, 600) + record(now - 7_000, 900, 200) + record(now - 6_300, 900, 50), at: now))
        #expect(overlapping.samples.map(\.steps) == [600, 50] && overlapping.notices == [.implausible(samples: 1)])
        // The same beginning with more steps: the ring went on counting.
        let grown = try #require(read(record(now - 7_200, 600, 100) + record(now - 7_200, 900, 180), at: now))
        #expect(grown.samples.map(\.steps) == [180])
        let touching = try #require(read(record(now - 7_200, 901, 100) + record(now - 6_300, 900, 80), at: now))
        #expect(touching.samples.map(\.steps) == [100, 80])
    }

    /// The second packet is the head of the records. A frame has seven of them, in six packets.
    @Test(arguments: [2, 4, 12, 60])
    func `records that came in before the link was lost are stored, and all are requested the next time`(packets: Int) throws {
        let memory = BandFixture.memory(days: 4)
        let first = try BandFixture.play(YCBT.self, .ycbt(memory, mtu: 23), linkEndsAfter: packets)
        #expect(first.wasCut && first.cursor == nil && first.coverage.isEmpty && first.steps < memory.steps)
        #expect(first.samples.isEmpty == (packets <= 4))
        let second = try BandFixture.play(YCBT.self, .ycbt(memory, mtu: 23), at: BandFixture.now + 60)
        #expect(second.steps == memory.steps && Set(first.samples).isSubset(of: second.samples))
    }

    /// The next record would have shown which of two overlapping ones counts.
    @Test func `the last record before the link was lost is not stored, as the next one may overlap it`() {
        let now = BandFixture.now
        var reading = YCBTReading(SessionContext(pedometer: .sample(YCBT.self), localTime: .fixed(0)))
        _ = reading.next(at: now)
        _ = reading.next(at: now)
        reading.begin(at: now)
        _ = reading.receive(YCBTFrame(5, 2, bytes("0300 0100 0000 2a000000")).bytes, at: now)
        _ = reading.receive(YCBTFrame(5, 0x11, record(now - 9_000, 900, 40)).bytes, at: now)
        #expect(reading.linkLost(at: now) == nil)
        // It overlaps the first one, has more steps, and may be overlapped itself.
        _ = reading.receive(YCBTFrame(5, 0x11, record(now - 8_700, 900, 100)).bytes, at: now)
        #expect(reading.linkLost(at: now) == nil)
        _ = reading.receive(YCBTFrame(5, 0x11, record(now - 7_200, 900, 70)).bytes, at: now)
        #expect(reading.linkLost(at: now)?.samples.map(\.steps) == [100])
    }

    @Test func `a wrong checksum is requested again, and never stored`() throws {
        let memory = BandFixture.memory(days: 2)
        let broken = Counter()
        let ring = SimulatedSerialBand.ycbt(memory, mtu: 247)
        let outcome = try BandFixture.play(YCBT.self, ring) { packet in
            guard packet[1] == 0x11, broken.next() == 1 else { return packet }
            return Array(packet.dropLast()) + [packet[packet.count - 1] ^ 1]
        }
        #expect(outcome.steps == memory.steps && ring.written.filter { $0[0] == 5 && $0[1] == 2 }.count == 2)
        let never = try BandFixture.play(YCBT.self, .ycbt(memory, mtu: 247)) { $0[1] == 0x11 ? nil : $0 }
        #expect(never.samples.isEmpty && never.error != nil)
        #expect(!never.written.contains { $0.starts(with: [5, 0x80]) })
    }

    @Test func `a refusal is reported`() throws {
        let outcome = try BandFixture.play(YCBT.self, .ycbt(BandFixture.memory(days: 1), mtu: 247)) { packet in
            packet[0] == 5 && packet[1] == 2 ? YCBTFrame(5, 2, [0xfc]).bytes : packet
        }
        #expect(outcome.error == .refused("the request for its steps"))
    }

    @Test func `a ring without records is read`() throws {
        let ring = SimulatedSerialBand.ycbt(BandFixture.memory(days: 1), mtu: 247)
        let outcome = try BandFixture.play(YCBT.self, ring) { packet in
            packet[0] != 5 ? packet : packet[1] == 2 ? YCBTFrame(5, 2, [0]).bytes : nil
        }
        #expect(outcome.steps == 0 && outcome.error == nil && outcome.cursor == nil)
        #expect(!ring.written.contains { $0.starts(with: [5, 0x80]) })
    }
}
