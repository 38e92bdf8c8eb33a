public import StepDomain

/// What `istep watch --live --json` tells when somebody has walked on: all pedometers that are connected.
public struct LiveDocument: Codable, Sendable {
    public struct Pedometer: Codable, Sendable {
        public var name: String
        /// Of today; null before it has told any.
        @Nullable public var steps: Int?
        /// Null on a rest day and without a plan.
        @Nullable public var goal: Int?
        @Nullable public var percentage: Double?
    }

    public var version = 1
    /// ISO 8601 with offset.
    public var time: String
    public var live: [Pedometer]

    public init(_ figures: [WatchWords.Figure], now: Timestamp, localTime: LocalTime) {
        time = Words.iso(now, localTime)
        live = figures.map { figure in
            let percentage = SportPlan.percentage(steps: figure.steps, goal: figure.goal)
            return Pedometer(
                name: figure.name, steps: figure.steps, goal: figure.goal, percentage: percentage.map { ($0 * 100).rounded() / 100 })
        }
    }

    /// The document as one line of JSON, without a line end.
    public func json() throws -> String { try JSONText.line(self) }
}
