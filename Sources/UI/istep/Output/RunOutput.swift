import StepDomain
import StepServices
import StepViews
import Synchronization

/// Prints the text of a sync on standard output: each pedometer's lines as soon as its result is known, while BlueZ
/// still disconnects it or reads the next one; what was shared at the end.
final class SyncLines: Sendable {
    private let wiring: Wiring
    private let progress: Progress
    private let failure = Mutex<(any Error)?>(nil)
    /// Advice that was printed.
    private let given = Mutex<Set<String>>([])

    init(_ wiring: Wiring, _ progress: Progress) {
        self.wiring = wiring
        self.progress = progress
    }

    private var style: TextStyle { wiring.style }

    func show(_ report: SyncReport) {
        progress.end()
        let view = given.withLock { given in
            let view = SyncView([report], now: wiring.now(), localTime: wiring.localTime, given: given)
            given.formUnion(view.advice)
            return view
        }
        failure.withLock { failure in
            do {
                for line in view.lines(style) { try Output.standard.result(line) }
            } catch {
                failure = failure ?? error
            }
        }
    }

    /// - Throws: the first failure to write, here or before.
    func end(_ view: SyncView) throws {
        if let failure = failure.withLock({ $0 }) { throw failure }
        for line in view.ending(style) { try Output.standard.result(line) }
    }
}

/// The log of an unattended run: a summary line, or with `--json` the document, on standard output, and the rest on
/// standard error.
struct ConsoleUnattendedOutput: UnattendedOutput {
    let wiring: Wiring

    func write(_ message: RunMessage, isHousehold: Bool) {
        let lines = RunMessageWords.lines(
            for: message, isHousehold: isHousehold, now: wiring.now(), localTime: wiring.localTime)
        for line in lines { Output.error.line(line, message.severity.priority) }
    }

    func write(_ outcome: SyncService.Outcome) throws {
        let view = outcome.view(wiring)
        if wiring.isForPrograms { return try wiring.show(view) }
        try Output.standard.result(view.summary.line, outcome.isNews ? .notice : .information)
    }
}

extension SyncService.Outcome {
    func view(_ wiring: Wiring) -> SyncView { SyncView(self, now: wiring.now(), localTime: wiring.localTime) }
}

/// The output of a watch: the result of each sync on standard output, problems on standard error, and on a terminal one
/// line with what it is doing.
final class ConsoleWatchOutput: WatchOutput {
    private let wiring: Wiring
    private let progress: Progress
    /// Held while a document is written: live figures of one pedometer must not be printed in the middle of another's
    /// sync.
    private let writing = Mutex(())

    init(_ wiring: Wiring, isUnattended: Bool) {
        self.wiring = wiring
        // Outside a terminal, a line for each state would be noise.
        progress = !isUnattended && Output.error.isOverwritable ? wiring.progress() : Progress(.silent)
    }

    func started(_ pedometers: [String]) {
        if !pedometers.isEmpty, !wiring.options.isQuiet { Output.error.line(WatchWords.started(pedometers)) }
    }

    func status(_ status: WatchStatus) { progress.step(text(for: status)) }

    func text(for status: WatchStatus) -> String { WatchWords.text(for: status, localTime: wiring.localTime) }

    /// Where all output is on a terminal the status line, elsewhere lines, with `--json` documents.
    func live(_ figures: [LiveFigures.Figure]) {
        if wiring.isForPrograms { return document(figures) }
        let text = WatchWords.live(figures)
        let hasStatusLine = Output.error.isOverwritable && Output.standard.isTerminal && !wiring.options.isQuiet
        if hasStatusLine { return progress.step(text) }
        progress.end()
        try? Output.standard.result(text)
    }

    private func document(_ figures: [LiveFigures.Figure]) {
        progress.end()
        do {
            let document = try LiveDocument(figures, now: wiring.now(), localTime: wiring.localTime).line()
            try writing.withLock { _ in try Output.standard.document(document) }
        } catch {
            problem(error)
        }
    }

    func synced(_ outcome: SyncService.Outcome) throws {
        progress.end()
        let view = outcome.view(wiring)
        if wiring.isForPrograms { return try writing.withLock { _ in try wiring.show(view) } }
        let time = WatchWords.time(wiring.now(), wiring.localTime)
        let style = wiring.style
        // The time is in front of the first line, blanks in front of the others.
        let narrower = TextStyle(
            width: style.width - 7, colour: style.colour, unicode: style.unicode, commands: style.commands)
        for (index, line) in view.lines(narrower).enumerated() {
            try Output.standard.result((index == 0 ? time : "     ") + "  " + line)
        }
        for failure in view.failures { Main.printError(failure) }
    }

    func problem(_ error: any Error) {
        progress.end()
        Main.printError(ErrorText(error))
    }

    func ended() { progress.end() }
}

extension Wiring {
    /// A whole command that shares: shows the results, and ends with the exit code of the worst failure.
    ///
    /// - Parameter waits: whether to continue, with pauses, until nothing is left that another attempt could deliver.
    func share(_ order: ShareOrder, by sharing: ShareService, waits: Bool = false) async throws {
        noteOtherHistory()
        let progress = progress()
        defer { progress.end() }
        let view = try await sharing.share(order, waits: waits, reporting: { progress.step($0) })
        progress.end()
        try show(view)
        // `--json` does not mark notices as seen.
        if !isForPrograms { await sharing.context.markSeen(in: view.reports) }
        try Task.checkCancellation()
        if let worst = order.worst(of: view.reports, isUserNamed: options.user != nil) { throw AlreadyReported(worst) }
    }

    /// Reports on standard error, also with `-q`, that days are not those of the zone which the environment names.
    func noteUnknownZone() {
        guard let unknownZone, Output.noteZone() else { return }
        for line in RunMessageWords.errorLines(ErrorText(ServiceError.unknownZone(unknownZone))) {
            Output.error.line(line, .warning)
        }
    }

    /// Reports on standard error where a history begins.
    func noteNewHistory() {
        Output.error.line("A new history begins: \(Printable(databasePath, limit: 4096))", .notice)
    }

    /// Reports on standard error, also with `-q`, that days are shared from another history than without `--db`: what
    /// that one has sent may be sent again.
    func noteOtherHistory() {
        guard let usual = usualHistory else { return }
        Output.error.line(ShareView.note(history: databasePath, usual: usual), .notice)
    }
}

extension RunMessage.Severity {
    /// For the journal.
    var priority: JournalPriority {
        switch self {
        case .notice: .notice
        case .warning: .warning
        case .error: .error
        }
    }
}
