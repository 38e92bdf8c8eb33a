import BlueZ
import CIdle
import Foundation
import Pedometers
import StepDatabase
import StepDomain
import StepViews
import Systemd

/// Stays, and reads each pedometer when it is in range and due.
///
/// One loop takes what happens (somebody is heard, a sync has ended, time has passed) and does what the state says follows. It only
/// ends by cancellation. Between two events the process sleeps: nothing is asked for again and again.
actor Watch {
    /// Whom to watch for, and how.
    struct Order {
        var pedometers: [String]
        /// Whose; nil for everybody's.
        var user: String?
        /// Seconds between two readings of a pedometer that stays in range.
        var interval: Int
        var isLive: Bool
        var isShared: Bool
        var manner: WatchReport.Manner
    }

    private enum Event: Sendable {
        case sighting(Lookout.Sighting)
        case timePassed
        case synced(Pedometer.ID, Result<SyncRun.Result, any Error>)
        /// With nil, when it is connected.
        case stepped(Pedometer.ID, Int?)
        /// With nil, where it cannot be followed at all.
        case letGo(Pedometer.ID, (any Error)?)
    }

    /// Seconds until the history is looked at again, which may have got another pedometer or another program's sync.
    private static let glance = 60

    private let wiring: Wiring
    private let order: Order
    private let report: WatchReport
    private let notifier: ServiceNotifier?
    private let ears: Ears
    private var kept = KeptHistory()
    private var state: WatchState
    private let events: AsyncStream<Event>
    private let happens: AsyncStream<Event>.Continuation
    private var sync: Task<Void, Never>?
    private var links: [Pedometer.ID: Task<Void, Never>] = [:]
    private var figures: [Pedometer.ID: WatchWords.Figure] = [:]
    private var timer: Task<Void, Never>?
    private var lastGlance: Timestamp?
    private var vigil = Vigil(pause: 3 * glance)
    private var thinking: Task<Void, Never>?
    private var lastBeat: Timestamp?
    private var lastStatus = ""
    private var isReady = false

    init(_ wiring: Wiring, _ order: Order) {
        var wiring = wiring
        wiring.clock = TimerClock()
        self.wiring = wiring
        self.order = order
        report = WatchReport(wiring, order.manner)
        notifier = ServiceNotifier(environment: wiring.environment)
        ears = Ears(wiring)
        state = WatchState(timing: SyncTiming(interval: order.interval), localTime: wiring.localTime, isLive: order.isLive)
        (events, happens) = AsyncStream.makeStream()
    }

    /// Until the task is cancelled.
    ///
    /// - Throws: what is wrong with the order: no history, no such pedometer, none at all. Unattended, those are waited for.
    func run() async throws {
        try begin()
        let ears = ears
        let listening = Task { [happens] in await ears.run { happens.yield(.sighting($0)) } }
        await act()
        notifier?.ready(lastStatus)
        isReady = true
        for await event in events {
            take(event)
            // Figures come with each step: what they change is on the screen.
            if case .stepped(_, _?) = event { beat() } else { await act() }
        }
        notifier?.stopping()
        let open = links.values + [sync, timer, thinking, listening].compactMap(\.self)
        for task in open { task.cancel() }
        for task in open { await task.value }
        report.end()
    }

    private func begin() throws {
        do {
            try look()
            if state.entries.isEmpty, order.manner == .attended {
                throw CommandFailure(.usage, "There is no pedometer to watch.", advice: "Add one: istep scan, then istep add ADDRESS.")
            }
        } catch {
            // What is damaged, or is no history, does not mend itself.
            if order.manner == .attended || (error as? HistoryError)?.category == .data { throw error }
            report.trouble(error)
        }
        try report.begin(state.entries.values.map(\.pedometer.name).sorted())
    }

    // MARK: What happens

    private func take(_ event: Event) {
        let now = wiring.now()
        switch event {
        case .timePassed: break
        case .sighting(.heard(let address)): state.hear(address)
        case .sighting(.listening):
            vigil.begin(for: state.entries.keys, at: now)
            report.troubleIsOver()
        case .sighting(.blind(let error)):
            vigil.end(because: String(describing: error), at: now)
            report.trouble(error)
        case .synced(let id, let result):
            sync = nil
            lastGlance = nil
            // A sync takes some megabytes, which the allocator would keep for the next one.
            release_free_memory()
            switch result {
            case .success(let result):
                state.endSync(of: id, isComplete: result.reports.allSatisfy { $0.failure == nil }, at: now)
            case .failure(let error):
                report.trouble(error)
                if case SyncLockError.held = error {
                    state.endSync(of: id, isComplete: nil, at: now)
                } else {
                    state.endSync(of: id, isComplete: false, at: now)
                }
            }
        case .stepped(let id, let steps):
            state.follows(id, tells: steps != nil)
            show(id, steps)
        case .letGo(let id, let error):
            links[id] = nil
            figures[id] = nil
            if let error { endFollowing(id, error, now) } else { state.endFollowing(id, as: .impossible, at: now) }
        }
    }

    private func endFollowing(_ id: Pedometer.ID, _ error: any Error, _ now: Timestamp) {
        // Let go by ourselves, since it is to be read: it is near.
        if error is CancellationError || (error as? BluetoothError) == .cancelled {
            return state.endFollowing(id, as: .released, at: now)
        }
        let failure = Failure(error)
        // What may pass by itself: it went out of range, most likely.
        if failure.status == .temporary || failure.status == .unavailable { return state.endFollowing(id, as: .lost, at: now) }
        report.trouble(error)
        state.endFollowing(id, as: .impossible, at: now)
    }

    // MARK: What follows

    private func act() async {
        let now = wiring.now()
        beat()
        vigil.isAwake(at: now)
        if lastGlance.map({ !(0..<Self.glance).contains(now - $0) }) ?? true {
            do { try look() } catch { report.trouble(error) }
        }
        let decision = state.decision(at: now)
        for id in decision.letGo { links[id]?.cancel() }
        if let id = decision.sync { begin(syncOf: id) }
        if let id = decision.follow { follow(id) }
        if decision.sync == nil, decision.follow == nil, state.busy == nil { await ears.seek(decision.seek) }
        think(now)
        tellStatus(decision, now)
        sleep(until: decision.wake, now)
    }

    /// Looks at the history: whom there is to watch for, and when each was read.
    private func look() throws {
        let now = wiring.now()
        lastGlance = now
        LocalTime.lookAgain()
        defer { vigil.attend(to: state.entries.keys, at: now) }
        let history: SharingRun.History
        do throws(HistoryError) {
            history = try kept.history(of: wiring)
        } catch {
            // A service may be started before the first pedometer is added.
            guard case .missing = error, order.manner == .unattended else { throw error }
            return state.take([])
        }
        let user = try order.user.map { _ in try wiring.user(in: history) }
        let chosen = try Selection(history).pedometers(named: order.pedometers, of: user)
        state.take(
            try chosen.map { pedometer in
                // One of the future was made while the machine's clock was ahead.
                let last = try history.syncs(of: pedometer.id, limit: 20).first { $0.outcome == .complete && $0.start <= now + Self.glance }
                return WatchState.Entry(
                    pedometer: pedometer, lastComplete: last.map { $0.end ?? $0.start }, keepsTodayOnly: wiring.holdsTodayOnly(pedometer))
            })
    }

    private func begin(syncOf id: Pedometer.ID) {
        guard let pedometer = state.entries[id]?.pedometer else { return }
        state.beginSync(of: id)
        report.status("\(Printable(pedometer.name, limit: 32)): reading")
        let opened = Result { try kept.history(of: wiring) }
        sync = Task { [wiring, order, report, ears, happens, listening = vigil.listening] in
            var result: Result<SyncRun.Result, any Error>
            do {
                // Connecting while scanning is what often fails.
                await ears.rest()
                try Task.checkCancellation()
                let history = try opened.get()
                let run = SyncRun(
                    wiring: wiring, history: history, progress: Progress(.silent), isShared: order.isShared, listening: listening)
                let outcome = try await run.run([pedometer])
                result = .success(outcome)
                // What cannot be told is read all the same.
                do {
                    if !Task.isCancelled { try await report.tell(outcome, history: history) }
                } catch {
                    report.trouble(error)
                }
            } catch {
                result = .failure(error)
            }
            happens.yield(.synced(id, result))
        }
    }

    /// A pedometer that is not heard for days is worth a word, though nothing happens.
    private func think(_ now: Timestamp) {
        // Not beside a sync, which tells the same.
        guard sync == nil, vigil.takesThought(at: now), let history = try? kept.history(of: wiring) else { return }
        thinking = Task { [report, listening = vigil.listening] in
            do { try await report.look(listening, history: history) } catch { report.trouble(error) }
        }
    }

    // MARK: Live steps

    private func follow(_ id: Pedometer.ID) {
        guard let pedometer = state.entries[id]?.pedometer else { return }
        state.beginFollowing(id)
        let known = today(of: pedometer)
        figures[id] = WatchWords.Figure(name: pedometer.name, steps: known.steps, goal: known.goal)
        links[id] = Task { [wiring, ears, happens] in
            do {
                await ears.rest()
                try Task.checkCancellation()
                let isFollowed = try await wiring.reader().follow(pedometer, known: known.steps ?? 0) { steps in
                    happens.yield(.stepped(id, steps))
                }
                let end: any Error = Task.isCancelled ? CancellationError() : BluetoothError.linkLost(during: "following its steps")
                happens.yield(.letGo(id, isFollowed ? end : nil))
            } catch {
                happens.yield(.letGo(id, error))
            }
        }
    }

    private func today(of pedometer: Pedometer) -> (steps: Int?, goal: Int?) {
        guard let history = try? kept.history(of: wiring), let user = try? history.users().first(where: { $0.id == pedometer.user })
        else { return (nil, nil) }
        let service = StepDataService(history: history, localTime: wiring.localTime, now: wiring.now)
        let summary = try? service.summary(of: user, on: wiring.localTime.day(of: wiring.now()))
        return (summary?.steps, summary?.goal)
    }

    private func show(_ id: Pedometer.ID, _ steps: Int?) {
        if let steps { figures[id]?.steps = steps }
        report.live(figures.keys.sorted().compactMap { figures[$0] })
    }

    // MARK: Time, and signs of life

    /// Nothing is sooner than a second: a clock that is put back must not make it spin.
    private func sleep(until wake: Timestamp?, _ now: Timestamp) {
        var seconds = Double(min(max((wake ?? now + Self.glance) - now, 1), Self.glance))
        if let interval = notifier?.watchdogInterval { seconds = min(seconds, max(1, interval / .seconds(1))) }
        timer?.cancel()
        timer = Task { [happens, clock = wiring.clock] in
            guard (try? await clock.sleep(for: .seconds(seconds))) != nil else { return }
            happens.yield(.timePassed)
        }
    }

    /// For the watchdog: said by this loop, so that a loop that hangs is silent.
    private func beat() {
        let now = wiring.now()
        guard lastBeat != now else { return }
        lastBeat = now
        if notifier?.watchdogInterval != nil { notifier?.alive() }
    }

    private func tellStatus(_ decision: WatchState.Decision, _ now: Timestamp) {
        guard state.busy == nil else { return }
        let sought = state.entries.values.map(\.pedometer)
            .filter { pedometer in DeviceAddress(pedometer.address).map(decision.seek.contains) ?? false }.map(\.name).sorted()
        let text = WatchWords.waiting(for: sought, next: state.next(at: now), localTime: wiring.localTime)
        if figures.isEmpty { report.status(text) }
        guard text != lastStatus else { return }
        lastStatus = text
        if isReady { notifier?.status(text) }
    }
}
