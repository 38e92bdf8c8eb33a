import StepDomain
import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct SyncSummaryTests {
    private struct OutOfRange: ReportableError {
        var cause: FailureCause { .outOfRange }
        var category: FailureCategory { .temporary }
        var description: String { "not in range" }
    }
    private struct Broken: Error {}

    private func report(_ name: String, steps: Int = 0, battery: Int? = nil, failure: (any Error)? = nil) -> SyncReport
    {
        SyncReport(
            pedometer: Sample.pedometer(name), counts: MergeCounts(steps: steps), battery: battery, failure: failure)
    }

    private func share(_ outcomes: ShareReport.Event.Outcome..., waiting: Int = 0, stopped: String? = nil)
        -> ShareReport
    {
        ShareReport(
            destination: "mastodon", kind: "mastodon",
            events: outcomes.map { .init(user: 1, day: Sample.day, outcome: $0) }, waiting: waiting,
            state: DestinationState(name: "mastodon", stopped: stopped))
    }

    @Test func `a sync and its shares are summarised in one line`() {
        let summary = SyncSummary(
            [report("ring", steps: 8123, battery: 80), report("watch", failure: OutOfRange())], shares: [share(.sent)])
        #expect(summary.line == "ring: 8,123 new steps, battery 80 %; watch: not in range; mastodon: 1 day sent")
    }

    @Test func `the summary line describes failures, gaps and empty syncs`() {
        #expect(SyncSummary([report("ring")]).line == "ring: nothing new")
        var partial = report("ring", steps: 5, battery: 80)
        partial.notices = [.missing([DayGap(Sample.day, .refused), DayGap(Sample.day.advanced(by: 1), .incomplete)])]
        #expect(SyncSummary([partial]).line == "ring: 5 new steps, battery 80 %, 2 days missing")
        #expect(SyncSummary([report("ring", steps: 1, failure: Broken())]).line == "ring: 1 new step, then failed")
        #expect(SyncSummary([report("ring", failure: CancellationError())]).line == "ring: interrupted")
        #expect(SyncSummary([report("a\n\u{1b}b")]).line == "a\u{fffd}\u{fffd}b: nothing new")
        #expect(
            SyncSummary([]).line == "No pedometer yet. Find a pedometer: istep scan, then add it: istep add ADDRESS")
    }

    @Test func `the summary line counts shared, rejected and waiting days`() {
        func line(_ share: ShareReport) -> String { SyncSummary([], shares: [share]).line }
        #expect(
            line(share(.sent, .sent, .corrected, .unchanged, .rejected(reason: "no")))
                == "mastodon: 2 days sent, 1 day updated, 1 day rejected")
        #expect(line(share(.queued(reason: "down"), waiting: 2)) == "mastodon: 3 days wait")
        #expect(line(share(waiting: 1, stopped: "401")) == "mastodon: 1 day waits, paused")
        #expect(line(share(.doubtful(reason: "?"))) == "mastodon: 1 day may have arrived")
        #expect(line(share(.unchanged)) == SyncSummary([]).line)
    }
}
