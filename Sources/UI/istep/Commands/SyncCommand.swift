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
        var shared: Shared?
        if !isUnshared, !Task.isCancelled { shared = await share(history, wiring, progress) }
        progress.end()
        try wiring.show(
            SyncView(
                reports, shares: shared?.view, now: wiring.now(), localTime: wiring.localTime, advice: { Failure($0).advice }))
        let failures = reports.compactMap(\.failure).map { (Failure($0), isTold: true) } + (shared?.failures ?? [])
        guard let worst = failures.max(by: { $0.0.severity < $1.0.severity }) else { return }
        // The view has told the words of most.
        for (failure, isTold) in failures where !isTold { Main.tell(failure) }
        throw SilentExit(worst.0.status)
    }

    // MARK: Sharing

    /// Seconds for sharing: a server that dawdles must not hold up whoever waits for the steps.
    private static let patience = 120

    /// What came of sharing after a sync.
    private struct Shared {
        var view: ShareView?
        /// With whether the view tells their words.
        var failures: [(Failure, isTold: Bool)] = []
    }

    /// The steps are home by now: whatever goes wrong here is told beside them.
    private func share(_ history: SharingRun.History, _ wiring: Wiring, _ progress: Progress) async -> Shared {
        do {
            let sharing = try SharingRun(wiring, history)
            guard !sharing.destinations.isEmpty else { return Shared() }
            let reports = try await sharing.share(.due, deadline: wiring.now() + Self.patience, progress)
            let worst = SharingRun.worst(reports).map { [($0, isTold: true)] } ?? []
            return Shared(view: sharing.view(reports), failures: worst)
        } catch SyncLockError.held(.sharing, _) {
            return Shared()     // what is new goes out with the other's next, or with the next sync
        } catch {
            return Shared(failures: [(Failure(error), isTold: false)])
        }
    }

    /// 2025-01-01: older than any istep.
    private static let earliest = Timestamp(1_735_689_600)

    private func synchronize(
        _ pedometers: [Pedometer], _ history: SharingRun.History, _ wiring: Wiring, _ progress: Progress
    ) async -> [SyncReport] {
        let service = StepDataService(
            history: history, reader: wiring.reader(days: days), localTime: wiring.localTime, now: wiring.now)
        return await service.synchronize(pedometers) { pedometer, step in
            progress.step(SyncView.words(for: step, of: pedometer))
        }
    }
}
