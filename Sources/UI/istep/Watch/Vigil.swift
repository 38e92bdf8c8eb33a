import StepDomain

/// Since when a watch has listened for each pedometer without a break, and when that is worth a thought.
///
/// That a pedometer is not heard means something only while somebody listens: a machine that sleeps, an adapter that is gone and a
/// clock that is set break the vigil, and it begins anew.
struct Vigil {
    /// Seconds between two thoughts about what silence means: it is counted in days.
    static let leisure = 6 * 3600

    /// For each, the moment since which it would have been heard.
    private(set) var since: [Pedometer.ID: Timestamp] = [:]
    /// Seconds within which a sign of life follows the last; otherwise the machine slept, or its clock was set.
    private let pause: Int
    private var isListening = false
    private var lastSign: Timestamp?
    private var lastThought: Timestamp?

    init(pause: Int) { self.pause = pause }

    /// Somebody listens from now on, if nobody did.
    mutating func begin(for pedometers: some Collection<Pedometer.ID>, at now: Timestamp) {
        isListening = true
        attend(to: pedometers, at: now)
    }

    /// Nobody listens.
    mutating func end() {
        isListening = false
        since = [:]
    }

    /// These are listened for from now on, and no others: who was before still is.
    mutating func attend(to pedometers: some Collection<Pedometer.ID>, at now: Timestamp) {
        guard isListening else { return }
        since = Dictionary(pedometers.map { ($0, since[$0] ?? now) }) { one, _ in one }
    }

    /// A sign that the program is awake, and what its clock says.
    mutating func isAwake(at now: Timestamp) {
        if let lastSign, !(-pause...pause).contains(now - lastSign) {
            since = since.mapValues { _ in now }
            lastThought = now
        }
        lastSign = now
    }

    /// Whether silence is to be thought about now; then not for a while.
    mutating func takesThought(at now: Timestamp) -> Bool {
        guard let first = since.values.min(), !(0..<Self.leisure).contains(now - (lastThought ?? first)) else { return false }
        lastThought = now
        return true
    }
}
