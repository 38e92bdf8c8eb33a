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

    public init(user: String? = nil, database: String? = nil, configuration: String? = nil, demo: String? = nil) {
        self.user = user
        self.database = database
        self.configuration = configuration
        self.demo = demo
    }

    // A test compares both lists with the help of each subcommand.

    fileprivate static let demoOption = "--demo"

    /// The subcommands that are about one user, or only about that user's pedometers or days if `--user` is given.
    private static let subcommandsOfUser: Set<Substring> = [
        "add", "browse", "correct", "delete", "devices", "export", "history", "import", "imports", "move", "outbox",
        "plan", "profile", "replay", "report", "serve", "share", "show", "status", "sync", "users", "watch",
    ]
    /// The subcommands that take none of the options; `postgres check` does.
    private static let subcommandsWithoutOptions: Set<Substring> = ["auto", "demo", "json", "postgres"]

    /// The options that a command needs, with their values.
    ///
    /// - Parameter command: in shell syntax; only one that begins with `istep` needs any.
    fileprivate func options(for command: String) -> [(name: String, value: String)] {
        let words = command.split(separator: " ").filter { !$0.hasPrefix(Self.demoOption) }
        guard words.count > 1, words[0] == "istep",
            !Self.subcommandsWithoutOptions.contains(words[1]) || words.dropFirst().starts(with: ["postgres", "check"])
        else { return [] }
        var options: [(name: String, value: String)] = []
        if let user, Self.subcommandsOfUser.contains(words[1]) { options.append(("--user", user)) }
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
