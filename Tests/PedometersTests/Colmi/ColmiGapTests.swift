import StepDomain
import Testing

@testable import Pedometers

/// Days that a ring refuses, does not answer or no longer holds, and links that end.
@Suite(.timeLimit(.minutes(5))) struct ColmiGapTests: RingWeek {
    @Test func `a silent ring is an error after three requests`() {
        var ring = week
        ring.mangle = { _, _, _ in [] }
        let outcome = ring.play(context(), at: now)
        #expect(outcome.error == .noAnswer(to: "the request for the steps of 2026-05-20", attempts: 3, seconds: 15))
        #expect(outcome.requests.count { $0[0] == 0x43 } == 3)
    }

    /// While its wearer walks, a ring reports this every second. Such a packet does not answer a request, and does not
    /// extend the wait for the answer.
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

    @Test func `a refusal of today does not affect other days`() throws {
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
    @Test(arguments: [7, 6, 3, 1]) func `a refused day is requested in each sync until it is answered`(daysAgo: Int)
        throws
    {
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

    private func refusing(_ days: @escaping (UInt8) -> Bool) -> (
        _ request: [UInt8], _ attempt: Int, _ answer: [[UInt8]]
    ) -> [[UInt8]] {
        { request, _, answer in request[0] == 0x43 && days(request[1]) ? [ColmiPacket(0xc3).bytes] : answer }
    }

    // MARK: Silence

    private func silent(_ days: @escaping (UInt8) -> Bool) -> (_ request: [UInt8], _ attempt: Int, _ answer: [[UInt8]])
        -> [[UInt8]]
    {
        { request, _, answer in request[0] == 0x43 && days(request[1]) ? [] : answer }
    }

    @Test(arguments: [0, 7, 4, 1])
    func `a day without an answer is a gap; the other days are read and the clock is set`(daysAgo: UInt8) throws {
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

    @Test func `a ring that stops answering fails within half a minute, with the day in the error`() {
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

    @Test func `a day cut off by the end of the link is delivered as incomplete`() throws {
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

    @Test
    func
        `the clock is not set before the days are stored, also if midnight removes the last requested day from the ring`()
        throws
    {
        var ring = week
        ring.mangle = refusing { $0 == 7 }
        let cursor = try #require(ring.play(context(), at: now).cursor)
        ring.mangle = { request, _, answer in request[0] == 0x43 && request[1] == 7 ? [] : answer }
        ring.delay = { request, _ in request[0] == 0x43 && request[1] == 7 ? 12 * 3600 : 0 }
        let outcome = ring.play(context(cursor), at: now + 600)
        #expect(outcome.daysAsked == [0, 7])
        #expect(outcome.readsOn == [true, false])
        #expect(outcome.report?.clockSet != nil)
        #expect(outcome.cursor?.tail != nil)
    }

    @Test func `days that the ring no longer holds are reported as lost`() {
        let outcome = week.play(context(PedometerCursor(readThrough: now - 10 * 86_400)), at: now)
        #expect(
            outcome.notices == [.lost(from: Day(daysSince1970: today - 10), through: Day(daysSince1970: today - 8))])
        #expect(outcome.batches[0].notices.count == 1, "with what makes it final, whatever happens next")
    }
}
