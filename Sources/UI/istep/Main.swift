import ArgumentParser
import CIdle
import Foundation
import StepDomain
import StepViews
import Support

/// Parses and runs the command. Each error becomes a message on standard error and a documented exit code.
@main
enum Main {
    static func main() {
        use_one_arena()
        // Otherwise libdispatch writes to the system log for each thread whose priority an ordinary user may not raise.
        setenv("LIBDISPATCH_LOG", "NO", 0)
        Output.reserveStandardDescriptors()
        signal(SIGPIPE, SIG_IGN)  // 'istep show | head' ends by a failed write, not by a signal
        if let shortage = ResourceShortage.found {
            _exit(report(shortage, isForPrograms: isForPrograms(CommandLine.arguments)))
        }
        // Before another thread reads the environment, which these may change.
        let (arguments, failure) = directedArguments()
        limitColumns()
        let line = ParsedLine(arguments, failure)
        // Before any task has left this thread.
        if case .success(let command as any Subcommand) = line.command { command.prepareProcess() }
        Task.detached {
            let status = await Interruption.guarding { await run(line) }
            await Wiring.untilClosed()
            // Does not run the libraries' exit handlers: OpenSSL's frees what a thread that ends at this moment
            // (libcurl's) is still freeing itself, and one run in thousands ended by SIGSEGV. All output is written by
            // now.
            fflush(nil)
            _exit(status)
        }
        // Not an asynchronous `main`: that ends this thread by pthread_exit (dispatch_main), which reads the program's
        // tables for unwinding, about a megabyte of memory.
        while true { pause() }
    }

    /// Gives the parser a width of at least 40 columns: it fails to wrap its help at a few, also at the 0 of programs
    /// that do not know the width.
    private static func limitColumns() {
        let environment = ProcessInfo.processInfo.environment
        let width = TextStyle(.standard, environment: environment).wide.width
        let given = environment["COLUMNS"].map { Int($0) ?? 0 } ?? Output.standard.columns
        if let given, given < width, given < 40 { setenv("COLUMNS", "\(width)", 1) }
    }

    /// The command line, changed to run in a demo if it requests one, and the reason if it cannot run there.
    private static func directedArguments() -> ([String], CommandFailure?) {
        var arguments = Array(CommandLine.arguments.dropFirst())
        do throws(CommandFailure) {
            try DemoFolder.enter(&arguments, environment: ProcessEnvironment.outer)
            return (arguments, nil)
        } catch {
            return (arguments, error)
        }
    }

    /// Runs one command line and returns its exit code.
    static func run(_ arguments: [String]) async -> Int32 { await run(ParsedLine(arguments)) }

    private static func run(_ line: ParsedLine) async -> Int32 {
        Output.reset()
        do {
            let command = try line.command.get()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try await runBlocking(command)
            }
            return 0
        } catch {
            return report(error, of: line, isForPrograms: isForPrograms(line.arguments), CommandOptions(line.arguments))
        }
    }

    /// A command line with its command, or with the reason why it cannot run.
    private struct ParsedLine: Sendable {
        let arguments: [String]
        // Safe: only the task that runs the line uses it. The parser does not require a command to be `Sendable`.
        nonisolated(unsafe) let command: Result<any ParsableCommand, any Error>

        init(_ arguments: [String], _ failure: CommandFailure? = nil) {
            let arguments = Main.withoutAlias(arguments)
            self.arguments = arguments
            command = Result {
                if let failure = failure ?? Main.unknownCommand(in: arguments) { throw failure }
                return try Istep.parseAsRoot(DayArgument.shielded(arguments))
            }
        }
    }

    /// The command line with the name of its subcommand in place of an alias, such as `show` for `today`: the rest of
    /// the program has only names. Also after the two commands that describe others.
    private static func withoutAlias(_ arguments: [String]) -> [String] {
        var arguments = arguments
        let index = ["help", JSONCommand.configuration.commandName].contains(arguments.first) ? 1 : 0
        guard arguments.indices.contains(index),
            let command = Istep.configuration.subcommands.first(where: {
                $0.configuration.aliases.contains(arguments[index])
            })?.configuration.commandName
        else { return arguments }
        arguments[index] = command
        return arguments
    }

    /// The error of an unknown subcommand, with the most similar one; nil if all subcommands of the command line are
    /// known.
    ///
    /// The parser would report an unexpected argument, or the first option after it, and name no subcommand.
    private static func unknownCommand(in arguments: [String]) -> CommandFailure? {
        var (command, line): (any ParsableCommand.Type, String) = (Istep.self, "istep")
        for word in arguments {
            let known = command.configuration.subcommands
            if word == "help", line == "istep" { continue }
            if known.isEmpty || command.configuration.defaultSubcommand != nil || word.hasPrefix("-") { return nil }
            guard let next = known.first(where: { $0.configuration.commandName == word }) else {
                let nearest = nearestKey(to: word, among: known.compactMap { $0.configuration.commandName })
                return CommandFailure(
                    .usage,
                    "There is no command '\(line) \(word)'"
                        + (nearest.map { "; did you mean '\(line) \($0)'?" } ?? "."),
                    advice: "To list all commands: `\(line) --help`")
            }
            (command, line) = (next, "\(line) \(word)")
        }
        return nil
    }

    /// Runs a command that waits for nothing asynchronous, on a thread of its own. It uses the history directly, and
    /// SQLite waits up to 5 s for other processes: on one of Swift's threads, of which there are only as many as CPUs,
    /// this could hold up all other tasks.
    private static func runBlocking(_ parsed: any ParsableCommand) async throws {
        // Safe: only the closure uses it from here on. The parser does not require a command to be `Sendable`.
        nonisolated(unsafe) let parsed = parsed
        // Task-local values are not known on another thread.
        let environment = ProcessEnvironment.current
        try await blocking {
            var command = parsed
            try ProcessEnvironment.$current.withValue(environment) { try command.run() }
        }
    }

    /// Whether `--json` is among the options, even if the parser does not understand the others.
    private static func isForPrograms(_ arguments: [String]) -> Bool {
        arguments.prefix { $0 != "--" }.contains("--json")
    }

    /// Whether an error is the argument parser's: a request for help, or arguments that it does not understand.
    private static func isOfParser(_ error: any Error) -> Bool {
        error is CleanExit || error is ValidationError || error is ExitCode
            || String(reflecting: type(of: error)).hasPrefix("ArgumentParser.")
    }

    /// The parser's message with the usage of the command that was running. The parser knows only its last name.
    private static func message(_ error: any Error, of line: ParsedLine?) -> String {
        guard let line, let command = try? line.command.get(), error is ValidationError else {
            return Istep.fullMessage(for: error)
        }
        let type = type(of: command), name = type.configuration.commandName ?? ""
        // A subcommand that runs by default is not among the words.
        guard line.arguments.contains(name) else { return Istep.fullMessage(for: error) }
        let path = line.arguments.prefix { $0 != name }.filter { !$0.hasPrefix("-") }
        let whole = (["istep"] + path + [name]).joined(separator: " ")
        return type.fullMessage(for: error).replacing("Usage: \(name) ", with: "Usage: \(whole) ")
            .replacing("See '\(name) ", with: "See '\(whole) ")
    }

    /// - Parameter line: the one that was running; nil if none was begun.
    private static func report(
        _ error: any Error, of line: ParsedLine? = nil, isForPrograms: Bool,
        _ options: CommandOptions = CommandOptions()
    ) -> Int32 {
        // From the parser: help, version, and arguments that it does not understand.
        if isOfParser(error) {
            let code = Istep.exitCode(for: error).rawValue
            let text = message(error, of: line)
            guard code == 0 else {
                Output.error.line(Printable.lines(text), .error)
                if isForPrograms {
                    show(ErrorText(CommandFailure(.usage, Istep.message(for: error), advice: "See 'istep --help'.")))
                }
                return code
            }
            do {
                let isVersion = isForPrograms && text == Version.current
                try isVersion
                    ? Output.standard.document(VersionDocument(release: text).json())
                    : Output.standard.result(text == Istep.helpMessage() ? Istep.help : text)
                return code
            } catch {
                return printError(ErrorText(error))
            }
        }
        if let ended = error as? AlreadyReported { return ended.category.exitCode }
        let text = ErrorText(error).with(options)
        if isForPrograms { show(text) }
        return printError(text)
    }

    /// Prints the failure as a document if the command has printed none. If it cannot be written, there is no other way
    /// to report it.
    private static func show(_ text: ErrorText) {
        guard !Output.hasDocument, let document = try? ErrorDocument(text).json() else { return }
        try? Output.standard.document(document)
    }

    /// Errors quote what was typed, stored or sent: the terminal must receive it as text, not as control sequences.
    @discardableResult
    static func printError(_ text: ErrorText) -> Int32 {
        for line in RunMessageWords.errorLines(text) { Output.error.line(line, text.category.priority) }
        return text.category.exitCode
    }
}
