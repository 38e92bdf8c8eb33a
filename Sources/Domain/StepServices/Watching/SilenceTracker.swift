import StepDomain

/// How long a watch has listened for each pedometer without a break, or could not listen, and when to check what the
/// silence means.
///
/// The period ends, and a new one begins, when the machine sleeps, when the adapter is gone, and when the clock is set.
struct SilenceTracker: Sendable {
    /// Seconds between two checks: silence is counted in days.
    static let checkInterval = 6 * 3600

    private(set) var listening = ListeningState()
    /// Seconds within which `tick` is called again; after more than that, the machine slept or its clock was set.
    private let maximumPause: Int
    private var isListening = false
    private var lastTick: Timestamp?
    private var lastCheck: Timestamp?

    init(maximumPause: Int) { self.maximumPause = maximumPause }

    /// The scanner listens from now on, if it did not before.
    mutating func start(for pedometers: some Collection<Pedometer.ID>, at now: Timestamp) {
        isListening = true
        listening.outage = nil
        track(pedometers, at: now)
    }

    /// The scanner cannot listen from now on.
    mutating func stop(because reason: String, at now: Timestamp) {
        isListening = false
        listening = ListeningState(outage: .init(since: listening.outage?.since ?? now, reason: reason))
    }

    /// These pedometers are listened for from now on, and no others; those that were before keep their start.
    mutating func track(_ pedometers: some Collection<Pedometer.ID>, at now: Timestamp) {
        guard isListening else { return }
        listening.since = Dictionary(pedometers.map { ($0, listening.since[$0] ?? now) }) { one, _ in one }
    }

    /// Registers that the program is awake at this time of its clock.
    mutating func tick(at now: Timestamp) {
        if let lastTick, !(-maximumPause...maximumPause).contains(now - lastTick) {
            listening.since = listening.since.mapValues { _ in now }
            listening.outage?.since = now
            lastCheck = now
        }
        lastTick = now
    }

    /// Whether the silence must be checked now; if so, the next check is due after `checkInterval`.
    mutating func takeCheck(at now: Timestamp) -> Bool {
        guard let first = listening.outage?.since ?? listening.since.values.min(),
            !(0..<Self.checkInterval).contains(now - (lastCheck ?? first))
        else { return false }
        lastCheck = now
        return true
    }
}
