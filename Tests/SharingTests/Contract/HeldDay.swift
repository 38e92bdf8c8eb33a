import StepDomain

/// A day as a destination stores it, read back by a test. Values that it does not store are nil.
struct HeldDay: Hashable, Sendable {
    /// What a destination can store of a day, besides its steps.
    enum Figure: CaseIterable, Sendable {
        case user, day, metres, kilocalories, goal, percentage, samples
    }

    var user: String?
    /// ISO 8601.
    var day: String?
    var steps: Int
    var metres: Int?
    var kilocalories: Int?
    var goal: Int?
    var percentage: Double?
    /// Steps of the samples, in order, by pedometer.
    var samples: [String: [Int]]?

    init(
        user: String? = nil, day: String? = nil, steps: Int, metres: Int? = nil, kilocalories: Int? = nil,
        goal: Int? = nil,
        percentage: Double? = nil, samples: [String: [Int]]? = nil
    ) {
        self.user = user
        self.day = day
        self.steps = steps
        self.metres = metres
        self.kilocalories = kilocalories
        self.goal = goal
        self.percentage = percentage
        self.samples = samples
    }

    /// What a destination should store of a day.
    ///
    /// - Parameter text: converts a name to its stored form.
    init(_ shared: SharedDay, keeping figures: Set<Figure>, text: (String) -> String) {
        steps = shared.steps
        if figures.contains(.user) { user = text(shared.user.name) }
        if figures.contains(.day) { day = "\(shared.day)" }
        if figures.contains(.metres) { metres = shared.metres }
        if figures.contains(.kilocalories) { kilocalories = shared.kilocalories }
        if figures.contains(.goal) { goal = shared.summary.goal }
        if figures.contains(.percentage) { percentage = shared.percentage }
        if figures.contains(.samples) {
            samples = Dictionary(
                uniqueKeysWithValues: shared.tracks.map { (text($0.pedometer), $0.samples.map(\.steps)) })
        }
    }
}
