import ArgumentParser
import CIdle
import StepServices
import StepViews

struct WatchCommand: AsyncParsableCommand, Subcommand {
    static let documents = [JSONUse(.sync), JSONUse(.live, "--live")]

    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Keep running; sync each pedometer when it comes into range.",
        discussion: """
            Syncs and shares as 'istep sync' does: when a pedometer comes into range, regularly while it stays in range, and, if \
            it keeps only today's count, also shortly before midnight. It waits for adapters that are unplugged and for a \
            bluetoothd that is restarted. Ctrl-C ends it. Where BlueZ monitors advertisements (bluetoothd --experimental), \
            the adapter reports the pedometer; otherwise istep scans for five seconds a minute while a pedometer is due, and less often \
            when none was heard for an hour.

            With --live, pedometers that support it report steps live. The connection then stays open as long as the pedometer is in \
            range; this uses its battery, and no phone can connect to it meanwhile. Steps that a band advertises are received \
            without a connection.

            With --json each sync is a document as 'istep sync --json' prints it. With --live, each change is also a document on a \
            line of its own: "version" is 1, "time" the time of the change, and "live" a list of the connected pedometers, each with "name", \
            "steps", "goal" and "percentage"; unknown values are null.
            """)

    @OptionGroup var only: PedometerArguments

    @Option(help: ArgumentHelp("Minutes between two syncs of a pedometer that stays in range.", valueName: "minutes"))
    var every = WatchOptions.standardInterval / 60

    @Flag(help: "Stay connected and show today's steps live; not with --unattended.")
    var live = false

    @Flag(name: .customLong("no-share"), help: "Do not share.")
    var isUnshared = false

    @Flag(help: "For services: one line of output per sync; waits until a pedometer is added.")
    var unattended = false

    @OptionGroup var common: CommonOptions
    @OptionGroup var bluetooth: BluetoothOptions

    func validate() throws {
        guard (1...1440).contains(every) else { throw ValidationError("--every must be 1 to 1440 minutes.") }
    }

    /// A command that ends soon does not need it.
    func prepareProcess() { run_tasks_unwatched() }

    func run() async throws {
        let options = WatchOptions(
            pedometers: only.pedometers, user: common.user, interval: every * 60, isLive: live && !unattended,
            isShared: !isUnshared,
            isUnattended: unattended, marksNotices: !common.json)
        let wiring = try Wiring(common, bluetooth)
        if !isUnshared, !wiring.destinationNames.isEmpty { wiring.noteOtherHistory() }
        if !unattended { await wiring.waitForClock(wiring.progress()) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await Watch(wiring.watching(options), options).run() }
            // The journal may be restarted.
            if !unattended { group.addTask { await Output.untilReaderEnds() } }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
