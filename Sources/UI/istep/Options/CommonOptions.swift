import ArgumentParser
import StepDomain
import StepServices
import StepViews

/// The options of every command.
struct CommonOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Also read this configuration file.", valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("Use this history instead of the default one.", valueName: "file"))
    var db: String?

    @Option(
        help: ArgumentHelp(
            """
            The user (default: the only user of the history, otherwise your login name; 'sync', 'watch', 'devices', 'forget', 'replay', 'status', \
            'doctor', 'users', 'imports', 'export' and 'outbox': all users).
            """, valueName: "name"), completion: CompletionNames.users)
    var user: String?

    @Flag(help: "Print JSON for programs instead of text for people.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print only results and errors.")
    var quiet = false

    func validate() throws {
        if let user { try ArgumentRules.checkName(user, of: "--user") }
    }
}

extension CommonOptions {
    func values(_ bluetooth: BluetoothOptions? = nil) -> GlobalOptions {
        GlobalOptions(
            configuration: config, database: db, user: user, adapter: bluetooth?.adapter, timeout: bluetooth?.timeout,
            isForPrograms: json,
            isQuiet: quiet)
    }
}

/// The values of the options that several commands have.
struct GlobalOptions: Sendable {
    var configuration: String?
    var database: String?
    var user: String?
    var adapter: String?
    /// Seconds to search.
    var timeout: Double?
    /// Whether the result is printed as JSON.
    var isForPrograms = false
    /// Whether only results and errors are printed.
    var isQuiet = false
}

extension Wiring {
    /// - Throws: `SettingsError`.
    init(_ common: CommonOptions, _ bluetooth: BluetoothOptions? = nil) throws {
        try self.init(common.values(bluetooth))
    }

    /// The same user, who is added if new. That is said where there are others: the name can be a typing error.
    func stored(_ user: User, in history: any StepHistory) throws -> User {
        let isSecond = try user.isNew && !history.users().isEmpty
        let stored = try people(of: history).stored(user)
        if isSecond, !isForPrograms { try confirm(UserChangeView(.added, Users.Entry(user: stored))) }
        return stored
    }
}

extension CommandOptions {
    init(_ options: GlobalOptions) {
        self.init(
            user: options.user, database: options.database, configuration: options.configuration,
            demo: DemoFolder.optionOfThisProcess, subcommands: Istep.adviceOptions)
    }

    /// The options in a command line, even if the parser does not understand the rest of it.
    init(_ arguments: [String]) {
        let words = arguments.prefix { $0 != "--" }
        func value(_ option: String) -> String? {
            for (word, next) in zip(words, words.dropFirst() + [""]).reversed() {
                if word == option { return next.isEmpty ? nil : next }
                if word.hasPrefix(option + "=") { return String(word.dropFirst(option.count + 1)) }
            }
            return nil
        }
        self.init(
            user: value("--user"), database: value("--db"), configuration: value("--config"),
            demo: DemoFolder.optionOfThisProcess, subcommands: Istep.adviceOptions)
    }
}
