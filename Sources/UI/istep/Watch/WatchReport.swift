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
    /// Held while a document is written: what one pedometer tells must not come into the middle of another's sync.
    private let writing = Mutex(())

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

    /// On a terminal live figures are the one line of what it is at, elsewhere lines, and for programs documents.
    func live(_ figures: [WatchWords.Figure]) {
        guard manner == .attended, !figures.isEmpty else { return }
        if wiring.isForPrograms { return document(figures) }
        let text = WatchWords.live(figures)
        if Output.error.isTerminal { progress.step(text) } else { try? wiring.say(text) }
    }

    private func document(_ figures: [WatchWords.Figure]) {
        progress.end()
        do {
            let document = try LiveDocument(figures, now: wiring.now(), localTime: wiring.localTime).json()
            try writing.withLock { _ in try Output.standard.result(document) }
        } catch {
            trouble(error)
        }
    }

    func tell(_ result: SyncRun.Result, history: SharingRun.History) async throws {
        troubleIsOver()
        guard manner == .attended else { return try await NightReport(wiring: wiring, history: history).tell(result) }
        progress.end()
        if wiring.isForPrograms { return try writing.withLock { _ in try wiring.show(result.view(wiring)) } }
        let time = WatchWords.time(wiring.now(), wiring.localTime)
        for (index, line) in result.view(wiring).lines(TextStyle(.standard, environment: wiring.environment)).enumerated() {
            try Output.standard.result((index == 0 ? time : "     ") + "  " + line)
        }
        for (failure, isTold) in result.failures where !isTold { Main.tell(failure) }
        // What cannot be marked is told again.
        try? history.markSeen(result.told.map(\.id), at: wiring.now())
    }

    /// What silence comes to; where somebody is watching, they see it.
    func look(_ listening: Listening, history: SharingRun.History) async throws {
        guard manner == .unattended else { return }
        try await NightReport(wiring: wiring, history: history).look(listening)
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
