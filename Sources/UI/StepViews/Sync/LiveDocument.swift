public import StepDomain
public import StepServices

/// What `istep watch --live --json` prints when steps have been made: all pedometers that are connected.
public struct LiveDocument: JSONDocument {
    public struct Pedometer: Codable, Sendable {
        public var name: String
        /// Today's steps; null before it has reported any.
        @Nullable public var steps: Int?
        /// Null on a rest day and without a plan.
        @Nullable public var goal: Int?
        @Nullable public var percentage: Double?

        static let schema = JSONSchema.object([
            .init("name", .text, "The name that the user chose."),
            .init("steps", .nullable(.integer), "Of today; null before it has reported any."),
            .init("goal", .nullable(.integer), "Steps; null on a rest day and without a plan."),
            .init("percentage", .nullable(.number), "Of the goal."),
        ])
    }

    public var version = 1
    /// ISO 8601 with offset.
    public var time: String
    public var live: [Pedometer]

    public init(_ figures: [LiveFigures.Figure], now: Timestamp, localTime: LocalTime) {
        time = Words.iso(now, localTime)
        live = figures.map { figure in
            let percentage = SportPlan.percentage(steps: figure.steps, goal: figure.goal)
            return Pedometer(
                name: figure.name, steps: figure.steps, goal: figure.goal,
                percentage: percentage.map { ($0 * 100).rounded() / 100 })
        }
    }

    /// The document as one line of JSON, without a line end.
    public func json() throws -> String { try JSONText.line(self) }

    public static let schema = JSONSchema.object([
        .version, .init("time", .time, "When it changed."),
        .init("live", .list(Pedometer.schema), "The pedometers that are connected."),
    ])
}
