import ArgumentParser
import Foundation
import StepDomain
import StepServices
import StepViews

struct RestoreCommand: AsyncParsableCommand, Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore a backup of the history; without a file, list the backups.",
        discussion: """
            Checks the backup, shows what it contains and what would be lost (users, pedometers, days, corrections, plans, profiles), \
            and asks before it replaces the history. With --yes it neither compares nor asks. The previous \
            history is never deleted: it is kept in the same directory with date and time in its name. The record of the days that \
            were shared is copied from the previous history to the restored one, so these days are not sent again. Refused with exit code 75 \
            while a sync or a share is running.
            """)
    static let documents = [JSONUse(.backups), JSONUse(.restore, "FILE")]
    static let adviceOptions = AdviceOptions.ofMachine

    @Argument(help: ArgumentHelp("The backup.", valueName: "file"), completion: .file())
    var file: String?

    @Flag(name: .shortAndLong, help: "Replace the history without asking.")
    var yes = false

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let wiring = try Wiring(common)
        let service = wiring.backupService
        guard let file else {
            let (directory, backups, isHistoryThere) = service.list()
            return try wiring.show(BackupsView(directory: directory, backups, isHistoryThere: isHistoryThere))
        }
        let backup = try await service.examine(file)
        if backup.replacesHistory, !yes {
            // With --json a command prints one document: here that of the failure.
            if !common.json {
                let lost = await service.losses(backup)
                try wiring.show(
                    RestoreView(backup.contents, history: backup.history, isDone: false, old: nil, lost: lost))
            }
            try await confirm(file)
        }
        let replaced = try await service.restore(backup)
        try wiring.show(
            RestoreView(
                backup.contents, history: backup.history, isDone: true, old: replaced.path,
                isSharingUncertain: replaced.isSharingUncertain))
    }

    /// - Throws: `CommandFailure` unless a user at the terminal agrees.
    private func confirm(_ file: String) async throws {
        let command = ShellCommand("istep restore --yes", (common.db.map { ["--db", $0] } ?? []) + [file])
        try await Question(
            text: "Replace the history? The previous one is kept in the same directory.",
            refusal: "The history was not replaced.", purpose: "To replace it", command: command
        ).ask(isForPrograms: common.json)
    }
}
