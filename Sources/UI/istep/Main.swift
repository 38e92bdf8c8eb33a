import ArgumentParser
import CIdle
import Foundation
import StepViews
import Systemd

/// Parses, runs, and turns whatever is thrown into words on standard error and a documented exit code.
@main
enum Main {
    @MainActor static func main() async {
        // Before any task has left this thread. What is over in a moment has no use for it.
        if CommandLine.arguments.contains(WatchCommand.configuration.commandName ?? "") { run_tasks_unwatched() }
        // Else libdispatch tells the system's log of each thread whose priority an ordinary user may not raise.
        setenv("LIBDISPATCH_LOG", "NO", 0)
        Output.reserveStandardDescriptors()
        signal(SIGPIPE, SIG_IGN)    // 'istep show | head' ends by a failed write, not by a signal
        let status = await Interruption.guarding { await run(Array(CommandLine.arguments.dropFirst())) }
        // Without the libraries' exit handlers: OpenSSL's clears away what a thread that ends at this moment (libcurl's) still clears
        // up by itself, and one run in thousands ended by SIGSEGV. All output is written by now, and SQLite has nothing left to do.
        fflush(nil)
        _exit(status)
    }

    /// One command line, from words to exit code.
    static func run(_ arguments: [String]) async -> Int32 {
        do {
            var command = try Istep.parseAsRoot(DayArgument.shielded(arguments))
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            return ExitStatus.done.rawValue
        } catch {
            return report(error)
        }
    }

    private static func report(_ error: any Error) -> Int32 {
        // The parser's own: help, version, and words that it does not understand.
        if Failure.isOfParser(error) {
            let code = Istep.exitCode(for: error).rawValue
            let text = Istep.fullMessage(for: error)
            guard code == 0 else {
                Output.error.line(Printable.lines(text), .error)
                return code
            }
            do {
                try Output.standard.result(text)
                return code
            } catch {
                return tell(Failure(error))
            }
        }
        return tell(Failure(error))
    }

    /// Errors quote what was typed, stored or sent: the terminal gets it as text, not as orders.
    @discardableResult
    static func tell(_ failure: Failure) -> Int32 {
        if let message = failure.message { Output.error.line(Printable.lines("istep: \(message)"), failure.priority) }
        if let advice = failure.advice { Output.error.line(Printable.lines("       \(advice)"), failure.priority) }
        return failure.status.rawValue
    }
}
