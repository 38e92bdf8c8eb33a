import ArgumentParser
import StepDomain
import StepServices
import StepViews

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show notices, today's steps, and the last sync and battery of each pedometer.",
        discussion: """
            Reads the history only: no Bluetooth, no network. Notices (nights that failed, a low battery, a rejected day, a goal \
            reached) are listed first and marked as new the first time. Events are shown once, ongoing problems until they end. \
            --json does not mark notices as seen.
            """)

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let wiring = try Wiring(common)
        let history = try wiring.history(for: .reading)
        let statistics = StepStatistics(history, localTime: wiring.localTime, now: wiring.now)
        let now = wiring.now()
        let today = wiring.localTime.day(of: now)
        let wanted = try common.user.map { _ in try wiring.user(in: history) }
        let pedometers = try history.pedometers()
        let users = try history.users()
        let notices = try history.standingNotices().filter { wanted == nil || $0.notice.user == nil || $0.notice.user == wanted?.id }
        let people = try users.filter { wanted == nil || $0.id == wanted?.id }.map { user in
            StatusView.Person(
                today: try statistics.summary(of: user, on: today),
                pedometers: try pedometers.filter { $0.user == user.id }.map { pedometer in
                    StatusView.Device(
                        pedometer: pedometer, model: wiring.title(ofModel: pedometer.model),
                        syncs: try history.syncs(of: pedometer.id, limit: 20))
                })
        }
        try wiring.show(
            StatusView(
                people, notices: notices, isHousehold: users.count > 1, database: wiring.databasePath, now: now,
                localTime: wiring.localTime))
        let shown = notices.filter(\.isNew).map(\.id)
        guard !shown.isEmpty, !common.json else { return }
        // If the history cannot be written, they are shown again.
        try? wiring.history(for: .updating).markSeen(shown, at: now)
    }
}
