import BlueZ
import SimulatedBlueZ
import StepDomain
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct YCBTTests {
    /// Frames that were captured: the clock being set (PulseLoop, YCBTProtocolTest) and a request for information
    /// (Gadgetbridge, YcbtInboundRouterTest).
    @Test(arguments: ["01000e00ea0707060c220e0026c7", "0200080047436fec", "020308004750ef20"])
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
        for start in stride(from: 0, to: all.count, by: 20) {
            found += frames.add(Array(all[start..<min(start + 20, all.count)]))
        }
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
        #expect(ring.written.map { Array($0.prefix(2)) } == [[2, 0], [3, 9], [5, 2], [5, 0x80], [1, 0]])
        #expect(ring.written[4] == YCBTFrame(1, 0, bytes("ea07 05 14 0f 28 00 02")).bytes)
        #expect(outcome.cursor?.readThrough == BandFixture.now && outcome.report?.clockSet?.utcOffset == 7_200)
        #expect(outcome.covers(LocalTime.zone(BandFixture.zone).span(of: BandFixture.today.advanced(by: -1))))
    }

    /// The records of PulseLoop's YCBTHealthRecordsTest: 640 steps, 480 m and 25 kcal in 900 s; then none.
    @Test func `records from the tests of another client are decoded`() {
        var reading = YCBTReading(SessionContext(pedometer: .sample(YCBT.self), localTime: .fixed(0)))
        let now = Timestamp(836_694_044 + 946_684_800 + 86_400)
        for _ in 0..<3 { _ = reading.next(at: now) }
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

    /// What a ring was reported to do: fewer packets are announced than are sent (PulseLoopAndroid, issue 69), or more
    /// (Gadgetbridge, YcbtHistoryTransferTest, whose record is one of the pulse; its checksum is that of the ring).
    @Test(arguments: [
        (
            "0200 0100 0000 1c000000", ["1cf0de31a0f3de318002e0011900", "1afede319e01df31000000000000"],
            "0200 1c00 7f8d", 640
        ),
        ("0100 1900 0000 0c000000", ["1cf0de310047", "1afede310042"], "0200 0c00 1a8b", 0),
    ])
    func `the announced number of packets is an estimate`(head: String, packets: [String], tail: String, steps: Int) {
        var reading = YCBTReading(SessionContext(pedometer: .sample(YCBT.self), localTime: .fixed(7_200)))
        let now = Timestamp(836_694_044 + 946_684_800 + 86_400)
        for _ in 0..<3 { _ = reading.next(at: now) }
        reading.begin(at: now)
        #expect(reading.receive(YCBTFrame(5, 2, bytes(head)).bytes, at: now) == .more)
        for packet in packets { #expect(reading.receive(YCBTFrame(5, 0x11, bytes(packet)).bytes, at: now) == .more) }
        #expect(reading.receive(YCBTFrame(5, 0x80, bytes(tail)).bytes, at: now) == .done)
        let batch = reading.end(.complete, at: now)
        #expect(batch?.samples.reduce(0) { $0 + $1.steps } == steps)
        let next = reading.next(at: now)
        #expect(next?.request == .write(bytes("0580070000f36a"), to: YCBT.requests))
    }

    /// Times of the hourly records that PulseLoop captured (YCBTHealthRecordsTest, `capturedAllRecords`): the count of
    /// 3,336 steps of the first was 0 in the second, after local midnight. So they are local times since 2000.
    @Test(arguments: [
        ("1cf0de31", "2026-07-06", 82_844), ("1afede31", "2026-07-07", 26), ("260cdf31", "2026-07-07", 3_622),
    ])
    func `times of the ring are local`(time: String, day: String, second: Int) throws {
        for offset in [0, 7_200, -18_000] {
            let local = LocalTime.fixed(offset)
            let start = local.moment(try #require(Day(day)), seconds: second)
            let seconds = try #require(bytes(time).little(0, 4))
            let batch = try #require(
                read(
                    bytes(time) + .little(seconds + 900, 4) + [100, 0, 0, 0, 0, 0], at: start + 3_600, localTime: local)
            )
            #expect(batch.samples.map(\.start) == [start] && batch.samples.map(\.day) == [Day(day)])
        }
    }

    /// The batch that these records give.
    private func read(_ records: [UInt8], at now: Timestamp, localTime: LocalTime = .fixed(0)) -> SampleBatch? {
        var reading = YCBTReading(SessionContext(pedometer: .sample(YCBT.self), localTime: localTime))
        for _ in 0..<3 { _ = reading.next(at: now) }
        reading.begin(at: now)
        let head = [UInt8].little(records.count / 14, 2) + .little(1, 2) + [0, 0] + .little(records.count, 4)
        let tail = [UInt8].little(1, 2) + .little(records.count, 2) + .little(YCBTFrame.checksum(records), 2)
        for frame in [YCBTFrame(5, 2, head), YCBTFrame(5, 0x11, records), YCBTFrame(5, 0x80, tail)] {
            _ = reading.receive(frame.bytes, at: now)
        }
        return reading.end(.complete, at: now)
    }

    private func record(_ start: Timestamp, _ length: Int, _ steps: Int) -> [UInt8] {
        .little(start.seconds - 946_684_800, 4) + .little(start.seconds + length - 946_684_800, 4) + .little(steps, 2)
            + .little(0, 4)
    }

    @Test func `a record from years ago does not extend the coverage back to its time`() throws {
        let now = BandFixture.now
        let old = bytes("00000000 3c000000 0500 0000 0000")
        let batch = try #require(read(old + record(now - 7_200, 900, 100), at: now))
        #expect(batch.samples.map(\.steps) == [100] && batch.notices == [.implausible(samples: 1)])
        #expect(batch.coverage == [TimeSpan(now - 7_200, now - 6_300)] && batch.cursor?.readThrough == now)
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
    func `records that came in before the link was lost are stored, and all are requested the next time`(packets: Int)
        throws
    {
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
        for _ in 0..<3 { _ = reading.next(at: now) }
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
        #expect(!never.written.contains(YCBTFrame(5, 0x80, [0]).bytes))
    }

    /// The last frame of the answer, changed once.
    @Test(arguments: [0, 2, 4]) func `an answer whose end does not agree is rejected, then requested again`(field: Int)
        throws
    {
        let memory = BandFixture.memory(days: 2)
        let ends = Counter()
        let ring = SimulatedSerialBand.ycbt(memory, mtu: 247)
        let outcome = try BandFixture.play(YCBT.self, ring) { packet in
            guard packet[0] == 5, packet[1] == 0x80, ends.next() == 1, let frame = YCBTFrame(received: packet) else {
                return packet
            }
            var data = frame.data
            data[field] &+= 1
            return YCBTFrame(5, 0x80, data).bytes
        }
        // The ring sends nothing again before it was told.
        let requests = ring.written.dropFirst(2).dropLast().map { Array($0.prefix(5)) }
        #expect(requests == [[5, 2, 6, 0, 0x43], [5, 0x80, 7, 0, 4], [5, 2, 6, 0, 0x43], [5, 0x80, 7, 0, 0]])
        #expect(ring.written.contains(bytes("0580070004772a")) && ring.written.contains(bytes("0580070000f36a")))
        #expect(outcome.steps == memory.steps && outcome.error == nil && outcome.notices.isEmpty)
    }

    @Test func `a refusal is reported`() throws {
        let outcome = try BandFixture.play(YCBT.self, .ycbt(BandFixture.memory(days: 1), mtu: 247)) { packet in
            packet[0] == 5 && packet[1] == 2 ? YCBTFrame(5, 2, [0xfc]).bytes : packet
        }
        #expect(outcome.error == .refused("the request for its steps"))
    }

    @Test(arguments: [[0], [0, 0], [UInt8](repeating: 0, count: 10)]) func `a ring without records is read`(
        data: [UInt8]
    ) throws {
        let ring = SimulatedSerialBand.ycbt(BandFixture.memory(days: 1), mtu: 247, sendsCount: false)
        let outcome = try BandFixture.play(YCBT.self, ring) { packet in
            packet[0] != 5 ? packet : packet[1] == 2 ? YCBTFrame(5, 2, data).bytes : nil
        }
        #expect(outcome.steps == 0 && outcome.error == nil && outcome.cursor == nil && outcome.notices.isEmpty)
        #expect(!ring.written.contains { $0.starts(with: [5, 0x80]) } && outcome.report?.clockSet != nil)
    }

    // MARK: A clock that has stopped (PulseLoopAndroid, issue 56)

    @Test func `a ring that counts and has no records is reported in each sync, and its clock is set`() throws {
        let memory = BandFixture.memory(days: 3)
        var cursor = PedometerCursor()
        for night in 0..<6 {
            let ring = SimulatedSerialBand.ycbt(memory, mtu: 247, hasStoppedClock: true)
            let outcome = try BandFixture.play(YCBT.self, ring, cursor: cursor, at: BandFixture.now + night * 86_400)
            #expect(
                outcome.doubts == [.unrecorded(memory.stepsToday)] && outcome.report?.clockSet != nil, "night \(night)")
            #expect(outcome.samples.isEmpty && outcome.coverage.isEmpty && outcome.error == nil)
            cursor = outcome.cursor ?? cursor
        }
        #expect(cursor.readThrough == nil && cursor.counter?.value == memory.stepsToday)
    }

    /// A record with steps of an hour, until the clock stops.
    @Test func `a clock that stops during a day is reported the next night, and the time since is not covered`() throws
    {
        let stop = BandFixture.today.daysSince1970 * 86_400 + 9 * 3_600
        func ring(_ counted: Int) -> SimulatedSerialBand {
            .ycbt(BandMemory(quarters: [stop - 900: 300]) { WallClock(seconds: stop) }, mtu: 247)
        }
        func play(_ counted: Int, cursor: PedometerCursor, at now: Timestamp) throws -> SessionPlayer.Outcome {
            try BandFixture.play(YCBT.self, ring(counted), cursor: cursor, at: now) { packet in
                packet[0] == 6 ? YCBTFrame(6, 0, .little(counted, 2) + [0, 0, 0, 0]).bytes : packet
            }
        }
        let first = try play(1_250, cursor: PedometerCursor(), at: BandFixture.now)
        // It may be in a record that has not ended.
        #expect(first.doubts.isEmpty && first.cursor?.counter?.value == 950 && first.steps == 300)
        let stopped = Timestamp(stop - 7_200)
        #expect(first.coverage.allSatisfy { $0.end <= stopped } && !first.coverage.isEmpty)
        let second = try play(1_400, cursor: try #require(first.cursor), at: BandFixture.now + 86_400)
        #expect(second.doubts == [.unrecorded(1_400)] && second.coverage.allSatisfy { $0.end <= stopped })
    }

    @Test func `a ring that records what it counts is not reported, and covers the time until now`() throws {
        let memory = BandFixture.memory(days: 3)
        let first = try BandFixture.play(YCBT.self, .ycbt(memory, mtu: 247))
        #expect(
            first.notices.isEmpty && first.coverage.last?.end == BandFixture.now && first.cursor?.counter?.value == 0)
        // Steps of a record that has not ended; then it has.
        let walking = try BandFixture.play(YCBT.self, .ycbt(memory, mtu: 247), cursor: try #require(first.cursor)) {
            packet in
            packet[0] == 6 ? YCBTFrame(6, 0, .little(memory.stepsToday * 3, 2) + [0, 0, 0, 0]).bytes : packet
        }
        #expect(walking.notices.isEmpty && walking.cursor?.counter?.value == memory.stepsToday * 2)
        let later = BandFixture.memory(days: 3, at: BandFixture.now + 86_400)
        let second = try BandFixture.play(
            YCBT.self, .ycbt(later, mtu: 247), cursor: try #require(walking.cursor), at: BandFixture.now + 86_400)
        #expect(second.notices.isEmpty && second.steps == later.steps)
    }

    // MARK: Recognition

    @Test(arguments: ["R10M 1A2B", "R99 54DC", "TK5 24AA", "R20 0F1E", "Ale-Hop2211 E1C7", "R10M"])
    func `a ring is recognised by its name`(name: String) {
        #expect(YCBT.evidence(in: Discovery(address: DeviceAddress("C0:DE:00:00:00:07")!, name: name)) == .name)
    }

    @Test(arguments: ["R10_1A2B", "R20_0F1E", "R990", "TK52"]) func `other names are not those of the rings`(
        name: String
    ) {
        #expect(YCBT.evidence(in: Discovery(address: DeviceAddress("C0:DE:00:00:00:07")!, name: name)) == nil)
    }

    /// Advertisements of an Ale-Hop2211 (PulseLoopAndroid, issue 56) and the beginning of that of a TK5 (PulseLoop).
    @Test func `a ring is recognised by its manufacturer data`() throws {
        let data = bytes("d408770058ddeb05e1c70000bf0c4362b6005c000058ddeb05e1c7")
        func evidence(_ address: String, _ services: [BluetoothUUID], _ data: [UInt8], company: UInt16 = 0x7810)
            -> KindEvidence?
        {
            YCBT.evidence(
                in: Discovery(address: DeviceAddress(address)!, services: services, manufacturerData: [company: data]))
        }
        #expect(evidence("58:DD:EB:05:E1:C7", [], data) == .advertisedData)
        #expect(evidence("C0:DE:00:00:00:07", ["180d", "fee7"], data) == .advertisedData)
        #expect(evidence("C0:DE:00:00:00:07", ["180d", "fee7"], bytes("6501")) == .advertisedData)
        #expect(
            evidence("C0:DE:00:00:00:07", ["180d"], data) == nil
                && evidence("58:DD:EB:05:E1:C7", [], data, company: 7) == nil)
    }
}
