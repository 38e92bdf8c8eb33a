import ArgumentParser
import StepDomain
import StepServices
import StepViews

struct DevicesCommand: ParsableCommand, Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List your pedometers and the sources of imports, or rename one.",
        discussion: """
              istep devices                          all
              istep devices ring                     only this one
              istep devices ring --rename bedroom    give it another name

            Only the name changes: steps, clock and shared days stay. From then on, commands take the new name, also in your scripts and \
            timers; the configuration contains no names of pedometers. Destinations that receive slots (InfluxDB, and others with \
            'samples = true') receive the new name with each day that is sent from then on; slots that were sent before stay in \
            InfluxDB under the old name.
            """)
    static let documents = [JSONUse(.devices)]

    @OptionGroup var only: PedometerArguments

    @Option(help: ArgumentHelp("Give the pedometer this name.", valueName: "name"))
    var rename: String?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard let rename else { return }
        try ArgumentRules.checkName(rename, of: "--rename")
        if only.pedometers.count != 1 {
            throw ValidationError("--rename needs one pedometer: istep devices PEDOMETER --rename NAME")
        }
    }

    func run() throws {
        let wiring = try Wiring(common)
        let history = try wiring.history(for: rename == nil ? .reading : .updating)
        // Sources of imports are named like pedometers.
        let sources = try history.importSources()
        if let rename {
            let (before, after) = try wiring.registration(history).rename(
                only.pedometers[0], ofUserNamed: common.user, besides: sources, to: rename)
            guard common.json else {
                return try wiring.say(RegistrationWords.renamed(before, to: after))
            }
            return try wiring.show(
                DevicesView([.init(after, in: history, wiring)], now: wiring.now(), localTime: wiring.localTime))
        }
        let chosen = try PedometerSelection(history, ofUserNamed: common.user, besides: sources).pedometers(
            named: only.pedometers)
        let entries = try chosen.map { try DevicesView.Entry($0, in: history, wiring) }
        try wiring.show(DevicesView(entries, now: wiring.now(), localTime: wiring.localTime))
    }
}

extension DevicesView.Entry {
    /// A pedometer as lists show it.
    init(_ pedometer: Pedometer, in history: any StepHistory, _ wiring: Wiring) throws {
        self.init(
            pedometer: pedometer, model: wiring.models.titleInList(pedometer.model),
            caveat: wiring.models.caveat(pedometer.model),
            user: try history.users().first { $0.id == pedometer.user }?.name ?? "",
            syncs: try history.recentSyncs(of: pedometer.id, at: wiring.now()).syncs)
    }
}
