import ArgumentParser
import Foundation
import StepDomain
import StepViews

/// Options of commands that change what cannot be taken back.
struct ConfirmationOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Do it without asking.")
    var yes = false

    @Flag(name: [.customShort("n"), .long], help: "Only show what would change.")
    var dryRun = false

    var isGiven: Bool { yes || dryRun }
}

extension Wiring {
    /// Shows what would change, and asks unless it is only to be shown.
    ///
    /// - Returns: whether to do it.
    /// - Throws: as `ask`.
    func confirm(
        _ question: Question, showing preview: some View, _ options: ConfirmationOptions
    ) async throws -> Bool {
        if options.dryRun {
            try show(preview)
            return false
        }
        try await ask(question, showing: preview, isAgreed: options.yes)
        return true
    }

    /// Shows what would change and asks, unless the user has agreed already.
    ///
    /// - Throws: `CommandFailure` unless a user at the terminal agrees.
    func ask(_ question: Question, showing preview: some View, isAgreed: Bool) async throws {
        if isAgreed { return }
        // With --json a command prints one document: here that of the failure.
        if !isForPrograms { try show(preview) }
        try await question.ask(isForPrograms: isForPrograms)
    }
}

/// Asks at the terminal before something is replaced or stored, unless `--yes` has answered already.
struct Question {
    /// `Replace the history?`
    let text: String
    /// What has not happened without a yes.
    let refusal: String
    /// What the command with `--yes` does.
    let purpose: String
    let command: ShellCommand

    /// - Parameter isForPrograms: whether the result is JSON: then nobody is asked.
    /// - Throws: `CommandFailure` without a yes: of the category `usage`, whether nobody could be asked or the answer
    ///   was another one; `temporary` if the command was interrupted meanwhile.
    func ask(isForPrograms: Bool) async throws {
        guard isatty(STDIN_FILENO) == 1, Output.error.isTerminal, !isForPrograms else {
            throw CommandFailure(.usage, refusal, advice: "\(purpose): `\(command.text())`")
        }
        Output.error.write("\(text) [y/N] ")
        let answer = await StandardInput.line()
        // Ctrl-C and Ctrl-D leave the cursor behind the question.
        if answer == nil { Output.error.write("\n") }
        if Task.isCancelled { throw CommandFailure(.temporary, refusal) }
        guard ["y", "yes"].contains(answer?.lowercased() ?? "") else { throw CommandFailure(.usage, refusal) }
    }
}
