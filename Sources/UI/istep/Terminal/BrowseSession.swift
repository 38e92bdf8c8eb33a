import Foundation
import StepDomain
import StepServices
import StepViews
import Support

/// Runs `istep browse`: keys and signals go to a `BrowseState`, and what it asks for is done by the services that the
/// other commands use.
///
/// One loop owns the state; a sync or a share runs beside it and reports to the loop.
struct BrowseSession {
    private enum Event: Sendable {
        case terminal(TerminalScreen.Event)
        case progress(String)
        /// A sync or a share has ended: what to report.
        case done(String)
        /// Another day has begun.
        case dayEnded
        case interrupted
    }

    private let wiring: Wiring
    /// Kept open: a key is answered faster than a file is opened.
    private let histories: any HistorySource
    private var user: User
    private let screen = TerminalScreen()
    private var figures: DaySeries
    private var state: BrowseState
    private var work: Task<Void, Never>?
    /// Whether `work` is a sync.
    private var isSyncing = false
    private let events: AsyncStream<Event>
    private let send: AsyncStream<Event>.Continuation

    init(_ wiring: Wiring) async throws {
        self.wiring = wiring
        let histories = wiring.readHistories
        self.histories = histories
        let (user, users) = try await blocking {
            let history = try histories.history()
            return (try wiring.user(in: history), try history.users())
        }
        self.user = user
        figures = try await Self.figures(of: user, histories, wiring)
        state = BrowseState(today: figures.today, known: figures.known, weekStart: wiring.weekStart)
        state.hasSeveralUsers = users.count > 1
        (events, send) = AsyncStream.makeStream()
    }

    private static func figures(of user: User, _ histories: any HistorySource, _ wiring: Wiring) async throws
        -> DaySeries
    {
        let history = try await blocking { try histories.history() }
        return try await StepStatistics(history, localTime: wiring.localTime, now: wiring.now).figures(of: user)
    }

    /// Until the user quits, the terminal is lost, or the task is cancelled. The terminal is then as it was.
    mutating func run() async throws {
        let terminal = await TerminalScreen.Events { [send] in send.yield(.terminal($0)) }
        defer {
            // In this order: a signal that stops the process finds the terminal as it was.
            screen.leave()
            terminal.stop()
        }
        try screen.enter()
        terminal.readKeys()
        let days = Task { [wiring, send] in
            await DayEnds(localTime: wiring.localTime, now: wiring.now, clock: wiring.clock).report {
                send.yield(.dayEnded)
            }
        }
        defer { days.cancel() }
        let end: Result<Bool, any Error>
        do {
            end = .success(
                try await withTaskCancellationHandler {
                    try await loop()
                } onCancel: { [send] in
                    send.yield(.interrupted)
                })
        } catch {
            end = .failure(error)
        }
        work?.cancel()
        // It may hold a link to a pedometer.
        await work?.value
        guard try end.get() else { return }
        // Only a sync has anything to continue.
        if isSyncing { throw CancellationError() }
        throw CommandFailure(.temporary, "Interrupted.")
    }

    /// - Returns: whether something other than the user ended it.
    private mutating func loop() async throws -> Bool {
        var decoder = KeyDecoder()
        guard try await draw() else { return true }
        for await event in events {
            switch event {
            case .interrupted, .terminal(.lost): return true
            case .terminal(.bytes(let bytes)):
                for key in decoder.keys(bytes) {
                    guard let effect = state.press(key) else { continue }
                    if effect == .quit { return false }
                    try await carryOut(effect)
                }
                // Another process may have synced or corrected a day.
                if case .period = state.content { await reload() }
            case .terminal(.resized), .dayEnded: break
            case .terminal(.suspend): try screen.suspend()
            case .terminal(.continued): screen.renew()
            case .progress(let words): if work != nil { state.report(work: words) }
            case .done(let words):
                work = nil
                isSyncing = false
                state.report(work: nil)
                state.report(words)
                await reload()
            }
            // Also after a pause of the machine, or when its clock or its zone was set.
            LocalTime.reloadSystemZone()
            if wiring.localTime.day(of: wiring.now()) != state.today { await reload() }
            guard try await draw() else { return true }
        }
        return true
    }

    private mutating func carryOut(_ effect: BrowseState.Effect) async throws {
        switch effect {
        case .quit: break
        case .suspend: try screen.suspend()
        case .find(let text):
            do {
                let day = try DayArgument(word: text).day(today: state.today)
                state.go(to: day)
            } catch {
                state.report("'\(text)': \(error)")
            }
        case .switchUser: await switchUser()
        case .sync:
            isSyncing = true
            begin("Syncing") { wiring, user, progress in try await Self.sync(wiring, user, progress) }
        case .retry(let entry):
            begin("Sending \(entry.day)") { wiring, user, progress in
                try await Self.retry(entry, wiring, user, progress)
            }
        case .drop(let entry):
            begin("Dropping \(entry.day)") { wiring, user, _ in try await Self.drop(entry, wiring, user) }
        case .share(let day):
            begin("Sharing") { wiring, user, progress in try await Self.share(day, wiring, user, progress) }
        }
    }

    /// Shows the user after the present one, in the order of their names.
    private mutating func switchUser() async {
        do {
            let users = try await blocking { [histories] in try histories.history().users() }
            guard let index = users.firstIndex(where: { $0.id == user.id }) else { return }
            let next = users[(index + 1) % users.count]
            figures = try await Self.figures(of: next, histories, wiring)
            user = next
            (state.today, state.known, state.hasSeveralUsers) = (figures.today, figures.known, users.count > 1)
            state.report("Now the days of \(Printable(next.name, limit: 32)).")
        } catch {
            state.report(ErrorText(error).message)
        }
    }

    private mutating func begin(
        _ words: String,
        _ body: @escaping @Sendable (Wiring, User, @escaping @Sendable (String) -> Void) async throws -> String
    ) {
        state.report(work: words + " …")
        work = Task { [wiring, user, send] in
            do {
                // The configuration may have changed since.
                send.yield(.done(try await body(wiring.reread(), user) { send.yield(.progress($0)) }))
            } catch {
                let text = ErrorText(error)
                send.yield(.done([text.message, text.advice].compactMap(\.self).joined(separator: " ")))
            }
        }
    }

    private static func sync(_ wiring: Wiring, _ user: User, _ progress: @escaping @Sendable (String) -> Void)
        async throws -> String
    {
        let request = SyncRequest(user: user.name)
        guard let sync = try await RequestedSync(request, in: wiring.histories, services: wiring.services) else {
            throw ServiceError.noPedometer(to: .sync)
        }
        let isClockRight = await sync.context.waitForClock { progress(ClockWaitWords.waiting) }
        let outcome = try await sync.run(progress: { progress(ProgressWords.line($0, wiring.localTime)) })
        return outcome.view(wiring).line(isClockRight: isClockRight)
    }

    private static func share(
        _ day: Day, _ wiring: Wiring, _ user: User, _ progress: @escaping @Sendable (String) -> Void
    ) async throws -> String {
        let sharing = try await blocking { try ShareService(wiring.services(wiring.history(for: .updating))).with([]) }
        try sharing.requireDestination()
        return try await sharing.share(.days([day], of: user), reporting: progress).line(of: day, user)
    }

    private static func retry(
        _ entry: BrowseState.OutboxEntry, _ wiring: Wiring, _ user: User,
        _ progress: @escaping @Sendable (String) -> Void
    ) async throws -> String {
        let choice = OutboxService.Choice(destination: entry.destination, day: entry.day, user: user)
        let sharing = try await outbox(wiring).retry(choice)
        return try await sharing.share(.due, reporting: progress).summary.line(orElse: "Nothing to send.")
    }

    private static func drop(_ entry: BrowseState.OutboxEntry, _ wiring: Wiring, _ user: User) async throws -> String {
        let choice = OutboxService.Choice(destination: entry.destination, day: entry.day, user: user)
        let dropped = try await outbox(wiring).drop(choice)
        return "\(entry.day) dropped from the outbox of \(Printable(dropped.destination.name, limit: 32))."
    }

    private static func outbox(_ wiring: Wiring) async throws -> OutboxService {
        try await blocking { OutboxService(wiring.services(try wiring.history(for: .updating))) }
    }

    private mutating func reload() async {
        do {
            figures = try await Self.figures(of: user, histories, wiring)
            (state.today, state.known) = (figures.today, figures.known)
        } catch {
            state.report(ErrorText(error).message)
        }
    }

    /// - Returns: whether the terminal is still there.
    private mutating func draw() async throws -> Bool {
        var outbox: [ShareEntry] = []
        if state.content == .outbox {
            // An error is shown in place of the entries.
            outbox =
                (try? await blocking { [histories, user, wiring] in
                    try OutboxService(wiring.services(histories.history())).waiting(of: user)
                }) ?? []
            state.outbox = outbox.map(BrowseState.OutboxEntry.init)
        }
        var style = wiring.style
        // Advice is for the user who is shown, and not for the one of the command line.
        if state.hasSeveralUsers { style.commands.user = user.name }
        let (shown, size) = (style, screen.size)
        let picture = Picture(
            wiring: wiring, histories: histories, user: user, figures: figures, state: state, outbox: outbox)
        let (head, content) = try await blocking { picture.lines(shown) }
        state.limitScroll(to: content, head: head, lines: size.lines)
        return screen.show(
            state.screen(content, head: head, columns: size.columns, lines: size.lines, style: shown))
    }

    /// What is shown, read from the history each time.
    private struct Picture: Sendable {
        let wiring: Wiring
        let histories: any HistorySource
        let user: User
        let figures: DaySeries
        let state: BrowseState
        /// The entries that keys are for.
        let outbox: [ShareEntry]

        /// What stays above, and what scrolls.
        func lines(_ style: TextStyle) -> (head: [String], content: [String]) {
            do {
                return try content(style)
            } catch {
                let text = ErrorText(error)
                let lines = [text.message, text.advice].compactMap(\.self)
                return ([], lines.map { Printable($0, limit: 500).description })
            }
        }

        private func content(_ style: TextStyle) throws -> (head: [String], content: [String]) {
            let history = try histories.history()
            switch state.content {
            case .day(let day):
                let view = try DayView(DayReport(of: user, on: day, in: wiring.services(history)))
                return (view.browserHead(style), view.browserLines(style))
            case .period(let period):
                let hasPedometers = try !history.pedometers(of: user.id).isEmpty
                let view = HistoryView(figures, period, hasPedometers: hasPedometers)
                return (view.browserHead(style), view.browserLines(style, marking: state.day))
            case .outbox:
                let names = Set(outbox.map(\.destination)).sorted()
                let view = OutboxView(
                    outbox, states: try names.map(history.state(of:)), users: try history.users(), now: wiring.now(),
                    localTime: wiring.localTime, marked: state.selection)
                return ([], view.lines(style))
            case .help: return ([], BrowseState.help(style))
            }
        }
    }
}
