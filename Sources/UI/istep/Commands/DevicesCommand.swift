import ArgumentParser
import StepDomain
import StepServices
import StepViews

struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List your pedometers.")

    @OptionGroup var common: CommonOptions

    func run() throws {
        let wiring = try Wiring(common)
        let history = try wiring.history(for: .reading)
        let user = try common.user.map { _ in try wiring.user(in: history) }
        let entries = try PedometerSelection(history).pedometers(named: [], of: user).map { try wiring.entry(of: $0, in: history) }
        try wiring.show(DevicesView(entries, now: wiring.now(), localTime: wiring.localTime))
    }
}

extension Wiring {
    /// A pedometer as lists show it.
    func entry(of pedometer: Pedometer, in history: any StepHistory) throws -> DevicesView.Entry {
        DevicesView.Entry(
            pedometer: pedometer,
            model: title(ofModel: pedometer.model) + (Self.catalog.kind(pedometer.model)?.isExperimental == true ? " (experimental)" : ""),
            caveat: Self.catalog.kind(pedometer.model)?.caveat,
            user: try history.users().first { $0.id == pedometer.user }?.name ?? "",
            syncs: try history.recentSyncs(of: pedometer.id))
    }
}
