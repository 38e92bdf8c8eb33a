import ArgumentParser
import Foundation
import StepDomain
import StepServices
import StepViews
import Support

struct ImportCommand: AsyncParsableCommand, Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import steps from a file of another program.",
        discussion: """
              istep import Gadgetbridge.zip             shows the changes, then asks
              istep import a.csv --columns day=A,steps=B   columns of a table
              istep import a.zip --zone Europe/Berlin   where the steps were made
              istep import all.sqlite --from-user ann   of one of its users
              istep import --formats                    what can be imported
              istep imports                             what was imported

            The format is recognised by the content. Each pedometer or app in the file becomes a source like a pedometer: of two sources \
            in the same minutes the greater count is used. A later export of the same source adds and corrects, the same file again \
            changes nothing. Before anything is stored, istep shows the days that would change, asks, and makes a backup. It reads the \
            file and never changes it.

            Columns of a table: day, time, start, end, steps, counter (steps since midnight), device, each by its name or number; \
            order=dmy or order=mdy for dates such as 1/2/2020.
            """)
    static let documents = [JSONUse(.import), JSONUse(.takeover, "EXPORT"), JSONUse(.formats, "--formats")]

    @Argument(help: ArgumentHelp("A file, a zip archive or a folder.", valueName: "file"), completion: .file())
    var file: String?

    @Flag(help: "List the formats.")
    var formats = false

    @Option(help: ArgumentHelp("The format, if several fit.", valueName: "key"))
    var format: String?

    @Option(
        help: ArgumentHelp(
            "The time zone of the steps, for files that do not say it (default: of this machine).", valueName: "name"))
    var zone: String?

    @Option(help: ArgumentHelp("Columns of a table, such as day=Date,steps=Count.", valueName: "columns"))
    var columns: String?

    @Option(
        help: ArgumentHelp(
            "Whose steps, of a file with several users (default: of the user of the same name).", valueName: "name"))
    var fromUser: String?

    @Flag(
        help:
            "Leave out records that cannot be right: times before 2000 or in the future, more steps than a person makes."
    )
    var skipImpossible = false

    @OptionGroup var confirmation: ConfirmationOptions

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if formats == (file != nil) || file?.isEmpty == true {
            throw ValidationError("Name one file or folder, or --formats for what can be imported.")
        }
        _ = try parsedColumns()
        if columns != nil, let format, format != "csv" {
            throw ValidationError("--columns is for a table: leave it out, or name --format csv.")
        }
    }

    private func parsedColumns() throws -> [String: String] {
        guard let columns else { return [:] }
        guard let parsed = ForeignOptions.columns(columns) else {
            throw ValidationError(
                """
                --columns: write it like day=Date,steps=Count; there are \
                \(ForeignOptions.columnRoles.joined(separator: ", ")); order is dmy or mdy
                """)
        }
        return parsed
    }

    func run() async throws {
        let wiring = try Wiring(common)
        let importing = wiring.importing
        guard let file else { return try wiring.show(FormatsView(importing.formats)) }
        let options = try wiring.foreignOptions(
            format: format, zone: zone, columns: try parsedColumns(), leavesOutImpossible: skipImpossible,
            fromUser: fromUser)
        let isNew = !importing.isHistoryThere
        if isNew, try await restored(file, importing, wiring) { return }
        let progress = wiring.progress()
        defer { progress.end() }
        let history = try await importing.read(file, options) { step, rest in
            progress.step(ProgressWords.line(step, rest: rest), isDetail: true)
        }
        progress.end()
        if history.isEmpty || confirmation.dryRun || !confirmation.yes {
            // Also finds out whose steps they are, before anybody is asked.
            let preview = try await preview(history, importing, wiring, isNew: isNew)
            if history.isEmpty || confirmation.dryRun || preview.isNothingNew {
                return try wiring.show(ImportView(history, preview, .preview))
            }
            try await wiring.ask(
                question(file, backsUp: !isNew), showing: ImportView(history, preview, .preview),
                isAgreed: confirmation.yes)
        }
        let stored = try await store(history, importing, wiring, isNew: isNew)
        if stored.changes.isNothingNew { return try wiring.show(ImportView(history, stored.changes, .preview)) }
        if confirmation.yes || common.json {
            return try wiring.show(ImportView(history, stored.changes, .stored(backup: stored.backup)))
        }
        try wiring.say(
            "Imported \(Words.count(stored.changes.newDays.count, "new day")), changed \(Words.count(stored.changes.correctedDays.count, "day"))."
        )
    }

    /// Takes an export of istep in, all that it has, if the file is one.
    private func restored(_ file: String, _ importing: Importing, _ wiring: Wiring) async throws -> Bool {
        // The steps of one of its users are no history.
        guard format == nil || format == "istep-export", columns == nil, fromUser == nil,
            let found = try await importing.export(
                file, preview: wiring.previewRestoring(leavesOutImpossible: skipImpossible))
        else { return false }
        let preview = ExportRestoreView(found.export, found.counts, isDone: false)
        if confirmation.dryRun {
            try wiring.show(preview)
            return true
        }
        try await wiring.ask(question(file, backsUp: false), showing: preview, isAgreed: confirmation.yes)
        let counts = try await importing.restore(
            found.export, into: try wiring.restoring(leavesOutImpossible: skipImpossible))
        try wiring.show(ExportRestoreView(found.export, counts, isDone: true))
        return true
    }

    private func preview(
        _ history: ForeignHistory, _ importing: Importing, _ wiring: Wiring, isNew: Bool
    ) async throws -> ImportChanges {
        if isNew {
            return try await blocking { try wiring.previewWithoutHistory(history, of: wiring.firstUser) }
        }
        let (store, user) = try await blocking {
            let store = try wiring.history(for: .updating)
            return (store, try wiring.user(in: store, creating: .first))
        }
        return try await importing.preview(history, of: user, in: store)
    }

    private func store(
        _ history: ForeignHistory, _ importing: Importing, _ wiring: Wiring, isNew: Bool
    ) async throws -> Importing.Stored {
        let (store, user) = try await blocking {
            let store = try wiring.history(for: isNew ? .creating : .updating)
            let people = wiring.people(of: store)
            return (store, try people.stored(try people.user(creating: .first)))
        }
        return try await importing.store(history, of: user, in: store, isNewHistory: isNew)
    }

    /// - Parameter backsUp: there is none of a history that is not there yet.
    private func question(_ file: String, backsUp: Bool) -> Question {
        let options = [
            ("--zone", zone), ("--format", format), ("--columns", columns), ("--from-user", fromUser),
        ]
        var words = options.flatMap { name, value in value.map { [name, $0] } ?? [] }
        if skipImpossible { words.append("--skip-impossible") }
        return Question(
            text: backsUp ? "Import it? A backup is made before." : "Import it?", refusal: "Nothing was imported.",
            purpose: "To import it",
            command: ShellCommand("istep import --yes", words + [file]))
    }
}
