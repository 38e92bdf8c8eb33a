import ArgumentParser
import StepViews

struct JSONCommand: ParsableCommand, Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "json",
        abstract: "Describe what the commands print with --json.",
        discussion: """
            Describes the documents of all commands, or of one, with all their keys. With --schema, prints a JSON Schema (draft 2020-12) \
            that defines each document under $defs by its name.

              istep json sync
              istep json gatt list
              istep json 'share --dry-run'

            With --json a command prints one document on standard output. If it fails, the document is an object "error" with "category", \
            "exitCode", "message" and "advice". Two commands print several documents: istep gatt notify one for each value, istep watch \
            one for each sync and, with --live, one for each change. Later versions of istep may add keys; if a key is renamed or \
            removed, or its meaning changes, "version" changes.
            """)
    static let adviceOptions = AdviceOptions.none

    @Argument(help: ArgumentHelp("Only what this command prints.", valueName: "command"))
    var command: [String] = []

    @Flag(name: [.long, .customLong("json")], help: "Print a JSON Schema.")
    var schema = false

    private var entries: [JSONReference.Entry] {
        Istep.documents.entries(of: command.flatMap { $0.split(separator: " ").map(String.init) })
    }

    func validate() throws {
        guard entries.isEmpty else { return }
        let list = Istep.documents.subcommands.joined(separator: ", ")
        throw ValidationError("'\(command.joined(separator: " "))' prints no document. Commands that do: \(list).")
    }

    func run() throws {
        if schema { return try Output.standard.document(try Istep.documents.schema(of: entries)) }
        let style = TextStyle(.standard, environment: ProcessEnvironment.current)
        for line in Istep.documents.lines(style, of: command.isEmpty ? nil : entries) {
            try Output.standard.result(line)
        }
    }
}
