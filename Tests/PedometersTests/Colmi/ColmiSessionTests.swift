import StepDomain
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct ColmiSessionTests {
    private let berlin = 2 * 3600
    private let today = Day("2026-05-20")!.daysSince1970
    /// 2026-05-20 12:30 in Berlin.
    private var now: Timestamp { Timestamp(today * 86_400 + 12 * 3600 + 1800 - berlin) }

    private var week: RingScript {
        var ring = RingScript(today: today)
        for day in 0...7 { ring.history[today - day] = [(33, 100 + day), (34, 200), (48, 50)] }
        return ring
    }

    private func context(_ cursor: PedometerCursor = .init(), clock: ClockState = .init(), offset: Int? = nil, days: Int? = nil)
        -> SessionContext
    {
        let ring = Pedometer(
            id: 1, user: 1, model: "colmi", address: "C0:DE:00:00:00:01", addressType: "random", name: "ring",
            clock: clock, cursor: cursor)
        return SessionContext(pedometer: ring, localTime: .fixed(offset ?? berlin), days: days)
    }

    @Test func `the first reading fetches all days that the ring holds`() throws {
        let outcome = week.play(context(), at: now)
        #expect(outcome.error == nil)
        #expect(outcome.samples.count == 8 * 3)
        let walked = 8 * 350 + (0...7).reduce(0, +)
        #expect(outcome.samples.reduce(0) { $0 + $1.steps } == walked)
        #expect(outcome.report?.battery == 80)
        #expect(outcome.report?.notices == [])
        #expect(outcome.cursor?.readThrough == now)
        let slot = try #require(outcome.samples.first)
        #expect(
            slot
                == StepSample(
                    start: Timestamp(today * 86_400 + 33 * 900 - berlin), length: 900, steps: 100, distance: 30, energy: 0.1, utcOffset: berlin))
    }

    @Test func `a week requires at most ten writes`() {
        let outcome = week.play(context(days: 7), at: now)
        // Battery, seven days, today's total, the clock. A reading of eight days has no total, and ten writes, too.
        #expect(outcome.requests.count == 10)
        #expect(week.play(context(), at: now).requests.count == 10)
        #expect(outcome.requests.filter { $0[0] == 0x43 }.map { $0[1] } == [0, 6, 5, 4, 3, 2, 1])
    }

    @Test func `the next day is requested while a day is being stored, and the clock is set after all`() {
        let outcome = week.play(context(), at: now)
        #expect(outcome.readsOn == [Bool](repeating: true, count: 7) + [false])
        #expect(outcome.requests.last?[0] == 0x01)
    }

    @Test func `a reading of fewer days leaves the rest for the next one`() {
        let cursor = PedometerCursor(readThrough: now - 5 * 86_400)
        #expect(week.play(context(cursor, days: 2), at: now).cursor?.readThrough == cursor.readThrough)
        let first = week.play(context(days: 2), at: now).cursor
        #expect(first != nil && first?.readThrough == nil)
        #expect(week.play(context(cursor, days: 6), at: now).cursor?.readThrough == now)
    }

    @Test func `the next reading starts at the day of the last one`() {
        let outcome = week.play(context(PedometerCursor(readThrough: now - 86_400)), at: now)
        #expect(outcome.requests.filter { $0[0] == 0x43 }.map { $0[1] } == [0, 1])
    }

    @Test func `the clock is set to local time and recorded`() throws {
        let outcome = week.play(context(), at: now)
        let last = try #require(outcome.requests.last)
        #expect(Array(last[0..<7]) == hex("01 26 05 20 12 30 00"))
        #expect(outcome.report?.clockSet == ClockState.Setting(at: now, utcOffset: berlin))
    }

    @Test func `past days are covered completely and today until now`() {
        let outcome = week.play(context(), at: now)
        let midnight = Timestamp(today * 86_400 - berlin)
        #expect(outcome.batches[0].coverage == [TimeSpan(midnight, now)])
        #expect(outcome.batches[1].coverage == [TimeSpan(midnight - 7 * 86_400, midnight - 6 * 86_400)])
    }

    @Test func `a day without data is not covered`() {
        var ring = week
        ring.history[today - 3] = nil
        let outcome = ring.play(context(), at: now)
        #expect(outcome.batches.count { $0.coverage.isEmpty } == 1)
        #expect(outcome.cursor?.readThrough == now)
    }

    @Test func `a reading resumes at the day where the link was lost`() {
        // Delivered so far: today, then the days seven, six and five days ago.
        let cut = week.play(context(), at: now, dropAfter: 4)
        let midnight = Timestamp(today * 86_400 - berlin)
        #expect(cut.cursor?.readThrough == midnight - 4 * 86_400)
        let next = week.play(context(cut.cursor ?? .init()), at: now)
        #expect(next.requests.filter { $0[0] == 0x43 }.map { $0[1] } == [0, 4, 3, 2, 1])
    }

    // MARK: Invalid packets

    @Test func `a packet with a bad checksum is requested again`() {
        var ring = week
        ring.mangle = { request, attempt, answer in
            guard request[0] == 0x43, request[1] == 2, attempt == 1 else { return answer }
            var answer = answer
            answer[1][15] &+= 1
            return answer
        }
        let outcome = ring.play(context(), at: now)
        #expect(outcome.samples.count == 8 * 3)
        #expect(outcome.requests.count { $0[0] == 0x43 && $0[1] == 2 } == 2)
        #expect(outcome.report?.notices == [.undecodable(frames: 1)])
    }

    @Test func `an incomplete day is stored and marked for the next reading`() {
        var ring = week
        ring.mangle = { request, _, answer in request[0] == 0x43 && request[1] == 2 ? answer.dropLast() : answer }
        let outcome = ring.play(context(), at: now)
        #expect(outcome.error == nil)
        #expect(outcome.samples.count == 8 * 3 - 1)
        #expect(outcome.cursor?.readThrough == now)
        #expect(outcome.cursor?.missing == [gap(2, .incomplete)])
    }

    private func gap(_ daysAgo: Int, _ reason: DayGap.Reason) -> DayGap { DayGap(Day(daysSince1970: today - daysAgo), reason) }

    /// A slow ring answers the request and its repetition: the second answer is not the next day's.
    @Test func `a repeated answer is counted once`() {
        var ring = week
        ring.mangle = { request, attempt, answer in
            guard request[0] == 0x43, request[1] == 3 else { return answer }
            return attempt == 1 ? [] : answer + answer
        }
        expectWholeWeek(ring.play(context(), at: now))
    }

    /// The same, but later: the next day was already requested.
    @Test func `a late answer to an earlier request is ignored`() {
        var ring = week
        let old = ring.answer(ColmiPacket.stepsRequest(daysAgo: 3).bytes)
        ring.mangle = { request, attempt, answer in
            guard request[0] == 0x43 else { return answer }
            if request[1] == 3, attempt == 1 { return [] }
            return request[1] == 2 ? old + answer : answer
        }
        expectWholeWeek(ring.play(context(), at: now))
    }

    private func expectWholeWeek(_ outcome: RingScript.Outcome, _ location: SourceLocation = #_sourceLocation) {
        #expect(outcome.samples.count == 8 * 3, sourceLocation: location)
        #expect(outcome.report?.notices == [], sourceLocation: location)
        #expect(outcome.cursor?.readThrough == now, sourceLocation: location)
        let midnight = Timestamp(today * 86_400 - berlin)
        let days = (0...7).map { TimeSpan(midnight - $0 * 86_400, min(midnight - $0 * 86_400 + 86_400, now)) }
        #expect(Set(outcome.batches.flatMap(\.coverage)) == Set(days), sourceLocation: location)
    }

    @Test func `a day is covered by the dates of its records`() {
        // The ring's clock is a day behind: its yesterday is the day before ours, and ours was not read.
        var ring = week
        ring.today -= 1
        let spans = ring.play(context(PedometerCursor(readThrough: now - 86_400)), at: now).batches.flatMap(\.coverage)
        let midnight = Timestamp(today * 86_400 - berlin)
        #expect(!spans.contains { $0.contains(midnight) })
    }

    @Test func `unsolicited packets between records are ignored`() {
        var ring = week
        let live = ColmiPacket(0x73, [0x12, 0, 1, 0]).bytes
        ring.mangle = { _, _, answer in answer.flatMap { [live, $0] } }
        let outcome = ring.play(context(), at: now)
        #expect(outcome.samples.count == 8 * 3)
        #expect(outcome.report?.notices == [])
    }

    @Test func `a silent ring is an error after three requests`() {
        var ring = week
        ring.mangle = { _, _, _ in [] }
        let outcome = ring.play(context(), at: now)
        #expect(outcome.error == .noAnswer(to: "the request for the steps of 2026-05-20", attempts: 3, seconds: 15))
        #expect(outcome.requests.count { $0[0] == 0x43 } == 3)
    }

    /// While its wearer walks, a ring reports this every second. Such a packet is no answer and does not extend the wait for one.
    @Test func `unsolicited packets do not delay the repetition of a request`() {
        var session: any PedometerSession = Colmi.session(context())
        var event = SessionEvent.started
        var requests = 0
        for second in 0..<12 {
            var action = session.next(after: event, at: now + second)
            while case .write = action {
                requests += 1
                action = session.next(after: .done, at: now + second)
            }
            if case .subscribe = action {
                event = .done
                continue
            }
            event = .value(ColmiPacket(0x73, [0x12, 0, 1, 2]).bytes)
        }
        // The battery is requested at the beginning, and again after 5 s.
        #expect(requests >= 2)
    }

    @Test func `a refusal of every day is an error, and no clock is set`() {
        var ring = week
        ring.mangle = { request, _, answer in request[0] == 0x43 ? [ColmiPacket(0xc3).bytes] : answer }
        let outcome = ring.play(context(), at: now)
        #expect(outcome.error == .refused("every request for its steps"))
        #expect(!outcome.requests.contains { $0[0] == 0x01 })
    }

    @Test func `a refusal of today costs no other day`() throws {
        var ring = week
        ring.mangle = refusing { $0 == 0 }
        let outcome = ring.play(context(), at: now)
        #expect(outcome.samples.count == 7 * 3)
        #expect(outcome.report?.clockSet != nil)
        #expect(outcome.cursor?.missing == [gap(0, .refused)])
        let next = week.play(context(try #require(outcome.cursor)), at: now + 60)
        #expect(next.daysAsked == [0])
        #expect(next.samples.count == 3 && next.cursor?.missing == nil)
    }

    /// Also the first of the days before: a ring that refuses it may answer the next time.
    @Test(arguments: [7, 6, 3, 1]) func `a refused day is requested in each sync until it is answered`(daysAgo: Int) throws {
        var ring = week
        ring.mangle = refusing { $0 == daysAgo }
        var cursor = PedometerCursor()
        for sync in 0..<2 {
            let outcome = ring.play(context(cursor), at: now + sync * 600)
            #expect(outcome.error == nil)
            #expect(outcome.daysAsked.count { $0 == daysAgo } == 3)
            cursor = try #require(outcome.cursor)
            #expect(cursor.missing == [gap(daysAgo, .refused)])
            #expect(cursor.readThrough == now + sync * 600)
        }
        let third = week.play(context(cursor), at: now + 1200)
        #expect(third.daysAsked == [0, daysAgo])
        #expect(third.samples.count == 2 * 3)
        #expect(third.cursor?.missing == nil)
        #expect(third.notices == [])
    }

    @Test func `days that were refused until they are too old are reported as lost, once`() throws {
        var ring = week
        ring.mangle = refusing { $0 > 4 }
        let first = ring.play(context(), at: now)
        #expect(first.cursor?.missing == [gap(7, .refused), gap(6, .refused), gap(5, .refused)])
        ring.today += 2
        let later = ring.play(context(try #require(first.cursor)), at: now + 2 * 86_400)
        let lost = [Day(daysSince1970: today - 7), Day(daysSince1970: today - 6)]
        #expect(later.notices == [.tooOld(lost)])
        #expect(later.cursor?.missing == [gap(5, .refused)])
        #expect(ring.play(context(try #require(later.cursor)), at: now + 2 * 86_400 + 60).notices == [])
    }

    private func refusing(_ days: @escaping (UInt8) -> Bool) -> (_ request: [UInt8], _ attempt: Int, _ answer: [[UInt8]]) -> [[UInt8]] {
        { request, _, answer in request[0] == 0x43 && days(request[1]) ? [ColmiPacket(0xc3).bytes] : answer }
    }

    // MARK: Silence

    private func silent(_ days: @escaping (UInt8) -> Bool) -> (_ request: [UInt8], _ attempt: Int, _ answer: [[UInt8]]) -> [[UInt8]] {
        { request, _, answer in request[0] == 0x43 && days(request[1]) ? [] : answer }
    }

    @Test(arguments: [0, 7, 4, 1]) func `a day without an answer is a gap, and the others and the clock are reached`(daysAgo: UInt8) throws {
        var ring = week
        ring.mangle = silent { $0 == daysAgo }
        let outcome = ring.play(context(), at: now)
        #expect(outcome.error == nil)
        #expect(outcome.samples.count == 7 * 3)
        #expect(outcome.report?.clockSet != nil)
        #expect(outcome.waited == 15)
        #expect(outcome.cursor?.missing == [gap(Int(daysAgo), .unanswered)])
        // The next sync requests the other days first.
        let next = week.play(context(try #require(outcome.cursor)), at: now + 60)
        #expect(next.daysAsked == (daysAgo == 0 ? [0] : [0, Int(daysAgo)]))
        #expect(next.cursor?.missing == nil)
    }

    @Test func `a ring that answers for its battery and for no day fails within half a minute`() {
        var ring = week
        ring.mangle = silent { _ in true }
        let outcome = ring.play(context(), at: now)
        #expect(outcome.error == .noAnswer(to: "the request for the steps of 2026-05-20", attempts: 3, seconds: 15))
        #expect(outcome.waited <= 30)
        #expect(outcome.cursor?.missing?.map(\.reason) == [.unanswered, .unanswered, .unanswered])
    }

    @Test func `a ring that falls silent for good in the middle fails within half a minute, and names the day`() {
        var ring = week
        let asked = Counter()
        ring.mangle = { request, _, answer in
            if request[0] == 0x43, request[1] == 5 { asked.count += 1 }
            return asked.count > 0 ? [] : answer
        }
        let outcome = ring.play(context(), at: now)
        #expect(outcome.error == .noAnswer(to: "the request for the steps of 2026-05-15", attempts: 3, seconds: 15))
        #expect(outcome.waited == 20)
        #expect(outcome.samples.count == 3 * 3)
    }

    private final class Counter { var count = 0 }

    // MARK: A link that ends

    @Test func `what came of a day before the link ended is delivered as an incomplete day`() throws {
        // Battery, today's header and two of its three records.
        let cut = week.play(context(), at: now, linkEndsAfter: 4)
        #expect(cut.wasCut)
        #expect(cut.samples.map(\.steps) == [100, 200])
        #expect(cut.coverage == [])
        #expect(cut.cursor?.missing == [gap(0, .incomplete)])
        // If the link ends at each request for today, the other days are still read.
        let next = week.play(context(try #require(cut.cursor)), at: now + 60)
        #expect(next.daysAsked == [7, 6, 5, 4, 3, 2, 1, 0])
        #expect(next.cursor?.missing == nil && next.cursor?.readThrough == now + 60)
    }

    @Test func `a link that ends between days loses nothing and marks no day`() {
        let cut = week.play(context(), at: now, linkEndsAfter: 0)
        #expect(cut.wasCut && cut.batches.isEmpty)
    }

    @Test func `an endless stream of packets ends the reading`() {
        var ring = week
        ring.mangle = { request, _, answer in
            request[0] == 0x43 ? Array(repeating: ColmiPacket(0x73, [0x12]).bytes, count: 5000) : answer
        }
        #expect(ring.play(context(), at: now).error == .undecodable("too many packets"))
    }

    @Test func `days that the ring no longer holds are reported as lost`() {
        let outcome = week.play(context(PedometerCursor(readThrough: now - 10 * 86_400)), at: now)
        #expect(outcome.notices == [.lost(from: Day(daysSince1970: today - 10), through: Day(daysSince1970: today - 8))])
        #expect(outcome.batches[0].notices.count == 1, "with what makes it final, whatever happens next")
    }

    // MARK: The clock

    @Test func `a ring clock on UTC is reported and the times are corrected`() throws {
        // New York, UTC−4, 12:30: the ring on UTC shows 16:30 and has a slot of 16:15.
        let offset = -4 * 3600
        let now = Timestamp(today * 86_400 + 12 * 3600 + 1800 - offset)
        var ring = RingScript(today: today)
        ring.history[today] = [(65, 300)]
        let outcome = ring.play(context(offset: offset, days: 1), at: now)
        #expect(outcome.report?.notices == [.clockWasOff(seconds: 4 * 3600)])
        let sample = try #require(outcome.samples.first)
        #expect(sample.start == Timestamp(today * 86_400 + 65 * 900))
        #expect(sample.utcOffset == offset)
    }

    @Test func `new steps in a finished slot mean that the clock was wrong`() {
        // Last read at 12:30; the ring was then put to UTC and stepped at "10:35".
        let wall = today * 86_400 + 33 * 900
        let cursor = PedometerCursor(readThrough: now, tail: [WallSlot(wall: wall, start: Timestamp(wall - berlin), steps: 100)])
        var ring = RingScript(today: today)
        ring.history[today] = [(33, 100), (42, 60)]
        let outcome = ring.play(context(cursor), at: now + 300)
        #expect(outcome.report?.notices == [.clockWasOff(seconds: nil)])
        #expect(outcome.samples.map(\.steps) == [100, 60])
    }

    @Test func `an answer for another day is reported as a wrong clock`() {
        var ring = week
        ring.today = today - 2
        let outcome = ring.play(context(), at: now)
        #expect(outcome.report?.notices.first == .clockWasOff(seconds: -2 * 86_400))
    }

    @Test func `slots with implausible times are not stored as samples`() {
        var ring = RingScript(today: 11_000)  // the year 2000: the ring's battery was empty
        ring.history[11_000] = [(33, 100)]
        let outcome = ring.play(context(days: 1), at: now)
        #expect(outcome.samples.isEmpty)
        #expect(outcome.report?.notices.contains(.implausible(samples: 1)) == true)
    }

    /// The bytes were captured from a real R02 (tests of colmi_r02_client): its slots begin on the hour.
    @Test func `captured slots of a ring that counts by the hour are stored as hours`() {
        let captured = [
            "43 F0 05 01 00 00 00 00 00 00 00 00 00 00 00 39", "43 23 08 13 10 00 05 C8 00 30 00 1B 00 00 00 A9",
            "43 23 08 13 14 01 05 B6 18 AA 04 69 03 00 00 83", "43 23 08 13 18 02 05 38 04 E1 00 95 00 00 00 52",
            "43 23 08 13 1C 03 05 05 02 6C 00 48 00 00 00 60", "43 23 08 13 4C 04 05 EF 01 63 00 44 00 00 00 6D",
        ].map(hex)
        let day = Day("2023-08-13")!.daysSince1970
        var ring = RingScript(today: day)
        ring.mangle = { request, _, answer in request[0] == 0x43 && request[1] == 0 ? captured : answer }
        let outcome = ring.play(context(), at: Timestamp(day * 86_400 + 22 * 3600 - berlin))
        #expect(outcome.samples.map(\.length) == Array(repeating: 3600, count: 5))
        #expect(outcome.samples.map { ($0.start.seconds + berlin) % 86_400 / 3600 } == [4, 5, 6, 7, 19])
        #expect(outcome.samples.map(\.steps) == [48, 1194, 225, 108, 99])
    }

    @Test func `a ring that has sent a quarter of an hour counts quarters, also on a day with slots on the hour alone`() {
        var ring = RingScript(today: today)
        ring.history[today] = [(33, 100), (36, 50)]
        ring.history[today - 1] = [(40, 200)]
        let outcome = ring.play(context(), at: now)
        #expect(outcome.samples.map(\.length) == [900, 900, 900])
        // Known from the last sync: today has no such slot.
        ring.history[today] = [(36, 50)]
        let tail = [WallSlot(wall: (today - 1) * 86_400 + 41 * 900, start: now - 86_400, steps: 3)]
        #expect(ring.play(context(PedometerCursor(readThrough: now - 86_400, tail: tail)), at: now).samples.map(\.length) == [900, 900])
        #expect(ring.play(context(), at: now).samples.map(\.length) == [3600, 3600])
    }

    @Test func `slots use the UTC offset of the last clock setting`() {
        // Set in winter (UTC+1), read in summer time: the ring's clock was not changed in between.
        let set = ClockState(settings: [.init(at: now - 3 * 86_400, utcOffset: 3600)])
        let local = LocalTime { [now] in $0 < now - 86_400 ? 3600 : 7200 }
        let ring = Pedometer(
            id: 1, user: 1, model: "colmi", address: "C0:DE:00:00:00:01", addressType: "random", name: "ring", clock: set)
        var script = RingScript(today: today)
        script.history[today] = [(33, 100)]
        let outcome = script.play(SessionContext(pedometer: ring, localTime: local, days: 1), at: now)
        #expect(outcome.samples.first?.start == Timestamp(today * 86_400 + 33 * 900 - 3600))
        #expect(outcome.samples.first?.utcOffset == 7200)
    }
}
