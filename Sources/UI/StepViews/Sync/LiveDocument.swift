public import StepDomain
public import StepServices

/// What `istep watch --live --json` prints when steps have been made: all pedometers that are connected.
public struct LiveDocument: Described {
    let figures: [LiveFigures.Figure]
    let now: Timestamp
    let localTime: LocalTime

    public init(_ figures: [LiveFigures.Figure], now: Timestamp, localTime: LocalTime) {
        self.figures = figures
        self.now = now
        self.localTime = localTime
    }

    /// The document as one line of JSON, without a line end.
    public func line() throws -> String { try JSONText.line(document) }

    public static let keys: [JSONKey<LiveDocument>] = [
        .version,
        .init("time", .time, "When it changed.") { Words.iso($0.now, $0.localTime) },
        .list("live", "The pedometers that are connected.") { $0.figures },
    ]
}

extension LiveFigures.Figure: Described {
    public static let keys: [JSONKey<Self>] = [
        .init(.chosenName) { $0.name },
        .init("steps", .nullable(.integer), "Of today; null before it has reported any.") { $0.steps },
        .init("goal", .nullable(.integer), "Steps; null on a rest day and without a plan.") { $0.goal },
        .init("percentage", .nullable(.number), "Of the goal.") {
            SportPlan.percentage(steps: $0.steps, goal: $0.goal).map { ($0 * 100).rounded() / 100 }
        },
    ]
}

extension JSONDocument {
    public static let live = JSONDocument(
        "live", "Live steps of all connected pedometers, a line each time they change.",
        LiveDocument.self)
}
