import ArgumentParser
import StepDomain
import StepServices
import StepViews
import Support

struct ForgetCommand: AsyncParsableCommand, Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Remove a pedometer; its steps stay in the history.",
        discussion: """
            If you add it again, the next sync continues where the last one stopped. A source of imports comes back with its next import; \
            to take its steps out of the history: 'istep imports remove'.
            """)
    static let documents = [JSONUse(.devices)]
    static let adviceOptions = AdviceOptions.ofMachine

    @Argument(
        help: ArgumentHelp("Its name or address.", valueName: "pedometer"), completion: CompletionNames.pedometers)
    var pedometer: String

    @Flag(help: "Remove its pairing from this machine as well.")
    var unpair = false

    @OptionGroup var common: CommonOptions
    @OptionGroup var bluetooth: BluetoothOptions

    func run() async throws {
        let wiring = try Wiring(common, bluetooth)
        let (history, entry, sources) = try await blocking {
            let history = try wiring.history(for: .updating)
            let sources = try wiring.history(for: .reading).importSources()
            // As it was before: a forgotten pedometer is not listed.
            return (
                history,
                try DevicesView.Entry(
                    PedometerSelection(history, ofUserNamed: common.user, besides: sources).pedometer(pedometer),
                    in: history, wiring),
                sources
            )
        }
        let forgotten = try await wiring.registration(history).forget(
            pedometer, ofUserNamed: common.user, besides: sources, unpairing: unpair)
        if common.json {
            try wiring.show(DevicesView([entry], now: wiring.now(), localTime: wiring.localTime))
        } else {
            try wiring.say(RegistrationWords.forgotten(forgotten))
        }
    }
}
