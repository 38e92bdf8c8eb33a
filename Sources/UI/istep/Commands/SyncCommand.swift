import ArgumentParser
import BlueZ
import Pedometers
import StepDatabase
import StepDomain
import StepViews

struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Read the steps of your pedometers into the history.",
        discussion: """
            Reads what is new since the last time, or all that a pedometer still holds. What has come in is safe at once: a sync \
            that is cut short goes on the next time. Exit code 75 tells that a pedometer was not in range.
            """)

    @Argument(help: ArgumentHelp("Only these, by name or address.", valueName: "pedometer"))
    var pedometers: [String] = []

    @Option(help: ArgumentHelp("Ask for so many days at most, today counted.", valueName: "days"))
    var days: Int?

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
        // A board without a battery-backed clock begins in the past; a ring set by it would be wrong for days.
        guard wiring.now() >= Self.earliest else {
            throw NotNow(
                "This machine's clock says \(wiring.localTime.day(of: wiring.now())).",
                advice: "Wait until it is set (timedatectl tells), then sync again.")
        }
        let progress = wiring.progress()
        defer { progress.end() }
        let reports = try await SyncLock.hold(ofDatabase: wiring.databasePath) {
            await synchronize(chosen, history, wiring, progress)
        }
        progress.end()
        try wiring.show(
            SyncView(reports, now: wiring.now(), localTime: wiring.localTime, advice: { Failure($0).advice }))
        if let worst = reports.compactMap(\.failure).map(Failure.init).max(by: { $0.severity < $1.severity }) {
            throw SilentExit(worst.status)      // the view has told the words
        }
    }

    /// 2025-01-01: older than any istep.
    private static let earliest = Timestamp(1_735_689_600)

    private func synchronize(
        _ pedometers: [Pedometer], _ history: any StepHistory, _ wiring: Wiring, _ progress: Progress
    ) async -> [SyncReport] {
        let service = StepDataService(
            history: history, reader: wiring.reader(days: days), localTime: wiring.localTime, now: wiring.now)
        return await service.synchronize(pedometers) { pedometer, step in
            progress.step(SyncView.words(for: step, of: pedometer))
        }
    }
}
