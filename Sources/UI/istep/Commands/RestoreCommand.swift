import ArgumentParser
import Foundation
import StepDomain
import StepServices
import StepViews
import Support

struct RestoreCommand: AsyncParsableCommand, Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore a backup of the history, or what a shared database has; without a file, list the backups.",
        discussion: """
            Checks the backup, shows what it contains and what would be lost (users, pedometers, days, corrections, plans, profiles), \
            and asks before it replaces the history, which is always that of all users. With --yes it neither compares nor asks. The previous \
            history is never deleted: it is kept in the same directory with date and time in its name. The record of the days that \
            were shared is copied from the previous history to the restored one, so these days are not sent again. Refused with exit code 75 \
            while a sync or a share is running.

            With --from, a history is built on a new machine from what an old one has sent to a destination of the kind 'postgres'. It is \
            refused if there is a history with users.

              istep restore --from postgres:family --user Anna
            """)
    static let documents = [JSONUse(.backups), JSONUse(.restore, "FILE"), JSONUse(.rebuilding, "--from")]
    static let adviceOptions = AdviceOptions.ofMachine

    @Argument(help: ArgumentHelp("The backup.", valueName: "file"), completion: .file())
    var file: String?

    @Option(
        help: ArgumentHelp("Build a history from what this destination has.", valueName: "kind:name"),
        completion: CompletionNames.destinations)
    var from: String?

    @Option(
        help: ArgumentHelp(
            "With --from: the machine that has sent the days (default: the only one, or one with the name of this machine).",
            valueName: "name"))
    var machine: String?

    @Flag(name: [.customShort("n"), .long], help: "With --from: only show what would be restored.")
    var dryRun = false

    @Flag(name: .shortAndLong, help: "Replace the history without asking.")
    var yes = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if file != nil, from != nil { throw ValidationError("A backup cannot be combined with --from.") }
        if from == nil, machine != nil || dryRun { throw ValidationError("--machine and --dry-run need --from.") }
    }

    func run() async throws {
        let wiring = try Wiring(common)
        if let from { return try await restoreShared(from, wiring) }
        let service = wiring.backupService
        guard let file else {
            let (directory, backups, isHistoryThere) = try service.list()
            return try wiring.show(BackupsView(directory: directory, backups, isHistoryThere: isHistoryThere))
        }
        let backup = try await service.examine(file)
        if backup.replacesHistory, !yes {
            let preview = RestoreView(
                backup.contents, history: backup.history, isDone: false, old: nil, lost: await service.losses(backup))
            let command = ShellCommand("istep restore --yes", (common.db.map { ["--db", $0] } ?? []) + [file])
            try await wiring.ask(
                Question(
                    text: "Replace the history? The previous one is kept in the same directory.",
                    refusal: "The history was not replaced.", purpose: "To replace it", command: command),
                showing: preview, isAgreed: false)
        }
        let replaced = try await service.restore(backup)
        try wiring.show(
            RestoreView(
                backup.contents, history: backup.history, isDone: true, old: replaced.path,
                isSharingUncertain: replaced.isSharingUncertain))
    }

    private func restoreShared(_ destination: String, _ wiring: Wiring) async throws {
        let restore = try await blocking { try wiring.sharedRestore() }
        let candidate = try await restore.candidate(from: destination, user: wiring.userToRestore, machine: machine)
        let export = candidate.export
        let counts: ExportCounts
        let preview = wiring.previewRestoring(leavesOutImpossible: true)
        do { counts = try await blocking { try preview(export) } } catch ImportError.malformed(
            let path, let reason)
        {
            throw CommandFailure(
                .data, "\(path) cannot be restored: \(reason). Nothing was stored.",
                advice:
                    "Compare the database: `istep postgres check \(ShellCommand.quoted(candidate.destination.name))`")
        }
        func view(_ counts: ExportCounts, isDone: Bool) -> SharedRestoreView {
            SharedRestoreView(candidate, counts, history: wiring.databasePath, isDone: isDone)
        }
        if dryRun { return try wiring.show(view(counts, isDone: false)) }
        let options = [("--machine", machine), ("--user", common.user), ("--db", common.db)]
        let words = ["--from", destination] + options.flatMap { name, value in value.map { [name, $0] } ?? [] }
        try await wiring.ask(
            Question(
                text: "Restore it?", refusal: "Nothing was restored.", purpose: "To restore it",
                command: ShellCommand("istep restore --yes", words)),
            showing: view(counts, isDone: false), isAgreed: yes)
        let stored = try await wiring.importing.restore(export, into: try wiring.restoring(leavesOutImpossible: true))
        try wiring.show(view(stored, isDone: true))
    }
}
