import StepDomain
import StepServices
import Synchronization
import TestSupport

/// A watch on a history in memory; the test hears pedometers, moves the time, and sees what is shown.
struct WatchFixture {
    var services: ServiceFixture
    let histories: ScriptedHistories
    let scanner = ScriptedScanner()
    let output = RecordingWatchOutput()
    let log = RecordingLog()
    let supervisor = RecordingSupervisor()
    /// How often the time zone was read again.
    let zoneReloads = Counter()
    /// Measures pauses; the time of day is that of the outbox.
    let clock = ManualClock()

    init(_ services: ServiceFixture = ServiceFixture()) {
        self.services = services
        histories = ScriptedHistories(services.history)
    }

    var ring: Pedometer { services.outbox.ring }

    private var context: WatchContext {
        let services = services, log = log, outbox = services.outbox
        return WatchContext(
            histories: histories, services: { _ in services.context }, scanner: scanner, reader: services.reader,
            supervisor: supervisor,
            output: output, reporter: { UnattendedReporter($0, output: log, desktop: nil) },
            reloadTimeZone: { [zoneReloads] in zoneReloads.increment() }, localTime: outbox.localTime,
            now: { outbox.now }, clock: clock)
    }

    /// Runs a watch during `body`, then ends it.
    func watching(_ options: WatchOptions = WatchOptions(), _ body: () async throws -> Void = {}) async throws {
        let watch = Watch(context, options)
        let task = Task { try await watch.run() }
        do {
            try await body()
        } catch {
            task.cancel()
            throw error
        }
        task.cancel()
        try await task.value
    }

    /// Runs a watch that ends by itself.
    func run(_ options: WatchOptions = WatchOptions()) async throws { try await Watch(context, options).run() }

    /// Moves the time of day, and wakes the watch.
    func pass(_ seconds: Int) {
        services.outbox.pass(seconds)
        clock.advance(by: .seconds(seconds))
    }

    /// Makes the next reading of the ring succeed.
    func scriptReading() { services.reader.script(ring.id, .finish(ReadReport())) }
}

final class ScriptedHistories: HistorySource {
    struct Missing: Error {}

    private let actual: History
    private let failure = Mutex<(any Error)?>(nil)

    init(_ history: History) { actual = history }

    func fail(_ error: (any Error)?) { failure.withLock { $0 = error } }

    func history() throws -> History {
        if let error = failure.withLock({ $0 }) { throw error }
        return actual
    }

    func isMissing(_ error: any Error) -> Bool { error is Missing }
}

final class Counter: Sendable {
    private let value = Mutex(0)

    var count: Int { value.withLock { $0 } }
    func increment() { value.withLock { $0 += 1 } }
}

/// Hears what the test reports.
final class ScriptedScanner: PresenceScanner {
    private struct State {
        var report: (@Sendable (PresenceEvent) -> Void)?
        var waiting: [PresenceEvent] = []
        var wanted: Set<String> = []
        var advertised: Set<String> = []
    }

    private let state = Mutex(State())

    var wanted: Set<String> { state.withLock(\.wanted) }
    var advertised: Set<String> { state.withLock(\.advertised) }
    var isOpen: Bool { state.withLock { $0.report != nil } }

    func scan(for addresses: Set<String>, advertised: Set<String>) async {
        state.withLock { ($0.wanted, $0.advertised) = (addresses, advertised) }
    }

    func pause() async { state.withLock { $0.wanted = [] } }

    func run(_ report: @escaping @Sendable (PresenceEvent) -> Void) async {
        let waiting = state.withLock { state in
            state.report = report
            defer { state.waiting = [] }
            return state.waiting
        }
        for event in waiting { report(event) }
        let (never, end) = AsyncStream<Void>.makeStream()
        for await _ in never {}
        withExtendedLifetime(end) {}
        state.withLock { $0.report = nil }
    }

    func report(_ event: PresenceEvent) {
        let report = state.withLock { state in
            if state.report == nil { state.waiting.append(event) }
            return state.report
        }
        report?(event)
    }
}

final class RecordingWatchOutput: WatchOutput {
    enum Event: Hashable {
        case started([String])
        case status(WatchStatus)
        case live([LiveFigures.Figure])
        case synced(steps: Int)
        case problem(String)
        case ended
    }

    private let log = Mutex<[Event]>([])
    private let events: AsyncStream<Event>
    private let happened: AsyncStream<Event>.Continuation

    init() { (events, happened) = AsyncStream.makeStream() }

    var all: [Event] { log.withLock { $0 } }
    func count(_ event: Event) -> Int { all.count { $0 == event } }

    /// Returns when the event has happened, after those that were waited for before.
    func until(_ event: Event) async { for await next in events where next == event { return } }

    private func record(_ event: Event) {
        log.withLock { $0.append(event) }
        happened.yield(event)
    }

    func started(_ pedometers: [String]) { record(.started(pedometers)) }
    func status(_ status: WatchStatus) { record(.status(status)) }
    func text(for status: WatchStatus) -> String { "\(status)" }
    func live(_ figures: [LiveFigures.Figure]) { record(.live(figures)) }
    func synced(_ outcome: SyncService.Outcome) {
        record(.synced(steps: outcome.reports.reduce(0) { $0 + $1.counts.steps }))
    }
    func problem(_ error: any Error) { record(.problem("\(error)")) }
    func ended() { record(.ended) }
}

/// The log of an unattended run.
final class RecordingLog: UnattendedOutput {
    private let state = Mutex<(messages: [RunMessage], results: [SyncService.Outcome], failure: (any Error)?)>(
        ([], [], nil))
    let results: AsyncStream<Void>
    private let written: AsyncStream<Void>.Continuation

    init() { (results, written) = AsyncStream.makeStream() }

    /// Lets the output of results fail.
    func fail(_ error: any Error) { state.withLock { $0.failure = error } }

    var messages: [RunMessage] { state.withLock(\.messages) }
    var outcomes: [SyncService.Outcome] { state.withLock(\.results) }

    func write(_ message: RunMessage, isHousehold: Bool) { state.withLock { $0.messages.append(message) } }

    func write(_ outcome: SyncService.Outcome) throws {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            state.results.append(outcome)
        }
        written.yield()
    }
}

final class RecordingSupervisor: ServiceSupervisor {
    let watchdogInterval: Duration? = .seconds(10)
    private let log = Mutex<[String]>([])
    private let reports: AsyncStream<String>
    private let reported: AsyncStream<String>.Continuation

    init() { (reports, reported) = AsyncStream.makeStream() }

    var all: [String] { log.withLock { $0 } }
    func until(_ report: String) async { for await next in reports where next == report { return } }

    private func record(_ report: String) -> Bool {
        log.withLock { $0.append(report) }
        reported.yield(report)
        return true
    }

    func ready(_ status: String) -> Bool { record("ready: \(status)") }
    func status(_ text: String) -> Bool { record("status: \(text)") }
    func alive() -> Bool { record("alive") }
    func stopping() -> Bool { record("stopping") }
}
