import StepDomain
import StepServices
import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct ErrorTextTests {
    private struct Unknown: Error {}

    private struct Locked: ReportableError {
        var category: FailureCategory { .temporary }
        var description: String { "the history is locked" }
        var advice: String? { "Look: `istep status`" }
    }

    @Test func `each kind of error has its category, its words and its advice`() {
        let locked = ErrorText(Locked())
        #expect(locked.category == .temporary && locked.category.exitCode == 75)
        #expect(locked.line == "the history is locked; Look: `istep status`")

        let service = ErrorText(ServiceError.unknownPedometer("band", known: ["ring"]))
        #expect(service.category == .usage && service.line == "There is no pedometer 'band'. Known names: ring.")

        let file = ErrorText(ImportError.missing(path: "/a"))
        #expect(file.category == .unavailable && file.line == "There is no file /a. Check the path.")

        let interrupted = ErrorText(CancellationError())
        #expect(interrupted.category == .temporary && interrupted.line == "Interrupted. Run the command again.")

        let unknown = ErrorText(Unknown())
        #expect(unknown.category == .unforeseen && unknown.category.exitCode == 1)
        #expect(unknown.line == "Unknown(); Please report this.")
    }

    private struct NotHeard: ReportableError {
        var category: FailureCategory { .temporary }
        var cause: FailureCause { .outOfRange }
        var description: String { "C0:DE:00:00:00:01 was not heard within 20 s" }
    }

    @Test func `a device that was not heard has the same advice, whoever looked for it`() {
        let text = ErrorText(NotHeard()),
            adding = ErrorText(ServiceError.notDiscovered("ring", isName: false, seconds: 15, others: []))
        #expect(text.advice != nil && text.advice == adding.advice)
        #expect(text.line.contains("was not heard within 20 s; It is out of range, asleep, or connected to a phone"))
    }

    @Test func `advice gets the options that its commands need`() {
        let text = ErrorText(Locked()).with(CommandOptions(database: "/h"))
        #expect(text.line == "the history is locked; Look: `istep status --db /h`", "\(text.line)")
    }

    /// Scripts rely on them: sysexits(3).
    @Test func `each category has an exit code of its own`() {
        #expect(
            FailureCategory.allCases.map { "\($0.rawValue) \($0.exitCode)" } == [
                "temporary 75", "unavailable 69", "data 65", "usage 64", "configuration 78", "permission 77",
                "resources 71", "unforeseen 1",
            ])
    }
}
