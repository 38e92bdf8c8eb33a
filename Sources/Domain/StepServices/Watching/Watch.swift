import StepDomain
internal import Support

/// Keeps running, and reads each pedometer when it is in range and due.
///
/// One loop takes events (a pedometer is heard, a sync has ended, time has passed) and does what the state decides. It
/// ends only when the task is cancelled. Between two events the process sleeps: nothing is polled.
public actor Watch {
    /// Seconds until the history is read again: another process may have added a pedometer or synced.
    static let refreshInterval = 60

    private let context: WatchContext
    private let options: WatchOptions
    private let problems: ProblemReport
    private let tasks: WatchTasks
    private let events = WatchEvents()
    private var state: WatchState
    private var live = LiveFigures()
    private var silence = SilenceTracker(maximumPause: 3 * refreshInterval)
    private var sync: Task<Void, Never>?
    private var links: [Pedometer.ID: Task<Void, Never>] = [:]
    private var silenceCheck: Task<Void, Never>?
    private var timer: Task<Void, Never>?
    private var figuresTimer: Task<Void, Never>?
    private var lastRefresh: Timestamp?
    private var lastPing: Timestamp?
    private var lastStatus = ""
    private var isReady = false

    public init(_ context: WatchContext, _ options: WatchOptions) {
        self.context = context
        self.options = options
        problems = ProblemReport { [output = context.output] in output.problem($0) }
        tasks = WatchTasks(context: context, options: options, problems: problems, events: events)
        state = WatchState(
            schedule: ReadingSchedule(interval: options.interval), localTime: context.localTime, isLive: options.isLive)
    }

    /// Runs until the task is cancelled.
    ///
    /// - Throws: an error in the options: no history, no such pedometer, or no pedometer at all. In unattended mode it
    ///   waits for these.
    public func run() async throws {
        try await start()
        let listening = Task { [events, scanner = context.scanner] in await scanner.run { events.put(.presence($0)) } }
        await act()
        context.supervisor?.ready(lastStatus)
        isReady = true
        for await _ in events.arrivals {
            let happened = events.takeAll()
            for event in happened { handle(event) }
            // A live figure changes only the output.
            if happened.allSatisfy(\.isFigure) { reportAlive() } else { await act() }
        }
        context.supervisor?.stopping()
        showWaitingFigures(context.now())
        tasks.end.begin()
        let open = links.values + [sync, timer, silenceCheck, listening, figuresTimer].compactMap(\.self)
        for task in open { task.cancel() }
        for task in open { await task.value }
        context.output.ended()
    }

    private func start() async throws {
        do {
            try await refreshHistory()
            if state.entries.isEmpty, !options.isUnattended { throw ServiceError.noPedometer(to: .watch) }
        } catch {
            // Waiting does not help if the file is damaged or is not a history.
            if !options.isUnattended || (error as? any CategorizedError)?.category == .data { throw error }
            problems.begin(.history, error)
        }
        if !options.isUnattended { context.output.started(state.entries.values.map(\.pedometer.name).sorted()) }
    }

    // MARK: Events

    private func handle(_ event: WatchEvent) {
        let now = context.now()
        switch event {
        case .timePassed: break
        case .presence(.discovered(let address)): state.recordAdvertisement(of: address)
        case .presence(.listening):
            silence.start(for: state.entries.keys, at: now)
            problems.end(.scanning)
        case .presence(.unavailable(let error)):
            silence.stop(because: String(describing: error), at: now)
            problems.begin(.scanning, error)
        case .synced(let id, let end): endSync(of: id, end, now)
        case .stepped(let id, let steps):
            state.isFollowing(id, hasSteps: steps != nil)
            show(live.update(id, steps: steps, at: now))
        case .figuresDue:
            figuresTimer = nil
            showWaitingFigures(now)
        case .followed(let id, let end):
            showWaitingFigures(now)
            links[id] = nil
            live.remove(id)
            endFollowing(id, end, now)
        }
    }

    private func endSync(of id: Pedometer.ID, _ end: WatchEvent.SyncEnd, _ now: Timestamp) {
        sync = nil
        lastRefresh = nil
        context.releaseMemory()
        switch end {
        case .finished(let isComplete): state.endSync(of: id, isComplete: isComplete, at: now)
        case .blocked(let error):
            problems.begin(.reading(id), error)
            state.endSync(of: id, isComplete: nil, at: now)
        case .failed(let error):
            problems.begin(.reading(id), error)
            state.endSync(of: id, isComplete: false, at: now)
        }
    }

    private func endFollowing(_ id: Pedometer.ID, _ end: Result<Bool, any Error>, _ now: Timestamp) {
        switch end {
        case .success(let isFollowed):
            problems.end(.following(id))
            state.endFollowing(id, as: isFollowed ? .lost : .impossible, at: now)
        // Disconnected by this watch in order to read it: it is in range.
        case .failure(let error) where FailureCause(error) == .interrupted:
            state.endFollowing(id, as: .released, at: now)
        case .failure(let error):
            switch (error as? any CategorizedError)?.category {
            // It may pass by itself: the pedometer most likely went out of range.
            case .temporary, .unavailable: state.endFollowing(id, as: .lost, at: now)
            default:
                problems.begin(.following(id), error)
                state.endFollowing(id, as: .impossible, at: now)
            }
        }
    }

    // MARK: Actions

    private func act() async {
        let now = context.now()
        reportAlive()
        silence.tick(at: now)
        if lastRefresh.map({ !(0..<Self.refreshInterval).contains(now - $0) }) ?? true {
            do {
                try await refreshHistory()
                problems.end(.history)
            } catch {
                problems.begin(.history, error)
            }
        }
        let decision = state.decision(at: now)
        for id in decision.disconnect { links[id]?.cancel() }
        if let pedometer = decision.sync.flatMap({ state.entries[$0]?.pedometer }) {
            state.beginSync(of: pedometer.id)
            context.output.status(.reading(pedometer.name))
            sync = tasks.sync(pedometer, listening: silence.listening)
        } else if let pedometer = decision.follow.flatMap({ state.entries[$0]?.pedometer }) {
            state.beginFollowing(pedometer.id)
            let (figure, known) = await tasks.today(of: pedometer)
            live.add(figure, for: pedometer.id)
            links[pedometer.id] = tasks.follow(pedometer, known: known)
        } else if state.busy == nil {
            await context.scanner.scan(for: decision.scan, advertised: decision.advertised)
        }
        // Not during a sync, which reports the same.
        if options.isUnattended, sync == nil, silence.takeCheck(at: now) {
            silenceCheck = tasks.checkSilence(silence.listening)
        }
        reportStatus(state.status(after: decision, at: now))
        sleep(until: decision.wake, now)
    }

    /// Reads from the history which pedometers to watch, and when each was read.
    private func refreshHistory() async throws {
        let now = context.now()
        lastRefresh = now
        context.reloadTimeZone()
        defer { silence.track(state.entries.keys, at: now) }
        state.update(try await blocking { [context, options] in try context.entries(options, now: now) })
    }

    private func show(_ figures: [LiveFigures.Figure]?) {
        if let figures { return showNow(figures) }
        guard figuresTimer == nil else { return }
        figuresTimer = Task { [events, clock = context.clock] in
            guard (try? await clock.sleep(for: .seconds(1))) != nil else { return }
            events.put(.figuresDue)
        }
    }

    private func showWaitingFigures(_ now: Timestamp) {
        if let figures = live.takeWaiting(at: now) { showNow(figures) }
    }

    private func showNow(_ figures: [LiveFigures.Figure]) {
        if !figures.isEmpty { context.output.live(figures) }
    }

    private func reportStatus(_ status: WatchStatus) {
        guard state.busy == nil else { return }
        if live.isEmpty { context.output.status(status) }
        let text = context.output.text(for: status)
        guard text != lastStatus else { return }
        lastStatus = text
        if isReady { context.supervisor?.status(text) }
    }

    // MARK: Time and watchdog

    /// At least a second: a clock that is set back must not make the loop spin.
    private func sleep(until wake: Timestamp?, _ now: Timestamp) {
        var seconds = Double(min(max((wake ?? now + Self.refreshInterval) - now, 1), Self.refreshInterval))
        if let interval = context.supervisor?.watchdogInterval {
            seconds = min(seconds, max(1, interval / .seconds(1)))
        }
        timer?.cancel()
        timer = Task { [events, clock = context.clock] in
            guard (try? await clock.sleep(for: .seconds(seconds))) != nil else { return }
            events.put(.timePassed)
        }
    }

    /// Resets the watchdog. A loop that hangs does not get here.
    private func reportAlive() {
        let now = context.now()
        guard lastPing != now else { return }
        lastPing = now
        if context.supervisor?.watchdogInterval != nil { context.supervisor?.alive() }
    }
}
