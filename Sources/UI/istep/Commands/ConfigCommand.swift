import ArgumentParser
import StepDomain
import StepServices
import StepViews

struct ConfigCommand: ParsableCommand, Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Check the configuration; list the kinds of destinations.",
        subcommands: [Check.self, Kinds.self, Example.self],
        defaultSubcommand: Check.self)
    static let documents = [JSONUse(.config, "check"), JSONUse(.kinds, "kinds"), JSONUse(.example, "example")]
    static let adviceOptions = AdviceOptions.ofMachine
}

extension ConfigCommand {
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "List all errors of the configuration, by file and line.",
            discussion:
                "Reads the files and the secrets that they refer to. Sends nothing. Exit code 78: there are errors.")

        @OptionGroup var common: CommonOptions

        func run() throws {
            let report = ConfigurationCheck(Wiring.configuration(common.values())).run()
            let view = ConfigView(
                files: report.files, destinations: report.destinations, problems: report.problems.map(\.text))
            try Wiring.show(view, common.values())
            if !report.problems.isEmpty { throw AlreadyReported(.configuration) }
        }
    }

    struct Kinds: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "kinds", abstract: "List the kinds of destinations.")

        @OptionGroup var common: CommonOptions

        func run() throws {
            try Wiring.show(
                KindsView(Wiring.destinationKinds.map { .init(key: $0.key, title: $0.title) }), common.values())
        }
    }

    struct Example: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "example", abstract: "Print an example configuration for a kind of destination.")

        @Argument(help: ArgumentHelp("A kind listed by 'istep config kinds'.", valueName: "kind"))
        var kind: String

        @OptionGroup var common: CommonOptions

        func run() throws {
            let kinds = Wiring.destinationKinds
            guard let kind = kinds.first(where: { $0.key == kind.lowercased() }) else {
                let known = kinds.map(\.key).joined(separator: ", ")
                throw CommandFailure(.usage, "There is no kind '\(kind)'.", advice: "Known kinds: \(known).")
            }
            let file = Wiring.configurationFile(common.values()) ?? ExampleView.standardFile
            // What a demo writes stays in its folder.
            let demo = ProcessEnvironment.current[DemoFolder.variable].flatMap { $0.isEmpty ? nil : $0 }
            try Wiring.show(
                ExampleView(kind: kind.key, example: kind.example, file: file, home: demo), common.values())
        }
    }
}
