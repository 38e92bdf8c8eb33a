import StepDomain

/// Since when a watch has listened for each pedometer without a break, or could not, and when that is worth a thought.
///
/// A machine that sleeps, an adapter that is gone and a clock that is set break the vigil, and it begins anew.
struct Vigil {
    /// Seconds between two thoughts about what silence means: it is counted in days.
    static let leisure = 6 * 3600

    private(set) var listening = Listening()
    /// Seconds within which a sign of life follows the last; otherwise the machine slept, or its clock was set.
    private let pause: Int
    private var isListening = false
    private var lastSign: Timestamp?
    private var lastThought: Timestamp?

    init(pause: Int) { self.pause = pause }

    /// Somebody listens from now on, if nobody did.
    mutating func begin(for pedometers: some Collection<Pedometer.ID>, at now: Timestamp) {
        isListening = true
        listening.deafness = nil
        attend(to: pedometers, at: now)
    }

    /// Nobody can listen from now on, if anybody could.
    mutating func end(because reason: String, at now: Timestamp) {
        isListening = false
        listening = Listening(deafness: .init(since: listening.deafness?.since ?? now, reason: reason))
    }

    /// These are listened for from now on, and no others: who was before still is.
    mutating func attend(to pedometers: some Collection<Pedometer.ID>, at now: Timestamp) {
        guard isListening else { return }
        listening.since = Dictionary(pedometers.map { ($0, listening.since[$0] ?? now) }) { one, _ in one }
    }

    /// A sign that the program is awake, and what its clock says.
    mutating func isAwake(at now: Timestamp) {
        if let lastSign, !(-pause...pause).contains(now - lastSign) {
            listening.since = listening.since.mapValues { _ in now }
            listening.deafness?.since = now
            lastThought = now
        }
        lastSign = now
    }

    /// Whether silence is to be thought about now; then not for a while.
    mutating func takesThought(at now: Timestamp) -> Bool {
        guard let first = listening.deafness?.since ?? listening.since.values.min(),
            !(0..<Self.leisure).contains(now - (lastThought ?? first))
        else { return false }
        lastThought = now
        return true
    }
}
