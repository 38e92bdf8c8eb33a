import ArgumentParser
import StepDomain
import StepViews

struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Read the steps of your pedometers into the history.",
        discussion: """
            Reads what is new since the last time, or all that a pedometer still holds. What has come in is safe at once: a sync \
            that is cut short goes on the next time. Then it shares what is due with the destinations that you set up (see \
            'istep share --help'). Exit code 75 tells that a pedometer was not in range, or that something waits to be shared.
            """)

    @Argument(help: ArgumentHelp("Only these, by name or address.", valueName: "pedometer"))
    var pedometers: [String] = []

    @Option(help: ArgumentHelp("Ask for so many days at most, today counted.", valueName: "days"))
    var days: Int?

    @Flag(name: .customLong("no-share"), help: "Share nothing this time.")
    var isUnshared = false

    @OptionGroup var common: CommonOptions
    @OptionGroup var bluetooth: BluetoothOptions

    func validate() throws {
        if let days, !(1...366).contains(days) { throw ValidationError("--days takes 1 to 366.") }
    }

    func run() async throws {
        let wiring = try Wiring(common, bluetooth)
        let history = try wiring.history(for: .updating)
        let user = try common.user.map { _ in try wiring.user(in: history) }
        let chosen = try Selection(history).pedometers(named: pedometers, of: user)
        guard !chosen.isEmpty else {
            throw UsageFailure("There is no pedometer to sync.", advice: "Add one: istep scan, then istep add ADDRESS.")
        }
        let progress = wiring.progress()
        defer { progress.end() }
        let result = try await SyncRun(
            wiring: wiring, history: history, progress: progress, days: days, isShared: !isUnshared
        ).run(chosen)
        progress.end()
        try wiring.show(
            SyncView(
                result.reports, shares: result.shared?.view, now: wiring.now(), localTime: wiring.localTime,
                advice: { Failure($0).advice }))
        guard let worst = result.failures.max(by: { $0.0.severity < $1.0.severity }) else { return }
        // The view has told the words of most.
        for (failure, isTold) in result.failures where !isTold { Main.tell(failure) }
        throw SilentExit(worst.0.status)
    }
}
