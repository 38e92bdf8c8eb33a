import StepDomain
import Testing

@testable import Pedometers

/// A ring whose battery request is not answered, and packets about the battery that nobody asked for.
@Suite(.timeLimit(.minutes(5))) struct ColmiBatteryTests: RingWeek {
    private func asked(_ outcome: RingScript.Outcome) -> Int { outcome.requests.count { $0[0] == 0x03 } }

    @Test func `a battery request that is never answered delays one sync a week`() throws {
        var ring = week
        ring.battery = nil
        let first = ring.play(context(), at: now)
        #expect(first.waited == 15 && asked(first) == 3)
        #expect(first.samples.count == 8 * 3 && first.report?.clockSet != nil)
        var cursor = try #require(first.cursor)
        for hour in 1...20 {
            let next = ring.play(context(cursor), at: now + hour * 600)
            #expect(next.waited == 0 && asked(next) == 0)
            cursor = try #require(next.cursor)
            #expect(cursor.lacksBatterySince == now)
        }
        ring.today += 7
        let later = ring.play(context(cursor), at: now + 7 * 86_400)
        #expect(later.waited == 5 && asked(later) == 1)
        #expect(later.cursor?.lacksBatterySince == now + 7 * 86_400)
    }

    @Test func `a ring that answers again is asked in each sync`() throws {
        let cursor = PedometerCursor(readThrough: now - 600, lacksBatterySince: now - 8 * 86_400)
        let first = week.play(context(cursor), at: now)
        #expect(first.report?.battery == 80 && first.cursor?.lacksBatterySince == nil)
        #expect(asked(week.play(context(try #require(first.cursor)), at: now + 600)) == 1)
    }

    /// Stored by a machine whose clock was ahead.
    @Test func `a time in the future does not keep the ring from being asked`() {
        let cursor = PedometerCursor(readThrough: now - 600, lacksBatterySince: now + 400 * 86_400)
        #expect(week.play(context(cursor), at: now).report?.battery == 80)
    }

    @Test func `a ring that answers nothing is not taken for one without a battery level`() {
        var ring = week
        ring.mangle = { _, _, _ in [] }
        #expect(ring.play(context(), at: now).cursor?.lacksBatterySince == nil)
    }

    @Test func `a battery level that arrives late is reported`() {
        var ring = week
        ring.mangle = { request, _, answer in
            request[0] == 0x03
                ? [] : request[0] == 0x43 && request[1] == 5 ? [ColmiPacket(0x03, [64]).bytes] + answer : answer
        }
        let outcome = ring.play(context(), at: now)
        #expect(outcome.report?.battery == 64 && outcome.cursor?.lacksBatterySince == nil)
        #expect(outcome.samples.count == 8 * 3)
    }

    /// As captured between step packets: 21 %, 43 % and charging, 100 % (tahnok/colmi_r02_client, issue 27).
    @Test(arguments: ["73 0C 15 00", "73 0C 2B 01", "73 0C 64 01"])
    func `unasked battery packets between records are ignored`(head: String) {
        let packet = hex(head + " 00 00 00 00 00 00 00 00 00 00 00")
        let unasked = packet + [packet.reduce(0, &+)]
        #expect(ColmiPacket(received: unasked) != nil)
        var ring = week
        let plain = ring.play(context(), at: now)
        ring.mangle = { _, _, answer in answer.flatMap { [unasked, $0] } + [unasked] }
        let outcome = ring.play(context(), at: now)
        #expect(outcome.samples == plain.samples && outcome.notices == [])
        #expect(outcome.report?.battery == 80)
        var live = ColmiLive()
        #expect(live.steps(after: unasked) == nil)
    }
}
