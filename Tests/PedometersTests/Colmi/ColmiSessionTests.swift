import StepDomain
import Testing

@testable import Pedometers

/// Readings of a ring that answers, and packets that come twice, late or damaged.
@Suite(.timeLimit(.minutes(5))) struct ColmiSessionTests: RingWeek {
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
                    start: Timestamp(today * 86_400 + 33 * 900 - berlin), length: 900, steps: 100, distance: 30,
                    energy: 0.1, utcOffset: berlin))
    }

    @Test func `a clock of the machine that is put forward does not end a wait`() {
        var session: any PedometerSession = Colmi.session(context())
        for event in [SessionEvent.started, .done] { _ = session.next(after: event, at: now, uptime: .zero) }
        let waits = session.next(after: .done, at: now, uptime: .zero)
        let unasked = ColmiPacket(ColmiPacket.Command.unasked, [ColmiPacket.unaskedSteps])
        #expect(session.next(after: .value(unasked.bytes), at: now + 3_600, uptime: .seconds(1)) == waits)
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
}
