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
}
