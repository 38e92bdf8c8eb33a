import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct GoalTests {
    private let sunday = Day(year: 2014, month: 4, day: 20)

    @Test func `the latest plan that has begun is in force`() throws {
        let sunday = try #require(sunday)
        let plans = [10, 0, -10].map { SportPlan(validFrom: sunday.advanced(by: $0), everyDay: 1000 + $0) }
        #expect(plans.inForce(on: sunday)?.validFrom == sunday)
        #expect(plans.inForce(on: sunday.advanced(by: 9))?.validFrom == sunday)
        #expect(plans.inForce(on: sunday.advanced(by: 10))?.validFrom == sunday.advanced(by: 10))
        #expect(plans.inForce(on: sunday.advanced(by: -1))?.validFrom == sunday.advanced(by: -10))
        #expect(plans.inForce(on: sunday.advanced(by: -11)) == nil)
    }

    @Test func `each weekday has its own goal`() throws {
        let sunday = try #require(sunday)
        let plan = SportPlan(validFrom: sunday, goals: [1, 2, 3, 4, 5, 6])
        #expect(plan.goal(on: sunday) == nil)
        #expect(plan.isRestDay(sunday))
        #expect((1...6).map { plan.goal(on: sunday.advanced(by: $0)) } == [1, 2, 3, 4, 5, 6])
    }

    @Test func `the percentage relates the steps to the goal`() {
        #expect(SportPlan.percentage(steps: 8000, goal: 10_000) == 80)
        #expect(SportPlan.percentage(steps: 0, goal: 10_000) == 0)
        #expect(SportPlan.percentage(steps: 8000, goal: nil) == nil)
        #expect(SportPlan.percentage(steps: 8000, goal: 0) == nil)
        #expect(SportPlan.percentage(steps: nil, goal: 8000) == nil)
    }

    @Test(arguments: [
        (0, ActivityCategory.sedentary), (4999, .sedentary), (5000, .lowActive), (7499, .lowActive),
        (7500, .somewhatActive), (9999, .somewhatActive), (10_000, .active), (12_499, .active), (12_500, .highlyActive),
    ])
    func `the activity category follows from the steps`(steps: Int, category: ActivityCategory) {
        #expect(ActivityCategory(steps: steps) == category)
    }
}
