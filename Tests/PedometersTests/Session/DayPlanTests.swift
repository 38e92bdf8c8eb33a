import StepDomain
import Testing

@testable import Pedometers

@Suite(.timeLimit(.minutes(5))) struct DayPlanTests {
    private static let today = 20_000

    private func day(_ daysAgo: Int) -> Day { Day(daysSince1970: Self.today - daysAgo) }

    /// A plan of a pedometer that holds six days before today.
    ///
    /// - Parameter gaps: days that were missing, by their distance from today.
    private func plan(
        _ gaps: [Int: DayGap.Reason] = [:], readDaysAgo: Int?, limit: Int? = nil, _ order: DayPlan.Order = .oldestFirst
    ) -> DayPlan {
        let missing = gaps.sorted { $0.key > $1.key }.map { DayGap(day($0.key), $0.value) }
        return DayPlan(
            PedometerCursor(missing: missing), today: Self.today, first: readDaysAgo.map { Self.today - $0 },
            oldestDay: 6, limit: limit, order)
    }

    private func requested(_ plan: DayPlan) -> [Int] { plan.queue.map { Self.today - $0 } }

    @Test func `the days since the last reading and the missing ones are requested in the order of the model`() {
        let gaps: [Int: DayGap.Reason] = [5: .unanswered, 3: .incomplete]
        #expect(requested(plan(gaps, readDaysAgo: 1, .oldestFirst)) == [5, 3, 1, 0])
        #expect(requested(plan(gaps, readDaysAgo: 1, .newestFirst)) == [0, 1, 5, 3], "a part of a day comes last")
        #expect(requested(plan(gaps, readDaysAgo: 2, .todayFirst)) == [0, 2, 1, 5, 3])
        #expect(requested(plan([0: .unanswered], readDaysAgo: 1, .todayFirst)) == [1, 0])
        #expect(requested(plan(readDaysAgo: nil)) == [6, 5, 4, 3, 2, 1, 0])
        #expect(requested(plan(readDaysAgo: -1)) == [0], "the date went back over midnight")
    }

    @Test func `a limit leaves out days, and then nothing is reported as lost`() {
        let limited = plan([4: .unanswered, 9: .unanswered], readDaysAgo: 8, limit: 3)
        #expect(requested(limited) == [2, 1, 0] && !limited.isWhole && limited.expired.isEmpty)
        #expect(limited.missing()?.map(\.day) == [day(4)], "it is requested by a later sync")
        #expect(plan(readDaysAgo: 2, limit: 3).isWhole)
    }

    @Test func `days that the pedometer no longer holds are reported and forgotten`() {
        let plan = plan([9: .unconfirmed, 8: .unanswered, 6: .incomplete], readDaysAgo: 7)
        #expect(plan.expired == [.tooOld([day(8)]), .lost(from: day(7), through: day(7))])
        #expect(plan.missing() == [DayGap(day(6), .incomplete)] && requested(plan).first == 6)
    }

    @Test func `a day is no gap any more once it is requested, and silence makes it one`() {
        var plan = plan([4: .unconfirmed, 3: .unanswered], readDaysAgo: 1)
        #expect(plan.next() == Self.today - 4 && plan.missing()?.map(\.day) == [day(3)])
        plan.silence(Self.today - 4, isExpected: true, believed: [.unconfirmed])
        #expect(plan.missing()?.map(\.day) == [day(3)], "the second silence is believed")
        #expect(plan.next() == Self.today - 3)
        plan.silence(Self.today - 3, isExpected: true, believed: [.unconfirmed])
        #expect(plan.missing() == [DayGap(day(3), .unanswered)])
        plan.silence(Self.today - 3, isExpected: false, believed: [])
        #expect(plan.missing() == [DayGap(day(3), .unconfirmed)])
        #expect(plan.missing(rest: .unanswered)?.map(\.day) == [day(3), day(1), day(0)])
        #expect(plan.done == 2 && plan.planned == 4)
        plan.drop(before: Self.today)
        #expect(requested(plan) == [0] && plan.next() == Self.today && plan.next() == nil)
    }

    @Test func `the cursor does not move if a day is in doubt, or if a limit left out days`() throws {
        let now = Timestamp(Self.today * 86_400 + 50_000)
        let pedometer = Pedometer.sample(Lefun.self)
        let converter = WallSlotConverter(SessionContext(pedometer: pedometer, localTime: .fixed(0)), days: 6)
        func cursor(_ plan: DayPlan, through moment: Timestamp?) -> PedometerCursor? {
            plan.cursor(pedometer.cursor, through: moment, converter, now: now)
        }
        #expect(cursor(plan(readDaysAgo: 1), through: nil) == nil)
        #expect(cursor(plan(readDaysAgo: 5, limit: 2), through: now) == nil)
        let moved = try #require(cursor(plan([3: .unanswered], readDaysAgo: 1), through: now + 9))
        #expect(moved.readThrough == now && moved.missing == [DayGap(day(3), .unanswered)])
    }

    /// It would be believed when its time has come, and the days before it would stay unread.
    @Test(arguments: [nil, 2]) func `a mark in the future is dropped, even if the cursor does not move`(limit: Int?) {
        let now = Timestamp(Self.today * 86_400 + 50_000)
        let ahead = PedometerCursor(readThrough: now + 3 * 86_400)
        let converter = WallSlotConverter(
            SessionContext(pedometer: .sample(Lefun.self, cursor: ahead), localTime: .fixed(0)), days: 6)
        let plan = plan(readDaysAgo: nil, limit: limit)
        let moment = limit == nil ? nil : now
        #expect(plan.cursor(ahead, through: moment, converter, now: now) == PedometerCursor())
    }
}
