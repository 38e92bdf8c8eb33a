import StepServices
import Testing

@Suite(.timeLimit(.minutes(5))) struct SchedulingReminderTests {
    @Test func `the user is reminded of what a scheduled sync does not use, and of a missing pedometer`() {
        #expect(SchedulingReminder.all(variables: ["ISTEP_DB"], hasSources: true) == [.ignoredVariable("ISTEP_DB")])
        #expect(
            SchedulingReminder.all(variables: ["XDG_DATA_HOME"], hasSources: false) == [
                .ignoredVariable("XDG_DATA_HOME"), .noPedometer,
            ])
        #expect(SchedulingReminder.all(variables: [], hasSources: true).isEmpty)
    }
}
