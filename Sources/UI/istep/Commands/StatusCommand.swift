import ArgumentParser
import StepDomain
import StepViews

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Tell how things stand: today's steps, when each pedometer was last read, its battery.",
        discussion: "Reads the history only: no Bluetooth, no network.")

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let wiring = try Wiring(common)
        let history = try wiring.history(for: .reading)
        let service = StepDataService(history: history, localTime: wiring.localTime, now: wiring.now)
        let now = wiring.now()
        let today = wiring.localTime.day(of: now)
        let wanted = try common.user.map { _ in try wiring.user(in: history) }
        let pedometers = try history.pedometers()
        let people = try history.users().filter { wanted == nil || $0.id == wanted?.id }.map { user in
            StatusView.Person(
                today: try service.summary(of: user, on: today),
                pedometers: try pedometers.filter { $0.user == user.id }.map { pedometer in
                    StatusView.Device(
                        pedometer: pedometer, model: wiring.title(ofModel: pedometer.model),
                        syncs: try history.syncs(of: pedometer.id, limit: 20))
                })
        }
        try wiring.show(StatusView(people, database: wiring.databasePath, now: now, localTime: wiring.localTime))
    }
}
