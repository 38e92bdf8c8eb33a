import ArgumentParser
import StepDomain
import StepServices
import StepViews

struct SyncCommand: AsyncParsableCommand, Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Read the steps of your pedometers into the history.",
        discussion: """
            Reads what is new since the last sync; the first sync reads what the pedometer still holds (of a Bangle.js, the last 400 \
            days). Data is stored as it arrives; an interrupted sync continues next time. Then it shares what is due with the configured destinations (see \
            'istep share --help'). Exit code 75: a pedometer was not in range, or \
            days wait in the outbox.

            If a pedometer refuses a day, does not answer for it, or sends only a part of it, this is reported, and the other days are \
            still read. The day is \
            requested again at each sync until the pedometer no longer holds it. Such days do not change the exit code.

            All pedometers are searched for together, and each is read when it is in range. A lost connection is \
            made again, and reading goes on from what was stored: up to nine times, and until three in a row bring nothing new. The \
            output says how long the reading took. With --json, connectedSeconds is how long the connection was open, including the 2 s that \
            BlueZ takes to disconnect.

            For timers and services: with --unattended it prints a one-line summary, waits for an adapter that is starting, \
            makes a backup of the history once a week, deletes old raw frames (after two years, or as 'frames' in the configuration says), and \
            sends desktop notifications ('istep status' shows the same notices; 'notifications = false' in the configuration disables \
            notifications). With --counters it reads only pedometers that keep just today's count, before this count is reset at midnight.
            """)
    static let documents = [JSONUse(.sync)]

    @OptionGroup var only: PedometerArguments

    @Option(help: ArgumentHelp("Request at most this many days, including today.", valueName: "days"))
    var days: Int?

    @Flag(name: .customLong("no-share"), help: "Do not share.")
    var isUnshared = false

    @Flag(help: "For timers and services: a one-line summary, and desktop notifications.")
    var unattended = false

    @Flag(help: "Sync only pedometers that keep just today's count.")
    var counters = false

    @OptionGroup var common: CommonOptions
    @OptionGroup var bluetooth: BluetoothOptions

    func validate() throws {
        if let days, !(1...366).contains(days) { throw ValidationError("--days must be 1 to 366.") }
    }

    func run() async throws {
        let wiring = try Wiring(common, bluetooth)
        let request = SyncRequest(
            pedometers: only.pedometers, user: common.user, days: days, isShared: !isUnshared, isUnattended: unattended,
            readsOnlyCounters: counters)
        guard let sync = try await RequestedSync(request, in: wiring.histories, services: wiring.services) else {
            return try showNothingToSync(wiring)
        }
        let progress = unattended ? Progress(.silent) : wiring.progress()
        defer { progress.end() }
        await wiring.waitForClock(progress)
        // Text is printed as results arrive; a document, or the one line of an unattended run, at the end.
        let lines = unattended || common.json ? nil : SyncLines(wiring, progress)
        let outcome = try await sync.run(
            progress: { progress.step(ProgressWords.line($0, wiring.localTime)) }, finished: { lines?.show($0) })
        progress.end()
        let view = outcome.view(wiring)
        if outcome.shares != nil { wiring.noteOtherHistory() }
        if unattended {
            try await wiring.unattendedReporter(sync.context).report(outcome)
        } else {
            if let lines { try lines.end(view) } else { try wiring.show(view) }
            // `--json` does not mark notices as seen.
            if !common.json { await sync.context.markSeen(in: outcome) }
        }
        guard let worst = outcome.worst else { return }
        if !unattended { for failure in view.failures { Main.printError(failure) } }
        throw AlreadyReported(worst)
    }

    private func showNothingToSync(_ wiring: Wiring) throws {
        guard unattended || counters else { throw ServiceError.noPedometer(to: .sync) }
        if unattended, let name = try wiring.importWithoutHistory() {
            throw CommandFailure(
                .unavailable, "[import.\(name)]: there is no history yet.",
                advice: "Import the file once to create it: `istep import FILE`")
        }
        if common.json { return try wiring.show(SyncView([], now: wiring.now(), localTime: wiring.localTime)) }
        if counters { return }
        try Output.standard.result(SyncSummary([]).line)
    }
}
