import ArgumentParser
import Settings
import Sharing
import StepDomain
import StepViews

struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Check the configuration; see what destinations there are.",
        subcommands: [Check.self, Kinds.self, Example.self],
        defaultSubcommand: Check.self)
}

extension ConfigCommand {
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Tell all that is wrong with the configuration, by file and line.",
            discussion: "Reads the files and the secrets that they name; sends nothing. Exit code 78 tells that something is wrong.")

        @OptionGroup var common: CommonOptions

        func run() async throws {
            let report = Wiring.checkConfiguration(common)
            let view = ConfigView(files: report.files, destinations: report.destinations, problems: report.problems)
            try Wiring.show(view, common)
            if !report.problems.isEmpty { throw SilentExit(.configuration) }
        }
    }

    struct Kinds: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "kinds", abstract: "List the kinds of destinations.")

        @OptionGroup var common: CommonOptions

        func run() async throws {
            try Wiring.show(KindsView(DestinationRegistry.kinds.map { .init(key: $0.key, title: $0.title) }), common)
        }
    }

    struct Example: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "example", abstract: "Print the configuration of a kind of destination, to be adapted.")

        @Argument(help: ArgumentHelp("One of 'istep config kinds'.", valueName: "kind"))
        var kind: String

        func run() async throws {
            guard let kind = DestinationRegistry.kind(kind.lowercased()) else {
                let known = DestinationRegistry.kinds.map(\.key).joined(separator: ", ")
                throw CommandFailure(.usage, "There is no kind '\(kind)'.", advice: "Known are: \(known).")
            }
            try Output.standard.result("# in ~/.config/istep/config.toml")
            try Output.standard.result(kind.example)
        }
    }
}
