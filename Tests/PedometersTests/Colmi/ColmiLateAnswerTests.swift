import StepDomain
import Testing

@testable import Pedometers

/// Answers that arrive during the request for another day, with or without their header: they replace nothing, and show
/// nothing about the ring's clock.
@Suite(.timeLimit(.minutes(5))) struct ColmiLateAnswerTests: RingWeek {
    private func answer(_ daysAgo: Int, _ ring: RingScript? = nil) -> [[UInt8]] {
        (ring ?? week).answer(ColmiPacket.stepsRequest(daysAgo: daysAgo).bytes)
    }

    private func expectSame(
        _ outcome: RingScript.Outcome, as plain: RingScript.Outcome, _ location: SourceLocation = #_sourceLocation
    ) {
        // As the history stores them: the last one counts.
        func stored(_ outcome: RingScript.Outcome) -> [Timestamp: StepSample] {
            Dictionary(outcome.samples.map { ($0.start, $0) }, uniquingKeysWith: { $1 })
        }
        #expect(stored(outcome) == stored(plain), sourceLocation: location)
        #expect(outcome.notices == [], sourceLocation: location)
        #expect(outcome.cursor?.missing == nil, sourceLocation: location)
        #expect(outcome.cursor?.readThrough == now, sourceLocation: location)
        #expect(Set(outcome.coverage) == Set(plain.coverage), sourceLocation: location)
    }

    /// The header has the scale of the calories. The day that is being requested has no data, or has some.
    @Test(arguments: [7, 3], [true, false]) func `a record of another day without its header replaces nothing`(
        daysAgo: Int, hasData: Bool
    ) {
        var ring = week
        if !hasData { ring.history[today - daysAgo] = nil }
        let plain = ring.play(context(), at: now)
        for copies in [answer(0).suffix(1), answer(0).suffix(3)] {
            ring.mangle = { request, _, answer in
                request[0] == 0x43 && request[1] == UInt8(daysAgo) ? copies + answer : answer
            }
            expectSame(ring.play(context(), at: now), as: plain)
            ring.mangle = { request, _, answer in
                request[0] == 0x43 && request[1] == UInt8(daysAgo) ? answer + copies : answer
            }
            expectSame(ring.play(context(), at: now), as: plain)
        }
    }

    /// With the same index and the same number of records.
    @Test(arguments: [1, 2, 3]) func `a record of another day inside an answer replaces nothing`(position: Int) {
        var ring = week
        let plain = ring.play(context(), at: now)
        let copies = Array(answer(0).dropFirst())
        ring.mangle = { request, attempt, answer in
            guard request[0] == 0x43, request[1] == 4, attempt == 1 else { return answer }
            return Array(answer.prefix(position)) + copies + Array(answer.dropFirst(position))
        }
        let outcome = ring.play(context(), at: now)
        expectSame(outcome, as: plain)
    }

    @Test func `a record that contradicts its header is not used`() {
        var day = ColmiDay(of: today)
        #expect(day.add(ColmiPacket(received: answer(0)[0])!) == .more)
        let copy = ColmiPacket(0x43, [0x26, 0x05, 0x20, 33, 0, 5, 10, 0, 99, 0, 30, 0])
        #expect(day.add(copy) == .more)
        #expect(day.slots.isEmpty)
        for packet in answer(0).dropFirst() { _ = day.add(ColmiPacket(received: packet)!) }
        #expect(day.slots.map(\.steps) == [100, 200, 50])
    }

    @Test func `a header that is lost each time leaves the day to the next sync`() {
        var ring = week
        ring.mangle = { request, _, answer in request[0] == 0x43 && request[1] == 2 ? Array(answer.dropFirst()) : answer
        }
        let outcome = ring.play(context(), at: now)
        #expect(outcome.samples.count == 7 * 3)
        #expect(outcome.cursor?.missing == [gap(2, .incomplete)])
    }

    /// An answer to a request of the sync before, which lost its link.
    @Test(arguments: [0, 1, 7]) func `a whole answer for another day is not taken for the requested one`(daysAgo: Int) {
        var ring = week
        let plain = ring.play(context(), at: now)
        let old = answer(daysAgo == 1 ? 0 : 1)
        ring.mangle = { request, attempt, answer in
            request[0] == 0x43 && request[1] == UInt8(daysAgo) && attempt == 1 ? old + answer : answer
        }
        let outcome = ring.play(context(), at: now)
        expectSame(outcome, as: plain)
        #expect(outcome.progress.last == .reading(done: 8, of: 8))
    }

    /// A ring that was given up on answers each request during the next one: first "no data" of its oldest day, on
    /// which it was not worn.
    @Test func `answers that are one request late are those of their own days`() throws {
        final class Line { var held: [[UInt8]] = [] }
        let line = Line()
        var ring = week
        ring.history[today - 7] = nil
        let plain = ring.play(context(), at: now)
        ring.mangle = { request, attempt, answer in
            guard request[0] == 0x43, request[1] != 0 else { return answer }
            if request[1] == 7, line.held.isEmpty { line.held = answer }
            guard request[1] != 7 || attempt > 3 else { return [] }
            defer { line.held = answer }
            return line.held
        }
        let outcome = ring.play(context(), at: now)
        #expect(outcome.error == nil)
        #expect(Set(outcome.samples) == Set(plain.samples) && outcome.samples.count == 7 * 3)
        #expect(outcome.notices == [])
        #expect(outcome.cursor?.reportedGaps == [])
        #expect(
            outcome.progress.allSatisfy {
                if case .reading(let done, let planned) = $0 { done <= 8 && planned <= 8 } else { false }
            })
        // The day that it never held is not reported as lost when it is too old.
        ring.today += 1
        ring.mangle = { _, _, answer in answer }
        #expect(ring.play(context(try #require(outcome.cursor)), at: now + 86_400).notices == [])
    }

    @Test func `late answers with the end missing show nothing about the clock`() {
        var ring = week
        let old = Array(answer(3).dropLast())
        ring.mangle = { request, attempt, answer in
            guard request[0] == 0x43 else { return answer }
            if request[1] == 3, attempt == 1 { return [] }
            return request[1] == 2 ? old + (attempt == 3 ? answer : []) : answer
        }
        let outcome = ring.play(context(), at: now)
        #expect(outcome.notices == [])
        #expect(outcome.samples.count == 8 * 3)
        #expect(outcome.cursor?.missing == nil)
    }

    /// The ring's today was taken for another one twice: no day before the first one is missing, because it was read
    /// before.
    @Test func `a day that the ring never held is not missing`() {
        var plan = ColmiPlan(PedometerCursor(), today: today, first: today - 7, limit: nil) { Timestamp($0 * 86_400) }
        plan.follow(ringToday: today - 1, today: today, requested: today, isNearMidnight: false)
        plan.follow(ringToday: today, today: today, requested: today, isNearMidnight: false)
        while let (day, _) = plan.next(today: today) {
            plan.receive(day, ringToday: today, at: now)
            #expect(plan.planned <= 8 && plan.done <= plan.planned)
        }
        #expect(plan.done == 8)
        #expect(plan.cursor(start: { Timestamp($0 * 86_400) }).missing == nil)
    }
}
