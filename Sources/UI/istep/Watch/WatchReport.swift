import BlueZ
import StepDomain
import StepViews
import Synchronization

/// How a watch talks: what each sync brought, on standard output; what stands in its way, on standard error, once; and on a terminal
/// one line that tells what it is at.
final class WatchReport: Sendable {
    enum Manner: Sendable { case attended, unattended }

    private let wiring: Wiring
    private let manner: Manner
    private let progress: Progress
    private let lastTrouble = Mutex<String?>(nil)

    init(_ wiring: Wiring, _ manner: Manner) {
        self.wiring = wiring
        self.manner = manner
        // Elsewhere than on a terminal a line for each state would be noise.
        progress = manner == .attended && Output.error.isTerminal ? wiring.progress() : Progress(.silent)
    }

    /// What the watch is at, on a terminal.
    func status(_ text: String) { progress.step(text) }

    func end() { progress.end() }

    func begin(_ names: [String]) throws {
        guard manner == .attended, !names.isEmpty else { return }
        let list = names.map { Printable($0, limit: 32).description }.joined(separator: ", ")
        Output.error.line("Watching for \(list). Ctrl-C ends it.")
    }

    /// Where nobody sees them come, live figures are lines now and then.
    func live(_ figures: [WatchWords.Figure]) {
        guard manner == .attended, !figures.isEmpty else { return }
        let text = WatchWords.live(figures)
        if Output.error.isTerminal { progress.step(text) } else { try? wiring.say(text) }
    }

    func tell(_ result: SyncRun.Result, history: SharingRun.History) async throws {
        progress.end()
        let view = SyncView(
            result.reports, shares: result.shared?.view, now: wiring.now(), localTime: wiring.localTime, advice: { Failure($0).advice })
        if wiring.isForPrograms { return try wiring.show(view) }
        let lines = view.lines(TextStyle(.standard, environment: wiring.environment))
        let time = WatchWords.time(wiring.now(), wiring.localTime)
        switch manner {
        case .attended: for (index, line) in lines.enumerated() { try Output.standard.result((index == 0 ? time : "     ") + "  " + line) }
        case .unattended: if let line = lines.first { try Output.standard.result(line) }
        }
        for (failure, isTold) in result.failures where !isTold { Main.tell(failure) }
        troubleIsOver()
    }

    /// Something stands in the way; told once until it is another, or has passed.
    func trouble(_ error: any Error) {
        let failure = Failure(error)
        guard let message = failure.message else { return }
        let isNew = lastTrouble.withLock { last in
            defer { last = message }
            return last != message
        }
        guard isNew else { return }
        progress.end()
        Main.tell(failure)
    }

    func troubleIsOver() { lastTrouble.withLock { $0 = nil } }
}
