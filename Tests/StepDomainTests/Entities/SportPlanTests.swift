import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct SportPlanTests {
    @Test func `missing goals become rest days and extra goals are ignored`() {
        #expect(SportPlan(validFrom: Day(daysSince1970: 0), goals: [1, 2]).goals == [1, 2, 0, 0, 0, 0, 0])
        #expect(SportPlan(validFrom: Day(daysSince1970: 0), goals: Array(1...9)).goals == Array(1...7))
    }

    @Test func `goals are read and set by weekday`() {
        var plan = SportPlan(validFrom: Day(daysSince1970: 0), everyDay: 8000)
        plan[.sunday] = 0
        #expect(plan[.monday] == 8000)
        #expect(plan.goals.last == 0)
    }

    @Test func `each weekday has its own goal`() throws {
        let sunday = try #require(Day("2014-04-20"))
        let plan = SportPlan(validFrom: sunday, goals: [1, 2, 3, 4, 5, 6])
        #expect(plan.goal(on: sunday) == nil)
        #expect(plan.isRestDay(sunday))
        #expect((1...6).map { plan.goal(on: sunday.advanced(by: $0)) } == [1, 2, 3, 4, 5, 6])
    }

    @Test func `a goal is met by as many steps, not by unknown ones`() {
        #expect(SportPlan.isMet(8000, by: 8000) && !SportPlan.isMet(8000, by: 7999))
        #expect(!SportPlan.isMet(nil, by: 8000) && !SportPlan.isMet(8000, by: nil) && !SportPlan.isMet(0, by: 0))
    }

    @Test func `means are compared as they are shown, in whole steps`() {
        #expect(SportPlan.isMet(10_000.0, by: 9999.6) && SportPlan.isMet(10_000.4, by: 10_000.0))
        #expect(!SportPlan.isMet(10_000.0, by: 9999.4) && !SportPlan.isMet(10_000.6, by: 10_000.0))
    }

    @Test func `the percentage relates the steps to the goal`() {
        #expect(SportPlan.percentage(steps: 8000, goal: 10_000) == 80)
        #expect(SportPlan.percentage(steps: 0, goal: 10_000) == 0)
        #expect(SportPlan.percentage(steps: 8000, goal: nil) == nil)
        #expect(SportPlan.percentage(steps: 8000, goal: 0) == nil)
        #expect(SportPlan.percentage(steps: nil, goal: 8000) == nil)
    }
}
