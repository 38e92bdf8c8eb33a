import StepDomain
import StepServices
import StepViews

/// A whole command that shares: shows the results, and ends with the exit status of the worst failure.
struct ShareRun {
    let wiring: Wiring
    let sharing: ShareService

    /// - Parameter waits: whether to continue, with pauses, until nothing is left that another attempt could deliver.
    func run(_ order: ShareOrder, waits: Bool = false) async throws {
        let progress = wiring.progress()
        defer { progress.end() }
        let reports = try await sharing.share(order, waits: waits) { [wiring] in progress.step(ProgressWords.line($0, wiring.localTime)) }
        progress.end()
        try wiring.show(Self.view(reports, users: sharing.users, wiring))
        await updateNotices(reports)
        try Task.checkCancellation()
        let worst = reports.flatMap(\.failures).map(Failure.init).max { $0.severity < $1.severity }
        if let worst { throw AlreadyReported(worst.status) }  // the view has shown the message
    }

    /// Notices that were just shown to people are not new in the morning. What cannot be marked is shown again.
    private func updateNotices(_ reports: [ShareReport]) async {
        guard let notices = try? await sharing.context.updateNotices(), !wiring.isForPrograms else { return }
        var outcome = SyncService.Outcome(start: wiring.now())
        (outcome.shares, outcome.notices) = (reports, notices)
        await sharing.context.markSeen(in: outcome)
    }

    static func view(_ reports: [ShareReport], users: [User], _ wiring: Wiring) -> ShareView {
        ShareView(reports, users: users, now: wiring.now(), localTime: wiring.localTime) { Failure($0).line ?? "\($0)" }
    }
}
