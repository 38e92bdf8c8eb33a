import ArgumentParser
import StepDomain
import StepViews

struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the pedometers that you added.")

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let wiring = try Wiring(common)
        let history = try wiring.history(for: .reading)
        let users = try history.users()
        let user = try common.user.map { _ in try wiring.user(in: history) }
        let entries = try Selection(history).pedometers(named: [], of: user).map { pedometer in
            DevicesView.Entry(
                pedometer: pedometer, model: wiring.title(ofModel: pedometer.model),
                user: users.first { $0.id == pedometer.user }?.name ?? "",
                lastSync: try history.syncs(of: pedometer.id, limit: 1).first)
        }
        try wiring.show(DevicesView(entries, now: wiring.now(), localTime: wiring.localTime))
    }
}
