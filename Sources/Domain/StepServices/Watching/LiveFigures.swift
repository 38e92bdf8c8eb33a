import StepDomain

/// The steps of the pedometers that a watch is connected to, and when to show them.
public struct LiveFigures: Sendable {
    /// A connected pedometer, with the steps that it reports.
    public struct Figure: Hashable, Sendable {
        public var name: String
        /// Today's steps; nil before it has reported any.
        public var steps: Int?
        /// Steps; nil on a rest day and without a plan.
        public var goal: Int?

        public init(name: String, steps: Int?, goal: Int?) {
            self.name = name
            self.steps = steps
            self.goal = goal
        }
    }

    private var figures: [Pedometer.ID: Figure] = [:]
    private var pace = LivePace()

    var isEmpty: Bool { figures.isEmpty }
    /// In the order of the pedometers' registration.
    var all: [Figure] { figures.keys.sorted().compactMap { figures[$0] } }

    mutating func add(_ figure: Figure, for id: Pedometer.ID) { figures[id] = figure }

    mutating func remove(_ id: Pedometer.ID) { figures[id] = nil }

    /// Registers a report of a pedometer.
    ///
    /// - Parameter steps: nil when it has just connected.
    /// - Returns: the figures to show now; nil if they wait until a second has passed.
    mutating func update(_ id: Pedometer.ID, steps: Int?, at now: Timestamp) -> [Figure]? {
        if let steps { figures[id]?.steps = steps }
        return pace.isDue(at: now) ? all : nil
    }

    /// - Returns: the figures that wait to be shown; nil if none do.
    mutating func takeWaiting(at now: Timestamp) -> [Figure]? { pace.takeWaiting(at: now) ? all : nil }
}

/// Limits how often live figures are shown: at most once a second. The newest figure is always shown in the end.
///
/// A wearer makes two or three steps a second, and a faulty pedometer notifies thousands of times: more than one line a
/// second cannot be read and is not worth storing.
struct LivePace: Sendable {
    private var lastShown: Timestamp?
    /// Whether there are figures that were not shown yet.
    private(set) var isWaiting = false

    /// Registers new figures. Returns true if they must be shown now. Otherwise they wait, and must be shown when a
    /// second has passed.
    mutating func isDue(at now: Timestamp) -> Bool {
        // Compares for equality, so that figures are shown also after the clock was set back.
        if let lastShown, lastShown == now {
            isWaiting = true
            return false
        }
        lastShown = now
        isWaiting = false
        return true
    }

    /// Called when time has passed or a link is about to end. Returns true if waiting figures must be shown.
    mutating func takeWaiting(at now: Timestamp) -> Bool {
        guard isWaiting else { return false }
        lastShown = now
        isWaiting = false
        return true
    }
}
