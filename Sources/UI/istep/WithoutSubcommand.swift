import ArgumentParser
import StepServices
import StepViews
import Support

extension Istep {
    /// Without a subcommand: today, and how to go on. Without a history: the first steps.
    func run() async throws {
        let wiring = try Wiring(GlobalOptions())
        guard try await blocking({ try wiring.hasHistory() }) else {
            return try Output.standard.result("\(Self.summary)\n\nAll commands: istep help")
        }
        do {
            try await blocking { try ShowCommand.parse([]).run() }
        } catch ServiceError.severalUsers {
            try await blocking { try StatusCommand.parse([]).run() }
        }
        let more = ["sync", "history", "browse", "serve --open"]
            .map { ShellCommand("istep \($0)").with(CommandOptions(GlobalOptions())).text() }.joined(separator: ", ")
        try Output.standard.result("\nMore: \(more). All commands: istep help")
    }
}
