import ArgumentParser

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Stay, and read each pedometer whenever it comes into range.",
        discussion: """
            Syncs and shares as 'istep sync' does: a pedometer that comes into range at once, one that stays there every so often, \
            and one that keeps only today's count also shortly before midnight. It waits for adapters that are unplugged and for a \
            bluetoothd that is restarted, and ends by Ctrl-C. Where BlueZ monitors advertisements (bluetoothd --experimental), \
            it is woken when a pedometer is there; elsewhere it scans for five seconds a minute while one is to be read, more seldom \
            when nobody is heard for hours.

            With --live a pedometer that can tells its steps while its wearer walks. Its link then stays open as long as it is in \
            range, which costs its battery, and no phone can connect to it meanwhile.

            With --json each sync is a document as 'istep sync --json' prints it. With --live besides, each change is a document on a \
            line of its own: "version" is 1, "time" when it was, and "live" a list of those that are connected, each with its "name", \
            "steps", "goal" and "percentage", of which null is what is not known.
            """)

    @Argument(help: ArgumentHelp("Only these, by name or address.", valueName: "pedometer"))
    var pedometers: [String] = []

    @Option(help: ArgumentHelp("Read one that stays in range again after so many minutes.", valueName: "minutes"))
    var every = 15

    @Flag(help: "Stay connected, and show the steps of today as they are made.")
    var live = false

    @Flag(name: .customLong("no-share"), help: "Share nothing.")
    var isUnshared = false

    @Flag(help: "Nobody is watching: one line of output for each sync, and waiting for the first pedometer to be added.")
    var unattended = false

    @OptionGroup var common: CommonOptions
    @OptionGroup var bluetooth: BluetoothOptions

    func validate() throws {
        guard (1...1440).contains(every) else { throw ValidationError("--every takes 1 to 1440 minutes.") }
    }

    func run() async throws {
        try await Watch(
            try Wiring(common, bluetooth),
            Watch.Order(
                pedometers: pedometers, user: common.user, interval: every * 60, isLive: live && !unattended, isShared: !isUnshared,
                manner: unattended ? .unattended : .attended)
        ).run()
    }
}
