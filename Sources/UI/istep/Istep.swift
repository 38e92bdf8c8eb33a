import ArgumentParser

/// The command: its subcommands, one file each, under `Commands`.
struct Istep: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "istep",
        abstract: "Brings the steps of a Bluetooth LE pedometer home, without a cloud.",
        discussion: """
            A first time:
              istep scan            which pedometers are in range
              istep add ADDRESS     take one of them on
              istep sync            read its steps into the history
              istep show            today; also: istep show yesterday, istep show 2014-04-20
              istep auto on         from now on every night by itself

            No pedometer at hand? 'istep demo' shows all of it with a simulated one. Something does not work? 'istep doctor' finds out why.

            Exit codes: 0 done; 1 something unforeseen; 64 wrong usage; 65 bad data, or a day that was rejected; 69 no adapter, \
            bus or device; 75 not now, try later (not in range, another sync runs, something waits to be shared); 77 not \
            permitted, or credentials refused; 78 wrong configuration.
            """,
        version: Version.current,
        subcommands: [
            ScanCommand.self, AddCommand.self, DevicesCommand.self, ForgetCommand.self, SyncCommand.self, WatchCommand.self,
            ShowCommand.self, ShareCommand.self, ProfileCommand.self, PlanCommand.self, StatusCommand.self,
            OutboxCommand.self, AutoCommand.self, ConfigCommand.self, DoctorCommand.self, DemoCommand.self,
        ])
}

enum Version {
    static let current = "0.1.0"
}
