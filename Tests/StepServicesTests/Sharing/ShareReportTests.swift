import StepDomain
import StepServices
import Testing

@Suite struct ShareReportTests {
    private struct Broken: Error {}

    private func worst(
        _ outcomes: ShareReport.Event.Outcome..., waiting: Int = 0, stopped: String? = nil,
        failure: ShareFailure? = nil, fault: (any Error)? = nil
    ) -> FailureCategory? {
        ShareReport(
            destination: "garden", kind: "rest",
            events: outcomes.map { .init(user: 1, day: Day("2014-04-20")!, outcome: $0) }, waiting: waiting,
            state: DestinationState(name: "garden", stopped: stopped), failure: failure, fault: fault
        ).worst
    }

    /// It becomes the exit code of the command.
    @Test func `what needs the user most decides how sharing ended`() {
        #expect(worst() == nil)
        #expect(worst(.sent, .corrected, .unchanged, .fixed, .passed, .held(until: Timestamp(0)), .nothingKnown) == nil)
        #expect(worst(.sent, waiting: 1) == .temporary)
        #expect(worst(.queued(reason: "down")) == .temporary)
        #expect(worst(.unknown(reason: "no answer")) == .temporary)
        #expect(worst(.doubtful(reason: "no answer")) == .temporary)
        #expect(worst(.doubtful(reason: "no answer"), .rejected(reason: "no")) == .data)
        #expect(worst(.rejected(reason: "no"), failure: ShareFailure(.misconfigured, "no token")) == .configuration)
        #expect(worst(.rejected(reason: "no"), stopped: "401") == .permission)
        #expect(worst(.sent, stopped: "401", fault: Broken()) == .unforeseen)
    }

    @Test func `days of others that wait do not decide for a user who is named`() {
        var report = ShareReport(
            destination: "garden", kind: "rest",
            events: [.init(user: 2, day: Day("2014-04-20")!, outcome: .rejected(reason: "no"))],
            state: DestinationState(name: "garden"))
        report.refused = [2]
        let order = ShareOrder.days([], of: User(id: 1, name: "anna"))
        #expect(order.worst(of: [report], isUserNamed: true) == nil)
        #expect(order.worst(of: [report], isUserNamed: false) == .data)
        #expect(ShareOrder.due.worst(of: [report], isUserNamed: true) == .data)
    }
}
