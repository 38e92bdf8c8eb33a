import ArgumentParser
import StepDomain

/// The command: its subcommands, one file each, under `Commands`.
struct Istep: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "istep",
        abstract: "Syncs Bluetooth LE pedometers to a local step history. No cloud.",
        discussion: """
            First steps:
              istep scan            which pedometers are in range
              istep add ADDRESS     register a pedometer
              istep sync            read its steps into the history
              istep show            today; also: istep show 2014-04-20
              istep history         the last 30 days; also: istep history year
              istep auto on         sync automatically every night

            Without a pedometer, 'istep demo' shows everything with a simulated one. If something does not work, run 'istep doctor'.

            --demo before the subcommand ('istep --demo sync') runs the command in the demo that was started by 'istep demo --keep'.

            Exit codes:
              0      done
              1      unexpected error
              64     wrong usage
              65     bad data, or a destination rejected a day
              69     a required resource is unavailable: the adapter (missing or
                     stuck), a bus, a device, a history, systemd, or a demo
              75     temporary failure: a pedometer is not in range, another sync
                     is running, or days wait in the outbox
              77     not permitted, or credentials rejected
              78     wrong configuration
              128+N  interrupted by signal N (130: Ctrl-C). 'istep watch', 'serve'
                     and 'scan' end normally on a signal, with 0
            """,
        version: Version.current,
        subcommands: [
            ScanCommand.self, GATTCommand.self, AddCommand.self, DevicesCommand.self, ForgetCommand.self, SyncCommand.self, WatchCommand.self,
            ShowCommand.self, HistoryCommand.self, BrowseCommand.self, ReportCommand.self, ServeCommand.self, CorrectCommand.self,
            ImportCommand.self, ImportsCommand.self, ShareCommand.self, ProfileCommand.self, PlanCommand.self, StatusCommand.self,
            OutboxCommand.self, AutoCommand.self, BackupCommand.self, RestoreCommand.self, ConfigCommand.self, DoctorCommand.self,
            JSONCommand.self, DemoCommand.self,
        ])
}

enum Version {
    static let current = "0.3.0"
}
