/// The common options that a subcommand takes.
public enum AdviceOptions: Hashable, Sendable {
    /// It is about one user, or only about that user's pedometers or days if `--user` is given.
    case ofUser
    /// It is about the machine, the whole history or a named device: `--db` and `--config`.
    case ofMachine
    case none
    /// These of its own subcommands are about the machine, and the others take none.
    case nested(Set<String>)
}

/// The options that commands in advice need, so that they are about the same history and the same user as the output
/// that names them.
public struct CommandOptions: Hashable, Sendable {
    /// `--user`; nil if a command selects the same user by itself.
    public var user: String?
    /// `--db`
    public var database: String?
    /// `--config`
    public var configuration: String?
    /// The option before the subcommand that directs a command to a demo, in shell syntax; nil outside of a demo, and
    /// where the shell directs all commands to it.
    public var demo: String?
    /// What each subcommand takes; one that is not here takes all.
    public var subcommands: [String: AdviceOptions]

    public init(
        user: String? = nil, database: String? = nil, configuration: String? = nil, demo: String? = nil,
        subcommands: [String: AdviceOptions] = [:]
    ) {
        self.subcommands = subcommands
        self.user = user
        self.database = database
        self.configuration = configuration
        self.demo = demo
    }

    fileprivate static let demoOption = "--demo"

    /// The options that a command needs, with their values.
    ///
    /// - Parameter command: in shell syntax; only one that begins with `istep` needs any.
    fileprivate func options(for command: String) -> [(name: String, value: String)] {
        let words = command.split(separator: " ").filter { !$0.hasPrefix(Self.demoOption) }
        guard words.count > 1, words[0] == "istep" else { return [] }
        let taken = subcommands[String(words[1])] ?? .ofUser
        switch taken {
        case .ofUser, .ofMachine: break
        case .nested(let names) where words.count > 2 && names.contains(String(words[2])): break
        case .nested, .none: return []
        }
        var options: [(name: String, value: String)] = []
        if let user, taken == .ofUser { options.append(("--user", user)) }
        if let database { options.append(("--db", database)) }
        if let configuration { options.append(("--config", configuration)) }
        return options.filter { option in !words.contains { $0 == option.name } }
    }
}

extension ShellCommand {
    /// The same with the options that it needs and does not have.
    public func with(_ options: CommandOptions) -> ShellCommand {
        let missing = options.options(for: line).filter { !words.contains($0.name) }
        return ShellCommand(directed(to: options.demo), words + missing.flatMap { [$0.name, $0.value] })
    }

    /// The line with the option for a demo: without it, the command would be about the user's own history.
    private func directed(to demo: String?) -> String {
        let (program, rest) = ("istep ", line.dropFirst("istep ".count))
        guard let demo, line.hasPrefix(program), !rest.hasPrefix(CommandOptions.demoOption), !rest.hasPrefix("demo")
        else { return line }
        return "\(program)\(demo) \(rest)"
    }
}

extension Advice {
    /// The same with the options that its commands need and do not have.
    public func with(_ options: CommandOptions) -> Advice {
        Advice(
            parts.map { part -> Part in
                switch part {
                case .prose: part
                case .command(let command): .command(command.with(options))
                }
            })
    }
}
