import ArgumentParser
import StepServices

/// The command: its subcommands, one file each, under `Commands`.
struct Istep: AsyncParsableCommand {
    private static let abstract = "Syncs Bluetooth LE pedometers to a local step history. No cloud."
    private static let firstSteps = """
        First steps:
          istep scan            which pedometers are in range
          istep add ADDRESS     register a pedometer
          istep sync            read its steps into the history
          istep                 today; another day: istep show 2014-04-20
          istep history         the last \(PeriodRequest.standardDays) days; also: istep history 2014
          istep serve --open    days, weeks and years in your browser
          istep auto on         sync automatically every night
          istep import FILE     steps that another program has recorded

        Without a pedometer, 'istep demo' shows everything with a simulated one. If something does not work, run 'istep doctor'.
        """
    /// What it is and how to begin.
    static let summary = "\(abstract)\n\n\(firstSteps)"

    static let configuration = CommandConfiguration(
        commandName: "istep",
        abstract: abstract,
        discussion: """
            \(firstSteps)

            --demo ('istep --demo sync') runs a command in the demo that was started by 'istep demo --keep'.
            """,
        version: Version.current,
        groupedSubcommands: [
            CommandGroup(
                name: "Pedometers",
                subcommands: [
                    ScanCommand.self, AddCommand.self, DevicesCommand.self, ForgetCommand.self, SyncCommand.self,
                    WatchCommand.self,
                    AutoCommand.self,
                ]),
            CommandGroup(
                name: "Looking",
                subcommands: [
                    ShowCommand.self, HistoryCommand.self, BrowseCommand.self, ServeCommand.self, ReportCommand.self,
                    StatusCommand.self,
                ]),
            CommandGroup(
                name: "Profile, plan and days",
                subcommands: [
                    ProfileCommand.self, PlanCommand.self, UsersCommand.self, CorrectCommand.self, MoveCommand.self,
                    DeleteCommand.self,
                ]),
            CommandGroup(
                name: "Sharing",
                subcommands: [ShareCommand.self, OutboxCommand.self, ConfigCommand.self, PostgresCommand.self]),
            CommandGroup(
                name: "Keeping and repairing",
                subcommands: [
                    BackupCommand.self, RestoreCommand.self, ExportCommand.self, ImportCommand.self,
                    ImportsCommand.self, ReplayCommand.self, DoctorCommand.self,
                ]),
            CommandGroup(
                name: "Trying and developing", subcommands: [DemoCommand.self, GATTCommand.self, JSONCommand.self]),
        ])

    /// The parser's help, with the names of the groups alone as titles, and the exit codes at the end: it shows nothing
    /// after subcommands.
    static var help: String { helpMessage().replacing(" SUBCOMMANDS:", with: ":") + "\n\n" + exitCodes }

    private static let exitCodes = """
        EXIT CODES:
          0      done
          1      unexpected error
          64     wrong usage, or a question that was not answered with yes
          65     bad data, or a destination rejected a day
          69     a required resource is unavailable: the adapter (missing or
                 stuck), a bus, a device, a history, systemd, or a demo
          71     a limit of the process is too low: threads, open files or
                 memory
          75     temporary failure: a pedometer is not in range, another sync
                 is running, or days wait in the outbox
          77     not permitted, or credentials rejected
          78     wrong configuration
          128+N  interrupted by signal N (130: Ctrl-C). 'istep watch', 'serve'
                 and 'scan' end normally on a signal, with 0
        """
}

enum Version {
    static let current = "0.3.0"
}
