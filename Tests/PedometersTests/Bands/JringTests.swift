import Foundation
import SimulatedBlueZ
import StepDomain
import Synchronization
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct JringTests {
    @Test func `minutes of all days are read, today first`() throws {
        let memory = BandFixture.memory(days: 4)
        let ring = SimulatedSerialBand.jring(memory, days: 4)
        let outcome = try BandFixture.play(Jring.self, ring)
        #expect(outcome.steps == memory.steps && memory.steps > 0)
        #expect(outcome.samples.allSatisfy { $0.length == 60 && $0.steps <= 255 })
        // After three silent days, each requested once, no older one is requested.
        #expect(Self.requests(ring) == [0, 1, 2, 3, 4, 5, 6])
        #expect(outcome.covers(LocalTime.zone(BandFixture.zone).span(of: BandFixture.today.advanced(by: -1))))
        #expect(ring.written.last == Jring.packet(0x01, .little(BandFixture.now.seconds + 12 + 7_200, 4)))
        #expect(outcome.doubts.isEmpty)
        // Whether the ring has no older days, or was silent by chance, shows when they are requested once more.
        #expect(
            outcome.cursor?.readThrough == BandFixture.now && outcome.cursor?.missing?.count == 3
                && outcome.cursor?.reportedGaps == [])
        let twice = SimulatedSerialBand.jring(memory, days: 4)
        let second = try BandFixture.play(
            Jring.self, twice, cursor: outcome.cursor ?? PedometerCursor(), at: BandFixture.now + 60)
        #expect(Self.requests(twice) == [0, 4, 4, 5, 6])
        #expect(second.cursor == PedometerCursor(readThrough: BandFixture.now + 60))
        // The next sync requests today only.
        let again = SimulatedSerialBand.jring(memory, days: 4)
        _ = try BandFixture.play(
            Jring.self, again, cursor: second.cursor ?? PedometerCursor(), at: BandFixture.now + 120)
        #expect(again.written.filter { $0[0] == 0x10 }.map { Int($0[1]) } == [0])
    }

    /// Refuses a day with `90`.
    private static func refusing(_ daysAgo: Int) -> [UInt8] { Jring.packet(0x90, [UInt8(daysAgo)]) }

    /// The day of a packet, days before today.
    private static func daysAgo(_ packet: [UInt8]) -> Int? {
        packet[0] == 0x10 ? packet.little(1, 4).map { BandFixture.today.daysSince1970 - $0 / 86_400 } : nil
    }

    /// The days that were requested.
    private static func requests(_ ring: SimulatedSerialBand) -> [Int] {
        ring.written.filter { $0[0] == 0x10 }.map { Int($0[1]) }
    }

    @Test(arguments: [1, 3, 9])
    func `an unanswered day is requested again and reported, and later days are stored`(silent: Int) throws {
        let memory = BandFixture.memory(days: 10)
        let read = PedometerCursor(readThrough: BandFixture.now - 9 * 86_400)
        let ring = SimulatedSerialBand.jring(memory, days: 10)
        let outcome = try BandFixture.play(Jring.self, ring, cursor: read) {
            $0[0] == 0x11 || Self.daysAgo($0) == silent ? nil : $0
        }
        let day = BandFixture.today.advanced(by: -silent)
        #expect(Self.requests(ring).count { $0 == silent } == 2)
        let missing = PedometerCursor(readThrough: BandFixture.now, missing: [DayGap(day, .unanswered)])
        #expect(outcome.error == nil && outcome.cursor == missing)
        // When it answers, nothing is missing.
        let again = SimulatedSerialBand.jring(memory, days: 10)
        let next = try BandFixture.play(Jring.self, again, cursor: missing, at: BandFixture.now + 60)
        #expect(Self.requests(again) == [0, silent])
        #expect(next.samples.contains { $0.day == day })
        #expect(next.cursor == PedometerCursor(readThrough: BandFixture.now + 60))
    }

    /// A day without steps and sleep is silent, as one is that was not received.
    @Test(arguments: [true, false])
    func `a day for which the ring is silent in two syncs is unknown, and not requested again`(isNew: Bool) throws {
        let memory = BandFixture.memory(days: 4)
        let day = BandFixture.today.advanced(by: -2)
        var cursor = isNew ? PedometerCursor() : PedometerCursor(readThrough: BandFixture.now - 3 * 86_400)
        var (requests, coverage) = ([[Int]](), [TimeSpan]())
        for sync in 0..<3 {
            let ring = SimulatedSerialBand.jring(memory, days: 4)
            let outcome = try BandFixture.play(Jring.self, ring, cursor: cursor, at: BandFixture.now + 20 * sync) {
                Self.daysAgo($0) == 2 || $0[0] == 0x11 ? nil : $0
            }
            cursor = try #require(outcome.cursor)
            requests.append(Self.requests(ring))
            coverage += outcome.coverage
            // Of a ring that was never read, it may be older than what it holds.
            #expect(cursor.reportedGaps == (sync == 0 && !isNew ? [DayGap(day, .unanswered)] : []))
        }
        #expect(
            requests
                == (isNew
                    ? [[0, 1, 2, 3, 4, 5, 6], [0, 2, 2, 4, 5], [0]] : [[0, 1, 2, 2, 3], [0, 2, 2], [0]]))
        #expect(cursor == PedometerCursor(readThrough: BandFixture.now + 40))
        let span = LocalTime.zone(BandFixture.zone).span(of: day)
        #expect(!coverage.contains { $0.overlaps(span) })
    }

    /// The ring sends the total, then 96 packets for each day, today first.
    @Test(arguments: [20, 60, 90, 110, 150, 200, 300])
    func `data received before a lost link are stored, and the next sync requests the rest`(packets: Int) throws {
        let memory = BandFixture.memory(days: 5)
        let read = PedometerCursor(readThrough: BandFixture.now - 4 * 86_400)
        let first = try BandFixture.play(
            Jring.self, .jring(memory, days: 5, isSparse: false), cursor: read, linkEndsAfter: packets)
        #expect(first.wasCut && first.steps < memory.steps)
        #expect(first.samples.isEmpty == (packets < 90), "today is compared with the total up to the present time")
        let cursor = first.cursor ?? read
        let second = try BandFixture.play(
            Jring.self, .jring(memory, days: 5, isSparse: false), cursor: cursor, at: BandFixture.now + 60)
        #expect(second.error == nil && second.cursor?.missing == nil)
        let slots = first.slots.merging(second.slots, uniquingKeysWith: max)
        #expect(slots.values.reduce(0, +) == memory.steps)
        // Each attempt comes further.
        if packets >= 90 { #expect(cursor.missing?.isEmpty == false && cursor.readThrough == BandFixture.now) }
    }

    /// Each link carries the total, today, three days and the beginning of another one.
    @Test func `the first reading continues over links that always end at the same place`() throws {
        let memory = BandFixture.memory(days: 28)
        var (cursor, slots, isCut, syncs) = (PedometerCursor(), [Timestamp: Int](), true, 0)
        while isCut, syncs < 20 {
            let outcome = try BandFixture.play(
                Jring.self, .jring(memory, days: 28, isSparse: false), cursor: cursor, at: BandFixture.now + 10 * syncs,
                linkEndsAfter: 400)
            cursor = outcome.cursor ?? cursor
            slots.merge(outcome.slots, uniquingKeysWith: max)
            (isCut, syncs) = (outcome.wasCut, syncs + 1)
            // Days that were not requested yet are not reported.
            #expect(cursor.reportedGaps.allSatisfy { $0.reason == .incomplete })
        }
        // The days of which only the beginning came in were requested again at the end.
        #expect(syncs == 9 && slots.values.reduce(0, +) == memory.steps)
        #expect(cursor == PedometerCursor(readThrough: BandFixture.now + 80))
    }

    @Test func `of a ring that was never read, today counts if the link is lost after the present time was received`()
        throws
    {
        let memory = BandFixture.memory(days: 3)
        // Were its minutes as many as its total, it would have ended.
        let ring = SimulatedSerialBand.jring(memory, days: 3, total: memory.stepsToday + 10, isSparse: false)
        let outcome = try BandFixture.play(Jring.self, ring, linkEndsAfter: 90)
        #expect(outcome.wasCut && outcome.steps == memory.stepsToday)
        #expect(outcome.cursor?.readThrough == BandFixture.now && outcome.cursor?.reportedGaps == [])
        // A part that does not agree with the total is no reason for a report: all of it is requested again.
        let wrong = SimulatedSerialBand.jring(memory, days: 3, total: memory.stepsToday / 2, isSparse: false)
        let doubtful = try BandFixture.play(Jring.self, wrong, linkEndsAfter: 90)
        #expect(doubtful.wasCut && doubtful.samples.isEmpty && doubtful.cursor == nil && doubtful.doubts.isEmpty)
    }

    /// From 23:58 on, a packet each second.
    @Test func `if midnight passes during a reading, each day is requested once`() throws {
        let start = LocalTime.zone(BandFixture.zone).moment(BandFixture.today, seconds: 86_400 - 120)
        let sent = Mutex(0)
        let memory = BandMemory(days: 8, zone: BandFixture.zone) {
            Date(timeIntervalSince1970: TimeInterval(start.seconds + sent.withLock { $0 }))
        }
        let ring = SimulatedSerialBand.jring(memory, days: 28, isSparse: false)
        let read = PedometerCursor(readThrough: start - 4 * 86_400)
        let outcome = try BandFixture.play(Jring.self, ring, cursor: read, at: start, secondsPerValue: 1) { packet in
            sent.withLock { $0 += 1 }
            return packet
        }
        // After midnight, a day is one day further back.
        #expect(Self.requests(ring) == [0, 1, 3, 4, 5])
        let days = (0...4).map { memory.steps(ofDay: BandFixture.today.daysSince1970 - $0) }
        #expect(outcome.steps == days.reduce(0, +) && outcome.error == nil && outcome.notices.isEmpty)
        #expect(outcome.cursor == PedometerCursor(readThrough: start + 1))
    }

    /// Its clock is 90 s ahead, which is not noticed: a minute before midnight it counts days from tomorrow.
    @Test(arguments: [true, false])
    func `a day for which the ring sends the one after it is requested again`(isSparse: Bool) throws {
        let now = LocalTime.zone(BandFixture.zone).moment(BandFixture.today, seconds: 86_400 - 60)
        let memory = BandMemory(days: 8, zone: BandFixture.zone) {
            Date(timeIntervalSince1970: TimeInterval(now.seconds + 90))
        }
        let yesterday = BandFixture.today.advanced(by: -1)
        let read = PedometerCursor(readThrough: now - 36 * 3_600)
        let outcome = try BandFixture.play(
            Jring.self, .jring(memory, days: 28, isSparse: isSparse), cursor: read, at: now)
        #expect(outcome.cursor?.missing?.map(\.day).contains(yesterday) == true)
        #expect(!outcome.covers(LocalTime.zone(BandFixture.zone).span(of: yesterday)))
    }

    @Test func `if all older days are unanswered, the next sync requests them again`() throws {
        let memory = BandFixture.memory(days: 10)
        let read = PedometerCursor(readThrough: BandFixture.now - 9 * 86_400)
        let outcome = try BandFixture.play(Jring.self, .jring(memory, days: 10), cursor: read) {
            $0[0] == 0x11 || (Self.daysAgo($0) ?? 0) > 0 ? nil : $0
        }
        #expect(outcome.cursor?.readThrough == BandFixture.now && outcome.cursor?.reportedGaps.count == 9)
        let next = try BandFixture.play(
            Jring.self, .jring(memory, days: 10), cursor: outcome.cursor ?? read, at: BandFixture.now + 60)
        #expect(next.steps == memory.steps && next.cursor == PedometerCursor(readThrough: BandFixture.now + 60))
    }

    @Test func `a missing day that a sync of few days does not request stays missing`() throws {
        let memory = BandFixture.memory(days: 10)
        let missing = [DayGap(BandFixture.today.advanced(by: -5), .incomplete)]
        let ring = SimulatedSerialBand.jring(memory, days: 10)
        let cursor = PedometerCursor(readThrough: BandFixture.now - 60, missing: missing)
        let outcome = try BandFixture.play(Jring.self, ring, cursor: cursor, days: 2)
        #expect(Self.requests(ring) == [0])
        #expect(outcome.cursor == PedometerCursor(readThrough: BandFixture.now, missing: missing))
    }

    @Test func `a day for which the ring reports no data is not missing`() throws {
        let memory = BandFixture.memory(days: 3)
        let read = PedometerCursor(readThrough: BandFixture.now - 2 * 86_400)
        let outcome = try BandFixture.play(Jring.self, .jring(memory, days: 3, isSparse: false), cursor: read) {
            packet in
            // The first packet of the day is the refusal.
            guard Self.daysAgo(packet) == 1 else { return packet }
            return packet.little(1, 4).map { $0 % 86_400 } == 0 ? Self.refusing(1) : nil
        }
        #expect(outcome.cursor == PedometerCursor(readThrough: BandFixture.now) && outcome.notices.isEmpty)
    }

    @Test func `packets of another day than was requested are not used`() throws {
        let memory = BandFixture.memory(days: 3)
        let old = BandFixture.today.daysSince1970 * 86_400 - 20 * 86_400
        let read = PedometerCursor(readThrough: BandFixture.now - 86_400)
        let outcome = try BandFixture.play(Jring.self, .jring(memory, days: 3, isSparse: false), cursor: read) {
            packet in
            guard Self.daysAgo(packet) == 1, packet.little(1, 4).map({ $0 % 86_400 < 3_600 }) == true else {
                return packet
            }
            let time = [UInt8].little(old + (packet.little(1, 4) ?? 0) % 86_400, 4)
            return [0x10] + time + Array(packet[5...])
        }
        #expect(outcome.coverage.allSatisfy { $0.start >= BandFixture.now - 3 * 86_400 })
        #expect(outcome.cursor?.reportedGaps == [DayGap(BandFixture.today.advanced(by: -1), .incomplete)])
    }

    @Test func `minutes of a clock in another zone belong to the day on which the steps were made`() throws {
        // The ring shows 14:40, and is an hour behind.
        let midnight = LocalTime.zone(BandFixture.zone).moment(BandFixture.today)
        let shown = BandFixture.today.daysSince1970 * 86_400 - 3_600
        let memory = BandMemory(quarters: [shown: 150]) {
            WallClock(year: 2026, month: 5, day: 20, hour: 14, minute: 40)
        }
        let outcome = try BandFixture.play(Jring.self, .jring(memory, days: 2))
        #expect(outcome.notices.contains(.clockWasOff(seconds: -3_600)))
        #expect(
            outcome.steps == 150 && outcome.samples.allSatisfy { $0.day == BandFixture.today && $0.start >= midnight })
        #expect(outcome.coverage.allSatisfy { $0.end <= BandFixture.now } && outcome.cursor?.tail != nil)
        // Set since two days by istep: it is not known when another program changed it.
        let settings = ClockState(settings: [.init(at: BandFixture.now - 2 * 86_400, utcOffset: 7_200)])
        let changed = try BandFixture.play(Jring.self, .jring(memory, days: 2), clock: settings)
        #expect(changed.samples.isEmpty && changed.cursor?.tail == nil)
    }

    /// A second between two packets: those of a night take longer than any wait for the next packet with steps.
    @Test func `an answer ends when nothing more arrives, and no request cuts it off`() throws {
        let memory = BandFixture.memory(days: 4)
        let read = PedometerCursor(readThrough: BandFixture.now - 3 * 86_400)
        let ring = SimulatedSerialBand.jring(memory, days: 4)
        let outcome = try BandFixture.play(Jring.self, ring, cursor: read, secondsPerValue: 1)
        #expect(outcome.steps == memory.steps && outcome.notices.isEmpty && outcome.error == nil)
        #expect(Self.requests(ring) == [0, 1, 2, 3])
        #expect(outcome.cursor == PedometerCursor(readThrough: BandFixture.now + 1))
        for daysAgo in 1...3 {
            #expect(outcome.covers(LocalTime.zone(BandFixture.zone).span(of: BandFixture.today.advanced(by: -daysAgo))))
        }
        // Today's minutes are as many as its total: nothing more can arrive. The other days end by two seconds of
        // silence, and their link is kept.
        #expect(outcome.waited == 6 && ring.written.contains(Jring.keepAlive))
    }

    /// A packet with steps in all minutes, 10 minutes after its beginning.
    @Test func `minutes that have not come are left to the next reading, and are no fault of the clock`() throws {
        let start = BandFixture.today.daysSince1970 * 86_400 + 15 * 3_600 + 1_800
        let packet = Jring.packet(0x10, .little(start, 4) + [UInt8](repeating: 10, count: 15))
        let memory = BandMemory(quarters: [start: 150]) { WallClock(seconds: BandFixture.now.seconds + 7_200) }
        let read = PedometerCursor(readThrough: BandFixture.now - 3_600)
        let outcome = try BandFixture.play(Jring.self, .jring(memory, days: 1), cursor: read) {
            $0[0] == 0x10 ? packet : $0
        }
        #expect(
            outcome.steps == 130 && outcome.notices.isEmpty
                && outcome.cursor == PedometerCursor(readThrough: BandFixture.now))
        #expect(outcome.coverage.last?.end == BandFixture.now)
    }

    @Test func `a day with sleep only has no steps`() throws {
        let memory = BandMemory(quarters: [BandFixture.today.daysSince1970 * 86_400 + 9 * 3_600: 150]) {
            WallClock(seconds: BandFixture.now.seconds + 7_200)
        }
        let read = PedometerCursor(readThrough: BandFixture.now - 86_400)
        let outcome = try BandFixture.play(Jring.self, .jring(memory, days: 2), cursor: read)
        #expect(outcome.steps == 150 && outcome.cursor == PedometerCursor(readThrough: BandFixture.now))
        #expect(outcome.covers(LocalTime.zone(BandFixture.zone).span(of: BandFixture.today.advanced(by: -1))))
    }

    /// The rest of the answer for yesterday arrives after the request for the day before it.
    @Test func `a day whose answer went on after it was taken to have ended is requested again`() throws {
        let memory = BandFixture.memory(days: 3)
        let read = PedometerCursor(readThrough: BandFixture.now - 2 * 86_400)
        let rest = Mutex<[UInt8]?>(nil)
        let outcome = try BandFixture.play(Jring.self, .jring(memory, days: 3), cursor: read) { packet in
            guard packet[0] == 0x10 else { return packet }
            return rest.withLock { rest in
                if Self.daysAgo(packet) == 1 {
                    defer { rest = packet }
                    return rest == nil ? packet : nil
                }
                defer { if Self.daysAgo(packet) == 2 { rest = nil } }
                return Self.daysAgo(packet) == 2 && rest != nil ? rest : packet
            }
        }
        #expect(outcome.cursor?.missing == [DayGap(BandFixture.today.advanced(by: -1), .incomplete)])
    }

    @Test func `steps of the present quarter of an hour are not missing if the ring has sent nothing of today yet`()
        throws
    {
        let midnight = LocalTime.zone(BandFixture.zone).moment(BandFixture.today)
        func play(_ total: Int) throws -> SessionPlayer.Outcome {
            let memory = BandFixture.memory(days: 1, at: midnight + 600)
            let read = PedometerCursor(readThrough: midnight)
            return try BandFixture.play(
                Jring.self, .jring(memory, days: 1, total: total), cursor: read, at: midnight + 600)
        }
        let few = try play(200)
        #expect(few.notices.isEmpty && few.coverage.isEmpty && few.cursor?.missing == nil && few.error == nil)
        #expect(try play(2_000).cursor?.missing == [DayGap(BandFixture.today, .unanswered)])
        #expect(try play(9_000).doubts == [.totals(0, 9_000)])
        let none = try play(0)
        #expect(none.coverage == [TimeSpan(midnight, midnight + 600)] && none.notices.isEmpty)
    }

    @Test func `only a ring that answers nothing without the name of an app is sent one`() throws {
        let memory = BandFixture.memory(days: 1)
        let ring = SimulatedSerialBand.jring(memory, days: 1, isMute: true)
        let outcome = try BandFixture.play(Jring.self, ring)
        #expect(outcome.steps == memory.steps && ring.written.contains(Jring.packet(0x48, Array("istep".utf8))))
        // One that answers is not.
        let open = SimulatedSerialBand.jring(memory, days: 1)
        _ = try BandFixture.play(Jring.self, open)
        #expect(!open.written.contains { $0[0] == 0x48 })
    }

    @Test(arguments: [2, 50]) func `minutes that do not agree with the total are in doubt`(factor: Int) throws {
        let memory = BandFixture.memory(days: 3)
        let total = factor == 2 ? memory.stepsToday / 2 : memory.stepsToday + 50_000
        let ring = SimulatedSerialBand.jring(memory, days: 3, total: total)
        let outcome = try BandFixture.play(Jring.self, ring)
        #expect(outcome.samples.isEmpty && outcome.coverage.isEmpty && outcome.cursor == nil && outcome.error == nil)
        #expect(outcome.doubts == [.totals(memory.stepsToday, total)])
        #expect(ring.written.filter { $0[0] == 0x10 }.count == 1)
    }

    @Test func `without a total nothing is counted`() throws {
        let outcome = try BandFixture.play(Jring.self, .jring(BandFixture.memory(days: 2), days: 2)) {
            $0[0] == 0x03 ? nil : $0
        }
        #expect(outcome.samples.isEmpty && outcome.doubts == [.unchecked])
    }

    @Test func `a clock that is off is reported`() throws {
        let outcome = try BandFixture.play(
            Jring.self, .jring(BandFixture.memory(days: 1, at: BandFixture.now - 7_200), days: 1))
        #expect(outcome.notices.contains(.clockWasOff(seconds: -7_200)))
    }

    @Test func `the steps of a ring that refuses today although it has a total are in doubt`() throws {
        let memory = BandFixture.memory(days: 2)
        let outcome = try BandFixture.play(Jring.self, .jring(memory, days: 2)) {
            $0[0] == 0x10 || $0[0] == 0x11 ? Jring.packet(0x90) : $0
        }
        #expect(outcome.samples.isEmpty && outcome.cursor == nil && outcome.doubts == [.totals(0, memory.stepsToday)])
    }

    @Test func `a ring whose clock was never set gives no steps, and its clock is set`() throws {
        let memory = BandMemory(quarters: [946_684_800 + 3_600: 300]) {
            WallClock(year: 2000, month: 1, day: 1, hour: 2)
        }
        let outcome = try BandFixture.play(Jring.self, .jring(memory, days: 1))
        #expect(outcome.samples.isEmpty && outcome.doubts == [.unchecked] && outcome.report?.clockSet != nil)
        #expect(
            outcome.notices.contains { if case .clockWasOff(let seconds?) = $0 { seconds < -86_400 } else { false } })
    }

    @Test func `the steps of a live packet are decoded`() {
        var live = JringLive()
        #expect(live.steps(after: Jring.packet(0x03, .little(1_779_282_000, 4) + .little(1_000, 4))) == 1_000)
        #expect(live.steps(after: Jring.packet(0x03, .little(0, 4) + .little(900_000, 4))) == nil)
        #expect(live.steps(after: [0x03, 1]) == nil && live.steps(after: Jring.packet(0x0b, [80])) == nil)
    }
}
