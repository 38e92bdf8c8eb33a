import SimulatedBlueZ
import StepDomain
import Testing

@testable import Pedometers

/// Past days of a ring by its half hours, beside what its counter was read to have.
@Suite(.timeLimit(.minutes(5))) struct CRPHistoryTests {
    private func worn(_ make: @escaping (BandMemory) -> SimulatedSerialBand = { .crp($0) }) -> WornBand {
        WornBand(CRP.self, make)
    }

    private func requests(_ ring: WornBand) -> Int { ring.band.written.count { $0[4] == 2 } }

    @Test func `the first reading stores today's count and the half hours of seven days`() throws {
        let ring = worn()
        let outcome = try ring.sync(0, 15, 40)
        for day in -7 ... -1 {
            #expect(ring.steps(day) == ring.truth(day) && ring.truth(day) > 0 && ring.isComplete(day), "day \(day)")
        }
        #expect(ring.steps(0) == ring.memory.stepsToday && ring.steps(-8) == 0 && outcome.notices.isEmpty)
        #expect(outcome.samples.allSatisfy { $0.length == 1_800 || $0.day == BandFixture.today })
        // The same day once more: only today's count.
        let asked = requests(ring)
        #expect(try ring.sync(0, 18).notices.isEmpty && requests(ring) == asked)
    }

    @Test func `a day that was partly read gets the half hours after its last reading`() throws {
        let ring = worn()
        try ring.sync(0, 10)
        try ring.sync(0, 16, 10)
        try ring.sync(1, 9)
        #expect(ring.steps(0) == ring.truth(0) && ring.isComplete(0))
        #expect(ring.steps(1) == ring.memory.stepsToday)
        // From 16:10 on in half hours: the first of them is the rest of one.
        let after = ring.samples.filter { $0.start >= WornBand.moment(0, 16, 10) && $0.day == BandFixture.today }
        #expect(
            after.count > 2
                && after.allSatisfy {
                    $0.length == 1_800 || ($0.start == WornBand.moment(0, 16, 10) && $0.length == 1_200)
                })
        // Days without any reading between two.
        try ring.sync(4, 12)
        for day in 0...3 { #expect(ring.steps(day) == ring.truth(day) && ring.isComplete(day), "day \(day)") }
        #expect(ring.steps(4) == ring.memory.stepsToday)
    }

    /// A history of an earlier version has readings of the counter only, of days that the cursor does not name.
    @Test func `days that were read as a counter before are not stored again`() throws {
        let ring = worn { .crp($0, hasHistory: false) }
        for day in 0...2 { try ring.sync(day, 20) }
        let counter = try #require(ring.cursor.counter)
        let stored = try (0...2).map { try #require(ring.steps($0)) }
        let later = WornBand(CRP.self) { .crp($0) }
        later.cursor = PedometerCursor(readThrough: counter.at, counter: counter)
        later.clock = ring.clock
        try later.sync(4, 12)
        // The first two days stay as they are, the third gets what is missing, the fourth is new.
        #expect(later.steps(0) == 0 && later.steps(1) == 0)
        #expect(
            later.steps(2) == later.truth(2) - stored[2] && later.steps(3) == later.truth(3)
                && later.steps(4) == later.memory.stepsToday)
        #expect(later.samples.allSatisfy { $0.start >= counter.at })
    }

    @Test func `half hours that do not add up to the total of their day are in doubt, and not stored`() throws {
        let ring = worn { .crp($0, missing: 5) }
        let outcome = try ring.sync(0, 15)
        #expect(outcome.steps == ring.memory.stepsToday)
        #expect(outcome.doubts == [.totals(ring.truth(-7), ring.truth(-7) + 5)])
        #expect((-7 ... -1).allSatisfy { ring.steps($0) == 0 && !ring.isComplete($0) })
    }

    @Test func `half hours without a total are not stored`() throws {
        let ring = worn()
        let outcome = try ring.sync(0, 15) {
            $0.count > 6 && $0.starts(with: [0xfd, 0xda]) && $0[5] == 0x0d && $0[6] > 0 ? nil : $0
        }
        #expect(outcome.doubts == [.unchecked] && outcome.steps == ring.memory.stepsToday)
    }

    @Test func `a ring without a history is read as before, and asked once a day`() throws {
        let ring = worn { .crp($0, hasHistory: false) }
        let first = try ring.sync(0, 20)
        #expect(first.steps == ring.memory.stepsToday && first.notices.isEmpty && first.waited <= 4)
        let asked = requests(ring)
        try ring.sync(0, 21)
        #expect(requests(ring) == asked)
        #expect(try ring.sync(1, 10).notices == [.dayNotClosed(BandFixture.today)])
    }

    @Test func `a link that is lost during the history keeps today's count, and the days are requested again`() throws {
        let ring = worn()
        let cut = try ring.sync(0, 15, linkEndsAfter: 20)
        #expect(cut.wasCut && cut.steps == ring.memory.stepsToday)
        try ring.sync(0, 15, 1)
        for day in -7...0 { #expect(ring.steps(day) == ring.truth(day), "day \(day)") }
    }

    /// The ring's clock is two hours ahead: its half hours contain steps that the counter had before.
    @Test func `half hours that contradict the last reading of their day do not count twice`() throws {
        let ring = worn()
        try ring.sync(0, 16)
        let outcome = try ring.sync(1, 10) { frame in frame }
        #expect(outcome.notices.isEmpty)
        var days = CountedDays(
            SessionContext(pedometer: .sample(CRP.self), localTime: .zone(BandFixture.zone)),
            today: BandFixture.today.advanced(by: 1))
        let reading = CounterReading(at: WornBand.moment(0, 16), value: 4_000, utcOffset: 7_200)
        let stored = days.batch(of: reading)
        var context = SessionContext(
            pedometer: .sample(CRP.self, cursor: stored.cursor ?? PedometerCursor()), localTime: .zone(BandFixture.zone)
        )
        context.pedometer.cursor.pastDays = nil
        days = CountedDays(context, today: BandFixture.today.advanced(by: 1))
        var slots = [Int](repeating: 0, count: 48)
        (slots[20], slots[36]) = (1_000, 4_000)  // 3,000 of the 4,000 at 18:00 were counted at 16:00
        let now = CounterReading(at: WornBand.moment(1, 10), value: 100, utcOffset: 7_200)
        days.complete([.init(day: BandFixture.today, total: 5_000, slots: slots)], before: now, hasBegun: true)
        #expect(days.batch(of: now).samples.map(\.steps) == [1_000, 100])
    }

    /// Its clock was never set, and still shows the time of the place before.
    @Test func `after a journey past days are not completed`() throws {
        let ring = worn()
        try ring.sync(0, 23, 50)
        #expect(ring.clock.settings.isEmpty)
        let counter = try #require(ring.cursor.counter)
        ring.cursor.counter = CounterReading(
            at: counter.at, value: counter.value, utcOffset: counter.utcOffset - 36_000)
        let (before, asked) = (ring.samples.count, requests(ring))
        let outcome = try ring.sync(1, 10)
        #expect(
            ring.samples[before...].allSatisfy { $0.day == BandFixture.today.advanced(by: 1) } && outcome.error == nil)
        #expect(requests(ring) == asked && asked > 0)
    }

    // MARK: Today

    @Test func `a ring whose wearer sits still is read`() throws {
        let ring = worn()
        let outcome = try ring.sync(0, 15)
        #expect(outcome.error == nil && outcome.waited == 0 && outcome.cursor?.counter?.value == ring.memory.stepsToday)
    }

    /// The readable value may be as old as the last notification.
    @Test func `a read value that is lower than before waits for a notification`() throws {
        let last = CounterReading(at: BandFixture.now - 600, value: 5_000, utcOffset: 7_200)
        let context = SessionContext(
            pedometer: .sample(CRP.self, cursor: PedometerCursor(readThrough: last.at, counter: last)),
            localTime: .zone(BandFixture.zone))
        var player = SessionPlayer(read: { _ in bytes("000000 000000 000000") })
        #expect(
            player.play(CRPSession(context, setsClock: true), at: BandFixture.now).error == .sentNoSteps(seconds: 20))
        player.subscribe = { _ in [bytes("9c1300 ac0d00 c80000")] }
        let outcome = player.play(CRPSession(context, setsClock: true), at: BandFixture.now)
        #expect(outcome.steps == 20 && outcome.cursor?.counter?.value == 5_020)
    }

    /// All later readings of the day failed, and its steps were lost.
    @Test func `a ring that has restarted is recognised by its own total of today`() {
        let last = CounterReading(at: BandFixture.now - 600, value: 5_000, utcOffset: 7_200)
        let context = SessionContext(
            pedometer: .sample(CRP.self, cursor: PedometerCursor(readThrough: last.at, counter: last)),
            localTime: .zone(BandFixture.zone))
        func outcome(total: String) -> SessionPlayer.Outcome {
            let player = SessionPlayer(
                read: { _ in bytes("280000 200000 020000") },
                write: { request, _ in
                    request == CRPHistory.request(0x0d, 0) ? [bytes("fdda100b 020d 00" + total)] : []
                })
            return player.play(CRPSession(context, setsClock: true), at: BandFixture.now)
        }
        let restarted = outcome(total: "28000000")
        #expect(restarted.error == nil && restarted.steps == 40 && restarted.notices.contains(.counterRestarted))
        #expect(outcome(total: "9c130000").error == .sentNoSteps(seconds: 20))
    }

    /// They counted on both days.
    @Test func `a read value that is still yesterday's is not today's`() throws {
        let ring = worn()
        try ring.sync(0, 18)
        let stale = try #require(ring.cursor.counter).value
        let outcome = try ring.sync(1, 10) { frame in
            frame.count == 9 ? [UInt8].little(stale, 3) + frame.dropFirst(3) : frame
        }
        #expect(outcome.error == nil && ring.steps(0) == ring.truth(0))
        #expect(ring.steps(1) == ring.memory.stepsToday && stale > ring.memory.stepsToday)
    }

    /// Gadgetbridge's `MoyoungRingPacketTest`: 91 steps. Which of the others is the distance is contested.
    @Test func `steps of published bytes`() throws {
        #expect(
            CRPSteps(bytes("5b0000 4b0000 040000"))?.steps == 91
                && CRPSteps(bytes("E80300F401002A0000"))?.steps == 1_000)
        #expect(
            CRPHistory.request(0x12, 3) == bytes("fdda1007 0212 03")
                && CRPHistory.request(0x0d, 0) == bytes("fdda1007 020d 00"))
    }

    @Test(arguments: [(0, 30), (23, 59)]) func `around midnight no past day is requested`(hour: Int, minute: Int) throws
    {
        let ring = worn()
        try ring.sync(0, hour, minute)
        #expect(requests(ring) == 0)
    }
}
