import ArgumentParser
import StepDomain
import Support

/// Names that a shell completes: those of the history and of the configuration that are used without options. The shell
/// calls the program for them. Without a history, or if something cannot be read, there are none.
enum CompletionNames {
    static var users: CompletionKind { completion { try $0.history(for: .reading).users().map(\.name) } }
    static var pedometers: CompletionKind { completion { try $0.history(for: .reading).pedometers().map(\.name) } }
    /// Those out of use, too.
    static var sources: CompletionKind {
        completion { try $0.history(for: .reading).heldSources().map(\.pedometer.name) }
    }
    static var destinations: CompletionKind { completion { $0.destinationNames } }

    private static func completion(_ names: @escaping @Sendable (Wiring) throws -> [String]) -> CompletionKind {
        .custom { _, _, beginning in
            let known = (try? names(Wiring(GlobalOptions()))) ?? []
            // A name with a control character would be more than one line.
            let fitting = known.filter { $0.hasPrefix(beginning) && !$0.contains(where: \.isNewline) }.sorted()
            // bash expands them once more (`compgen -W`): a name from the air such as `$(reboot)` would be run.
            return CompletionShell.requesting == .bash ? fitting.map { shellQuoted($0) } : fitting
        }
    }
}
