import ArgumentParser
import StepDomain
import StepServices
import StepViews

struct BackupCommand: AsyncParsableCommand, Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the history to a file, and verify the copy.",
        discussion: """
            Works while a sync is running. The copy is one complete file with mode 0600. It is written under a temporary name, read \
            back and verified, and then renamed. Without FILE it goes to the directory 'backups' beside the history, with date and time \
            in its name. The directory of FILE has to exist: its disk may not be mounted. A backup has the data of all users. An earlier backup of that name is overwritten, but no other file.

            istep also makes backups automatically: before it migrates an older history, and once a week in the nightly \
            sync ('istep auto on'). The last \(BackupSchedule.standardCount) of these are kept: 'backups = \(BackupSchedule.standardCount)' in the configuration, 0 for none. Backups that you make \
            are never deleted. See 'istep restore'.
            """)
    static let documents = [JSONUse(.backup)]
    static let adviceOptions = AdviceOptions.ofMachine

    @Argument(help: ArgumentHelp("Where to write the backup.", valueName: "file"), completion: .file())
    var file: String?

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let wiring = try Wiring(common)
        try wiring.show(BackupView(try await wiring.backupService.backUp(to: file)))
    }
}
