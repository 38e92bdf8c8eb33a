import ArgumentParser
import StepViews

struct JSONCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "json",
        abstract: "Describe what the commands print with --json.",
        discussion: """
            Prints every document with all of its keys; with --schema the same as a JSON Schema (draft 2020-12), where each document \
            is defined under $defs by its name.

            With --json a command prints one document on standard output. If it fails, the document is an object "error" with "category", \
            "exitCode", "message" and "advice". Two commands print several documents: istep gatt notify one for each value, istep watch \
            one for each sync and, with --live, one for each change. Later versions of istep may add keys; if a key is renamed or \
            removed, or its meaning changes, "version" changes.
            """)

    @Flag(name: [.long, .customLong("json")], help: "Print it as a JSON Schema.")
    var schema = false

    func run() throws {
        if schema { return try Output.standard.document(try JSONReference.schema()) }
        for line in JSONReference.lines(TextStyle(.standard, environment: Wiring.environment)) { try Output.standard.result(line) }
    }
}
