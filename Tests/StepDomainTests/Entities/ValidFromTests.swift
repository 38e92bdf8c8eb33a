import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct ValidFromTests {
    private let sunday = Day(year: 2014, month: 4, day: 20)

    @Test func `the latest plan that has begun is in force`() throws {
        let sunday = try #require(sunday)
        let plans = [10, 0, -10].map { SportPlan(validFrom: sunday.advanced(by: $0), everyDay: 1000 + $0) }
        #expect(plans.effective(on: sunday)?.validFrom == sunday)
        #expect(plans.effective(on: sunday.advanced(by: 9))?.validFrom == sunday)
        #expect(plans.effective(on: sunday.advanced(by: 10))?.validFrom == sunday.advanced(by: 10))
        #expect(plans.effective(on: sunday.advanced(by: -1))?.validFrom == sunday.advanced(by: -10))
        #expect(plans.effective(on: sunday.advanced(by: -11)) == nil)
    }
}
