import ArgumentParser
import StepViews

/// What a subcommand declares besides its arguments.
protocol Subcommand: ParsableCommand {
    /// The documents that it prints with `--json`.
    static var documents: [JSONUse] { get }
    /// The common options that are repeated where a message names it.
    static var adviceOptions: AdviceOptions { get }
    /// Sets the process up before its first task runs.
    func prepareProcess()
}

extension Subcommand {
    static var documents: [JSONUse] { [] }
    static var adviceOptions: AdviceOptions { .ofUser }
    func prepareProcess() {}
}

/// A subcommand that takes days: users may write `-3` for three days ago.
protocol TakesDays: Subcommand {
    /// Options that take a day.
    static var dayOptions: Set<String> { get }
    static var takesDayAsArgument: Bool { get }
}

extension TakesDays {
    static var dayOptions: Set<String> { [] }
    static var takesDayAsArgument: Bool { true }
}

/// What the subcommands declare together.
extension Istep {
    /// In the order of the help.
    static var subcommands: [any Subcommand.Type] {
        configuration.subcommands.compactMap { $0 as? any Subcommand.Type }
    }

    static func subcommand(named name: String) -> (any Subcommand.Type)? {
        subcommands.first { $0.configuration.commandName == name }
    }

    static let adviceOptions = subcommands.reduce(into: [String: AdviceOptions]()) {
        $0[$1.configuration.commandName ?? ""] = $1.adviceOptions
    }

    static var documents: JSONReference {
        JSONReference(subcommands.map { (name: $0.configuration.commandName ?? "", documents: $0.documents) })
    }
}
