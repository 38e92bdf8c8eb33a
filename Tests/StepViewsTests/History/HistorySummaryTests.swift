import StepDomain
import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct HistorySummaryTests {
    /// The sums include it: they must not look as if they could be.
    @Test func `a day that nobody can have walked is named beside the figures that include it`() {
        func check(_ words: String) -> String {
            let lines = SampleHistory.view(SampleHistory.figures(words)).lines(TextStyle()).drop {
                !$0.hasPrefix("  Check")
            }
            return lines.prefix { $0.hasPrefix("  Check") || $0.hasPrefix("          ") }.joined(separator: " ")
                .split(separator: " ").joined(separator: " ")
        }
        #expect(
            check("300000 5000 9")
                == "Check 14 April 2014 is wrong: more than anyone walks in a day. The figures include it.")
        #expect(
            check("5000 300000 300000 9")
                == "Check 2 days are wrong, the first of them 15 April 2014: more than anyone walks in a day. The figures include them."
        )
        #expect(check("5000 6000 9").isEmpty)
    }

    @Test func `without a plan the command that sets one stands on a line of its own`() {
        let day = DayFigures(
            DaySums(day: Sample.day, gaits: GaitSums(walkingSteps: 5000), completeness: .complete), correction: nil,
            profile: nil, plan: nil,
            isInProgress: false)
        let series = DaySeries(user: SampleHistory.user, today: Sample.day, days: [day])
        #expect(SampleHistory.view(series).text().contains("  Goal      none: set one\n            istep plan 8000\n"))
    }
}
