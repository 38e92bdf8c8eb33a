import StepDomain
import StepServices
import StepViews
import Synchronization

/// Prints the text of a sync on standard output: each pedometer's lines as soon as its result is known, while BlueZ still disconnects it
/// or reads the next one; what was shared at the end.
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

    private var style: TextStyle { TextStyle(.standard, environment: wiring.environment) }

    func show(_ report: SyncReport) {
        progress.end()
        let view = SyncView([report], now: wiring.now(), localTime: wiring.localTime, advice: { [self] in newAdvice(on: $0) })
        failure.withLock { failure in
            do {
                for line in view.lines(style) { try Output.standard.result(line) }
            } catch {
                failure = failure ?? error
            }
        }
    }

    /// Nil where the same was printed for another pedometer.
    private func newAdvice(on error: any Error) -> String? {
        guard let advice = Failure(error).advice else { return nil }
        return given.withLock { $0.insert(advice).inserted } ? advice : nil
    }

    /// - Throws: the first failure to write, here or before.
    func end(_ outcome: SyncService.Outcome) throws {
        if let failure = failure.withLock({ $0 }) { throw failure }
        for line in outcome.view(wiring).shareLines(style) { try Output.standard.result(line) }
    }
}

/// The log of an unattended run: a summary line, or with `--json` the document, on standard output, and the rest on standard error.
struct ConsoleUnattendedOutput: UnattendedOutput {
    let wiring: Wiring

    func write(_ message: RunMessage, isHousehold: Bool) {
        let lines = RunMessageWords.lines(for: message, isHousehold: isHousehold, now: wiring.now(), localTime: wiring.localTime) {
            let failure = Failure($0)
            return (failure.message, failure.advice)
        }
        for line in lines { Output.error.line(line, message.severity) }
    }

    func write(_ outcome: SyncService.Outcome) throws {
        if wiring.isForPrograms { return try wiring.show(outcome.view(wiring)) }
        try Output.standard.result(SyncSummary(outcome.reports, shares: outcome.shares ?? []).line, isNews: outcome.isNews)
    }
}

extension SyncService.Outcome {
    func view(_ wiring: Wiring) -> SyncView {
        SyncView(
            reports, shares: shares.map { ShareRun.view($0, users: users, wiring) },
            failures: failures.filter { !$0.isShown }.compactMap { Failure($0.error).document }, now: wiring.now(), localTime: wiring.localTime,
            advice: { Failure($0).advice })
    }

    /// Reports the failures that no view has shown.
    func reportHidden() {
        for failure in failures where !failure.isShown { Main.printError(Failure(failure.error)) }
    }
}
