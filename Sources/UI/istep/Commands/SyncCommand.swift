import ArgumentParser
import StepDatabase
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

            For timers and services: with --unattended it prints one line that sums up, waits for an adapter that is just coming up, and has the \
            desktop show what is worth a word ('istep status' tells it too; 'notifications = false' in the configuration keeps the \
            desktop out of it). With --counters it reads only pedometers that keep nothing but the count of today, shortly before \
            midnight takes it from them.
            """)

    @Argument(help: ArgumentHelp("Only these, by name or address.", valueName: "pedometer"))
    var pedometers: [String] = []

    @Option(help: ArgumentHelp("Ask for so many days at most, today counted.", valueName: "days"))
    var days: Int?

    @Flag(name: .customLong("no-share"), help: "Share nothing this time.")
    var isUnshared = false

    @Flag(help: "Nobody is watching: one line of output, and notices for the desktop.")
    var unattended = false

    @Flag(help: "Only pedometers that keep nothing but today's count.")
    var counters = false

    @OptionGroup var common: CommonOptions
    @OptionGroup var bluetooth: BluetoothOptions

    func validate() throws {
        if let days, !(1...366).contains(days) { throw ValidationError("--days takes 1 to 366.") }
    }

    func run() async throws {
        let wiring = try Wiring(common, bluetooth)
        guard let history = try history(wiring) else { return try nobody(wiring) }
        let user = try common.user.map { _ in try wiring.user(in: history) }
        let all = try Selection(history).pedometers(named: pedometers, of: user)
        let chosen = counters ? all.filter(wiring.holdsTodayOnly) : all
        guard !chosen.isEmpty else { return try nobody(wiring) }

        let progress = unattended ? Progress(.silent) : wiring.progress()
        defer { progress.end() }
        let result = try await SyncRun(
            wiring: wiring, history: history, progress: progress, days: days, isShared: !isUnshared, isPatient: unattended
        ).run(chosen)
        progress.end()
        if unattended {
            try await NightReport(wiring: wiring, history: history).tell(result)
        } else {
            try wiring.show(result.view(wiring))
            // A program that reads JSON is nobody who was told. What cannot be marked is told again.
            if !common.json { try? history.markSeen(result.told.map(\.id), at: wiring.now()) }
        }
        guard let worst = result.failures.max(by: { $0.0.severity < $1.0.severity }) else { return }
        // The view has told the words of most.
        for (failure, isTold) in result.failures where !isTold && !unattended { Main.tell(failure) }
        throw SilentExit(worst.0.status)
    }

    /// Nil where there is none, and that is no fault: a timer may be set up before the first pedometer.
    private func history(_ wiring: Wiring) throws -> SharingRun.History? {
        do throws(HistoryError) {
            return try wiring.history(for: .updating)
        } catch {
            if case .missing = error, unattended || counters { return nil }
            throw error
        }
    }

    private func nobody(_ wiring: Wiring) throws {
        if counters { return }
        guard unattended else {
            throw CommandFailure(.usage, "There is no pedometer to sync.", advice: "Add one: istep scan, then istep add ADDRESS.")
        }
        if common.json { return try wiring.show(SyncView([], now: wiring.now(), localTime: wiring.localTime)) }
        try Output.standard.result(SyncSummary([]).line)
    }
}
