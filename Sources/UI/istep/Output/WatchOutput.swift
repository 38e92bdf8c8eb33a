import StepDomain
import StepServices
import StepViews
import Synchronization

/// The output of a watch: the result of each sync on standard output, problems on standard error, and on a terminal one line with what it
/// is doing.
final class ConsoleWatchOutput: WatchOutput {
    private let wiring: Wiring
    private let progress: Progress
    /// Held while a document is written: live figures of one pedometer must not be printed in the middle of another's sync.
    private let writing = Mutex(())

    init(_ wiring: Wiring, isUnattended: Bool) {
        self.wiring = wiring
        // Outside a terminal, a line for each state would be noise.
        progress = !isUnattended && Output.error.isTerminal ? wiring.progress() : Progress(.silent)
    }

    func started(_ pedometers: [String]) {
        if !pedometers.isEmpty { Output.error.line(WatchWords.started(pedometers)) }
    }

    func status(_ status: WatchStatus) { progress.step(text(for: status)) }

    func text(for status: WatchStatus) -> String { WatchWords.text(for: status, localTime: wiring.localTime) }

    /// On a terminal the status line, elsewhere lines, with `--json` documents.
    func live(_ figures: [LiveFigures.Figure]) {
        if wiring.isForPrograms { return document(figures) }
        let text = WatchWords.live(figures)
        if Output.error.isTerminal { progress.step(text) } else { try? wiring.say(text) }
    }

    private func document(_ figures: [LiveFigures.Figure]) {
        progress.end()
        do {
            let document = try LiveDocument(figures, now: wiring.now(), localTime: wiring.localTime).json()
            try writing.withLock { _ in try Output.standard.document(document) }
        } catch {
            problem(error)
        }
    }

    func synced(_ outcome: SyncService.Outcome) throws {
        progress.end()
        if wiring.isForPrograms { return try writing.withLock { _ in try wiring.show(outcome.view(wiring)) } }
        let time = WatchWords.time(wiring.now(), wiring.localTime)
        let style = TextStyle(.standard, environment: wiring.environment)
        // The time stands in front of the first line, blanks in front of the others.
        let narrower = TextStyle(width: style.width - 7, colour: style.colour, unicode: style.unicode)
        for (index, line) in outcome.view(wiring).lines(narrower).enumerated() {
            try Output.standard.result((index == 0 ? time : "     ") + "  " + line)
        }
        outcome.reportHidden()
    }

    func problem(_ error: any Error) {
        progress.end()
        Main.printError(Failure(error))
    }

    func ended() { progress.end() }
}
