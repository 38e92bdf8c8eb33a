import ArgumentParser
import StepDomain
import StepServices
import StepViews

struct StatusCommand: ParsableCommand, Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show notices, today's steps, and the last sync and battery of each pedometer.",
        discussion: """
            Reads the history only: no Bluetooth, no network. Notices (nights that failed, a low battery, a rejected day, a goal \
            reached) are listed first and marked as new the first time. Events are shown once, ongoing problems until they end. \
            --json does not mark notices as seen.
            """)
    static let documents = [JSONUse(.status)]

    @OptionGroup var common: CommonOptions

    func run() throws {
        let wiring = try Wiring(common)
        let history = try wiring.history(for: .reading)
        let now = wiring.now()
        let wanted = try wiring.namedUser(in: history)
        let report = try StatusReport(history, of: wanted, localTime: wiring.localTime, now: now)
        try wiring.show(
            StatusView(
                report.people, models: wiring.models, notices: report.notices, backlogs: report.backlogs,
                isHousehold: report.isHousehold, database: wiring.databasePath, now: now,
                localTime: wiring.localTime, imports: try wiring.importStatuses()))
        let shown = report.notices.filter(\.isNew).map(\.id)
        guard !shown.isEmpty, !common.json else { return }
        // If the history cannot be written, they are shown again.
        try? wiring.history(for: .updating).markSeen(shown, at: now)
    }
}
