import ArgumentParser
import Foundation

/// Parses, runs, and turns whatever is thrown into words on standard error and a documented exit code.
@main
enum Main {
    static func main() async {
        signal(SIGPIPE, SIG_IGN)    // 'istep show | head' ends by a failed write, not by a signal
        let status = await Interruption.guarding { await run(Array(CommandLine.arguments.dropFirst())) }
        exit(status)
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
            if code == 0 { Output.standard.line(text) } else { Output.error.line(text) }
            return code
        }
        let failure = Failure(error)
        if let message = failure.message { Output.error.line("istep: \(message)") }
        if let advice = failure.advice { Output.error.line("       \(advice)") }
        return failure.status.rawValue
    }
}
