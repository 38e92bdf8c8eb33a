public import StepDomain
public import StepServices

/// The status line of a watch: which pedometers it waits for, and the steps of those that are connected.
public enum WatchWords {
    /// `ring: 8,123 steps today, 81 % of 10,000`, several separated by a bar.
    public static func live(_ figures: [LiveFigures.Figure]) -> String {
        figures.map { figure in
            let name = Printable(figure.name, limit: 32)
            guard let steps = figure.steps else { return "\(name): connected" }
            let percentage = SportPlan.percentage(steps: steps, goal: figure.goal)
            let share = percentage.map { ", \(Words.fixed($0.rounded(.down), 0)) % of \(Words.grouped(figure.goal ?? 0))" } ?? ""
            return "\(name): \(Words.count(steps, "step")) today\(share)"
        }.joined(separator: " | ")
    }

    /// What a watch is doing, in one line.
    public static func text(for status: WatchStatus, localTime: LocalTime) -> String {
        switch status {
        case .reading(let name): "\(Printable(name, limit: 32)): reading"
        case .searching(let names): "Looking for " + list(names)
        case .idle(let next): "All pedometers read; next at \(time(next, localTime))"
        case .noPedometer: Advice.firstPedometer("No pedometer to watch.").description
        }
    }

    /// What it says when it begins.
    public static func started(_ pedometers: [String]) -> String { "Watching for \(list(pedometers)). Press Ctrl-C to end." }

    private static func list(_ names: [String]) -> String { names.map { Printable($0, limit: 32).description }.joined(separator: ", ") }

    /// `14:05`, as local clocks show it.
    public static func time(_ moment: Timestamp, _ localTime: LocalTime) -> String {
        String(Words.clock(moment, localTime).suffix(5))
    }
}

/// What `istep watch --live --json` prints when steps have been made: all pedometers that are connected.
public struct LiveDocument: JSONDocument {
    public struct Pedometer: Codable, Sendable {
        public var name: String
        /// Of today; null before it has reported any.
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
                name: figure.name, steps: figure.steps, goal: figure.goal, percentage: percentage.map { ($0 * 100).rounded() / 100 })
        }
    }

    /// The document as one line of JSON, without a line end.
    public func json() throws -> String { try JSONText.line(self) }

    public static let schema = JSONSchema.object([
        .version, .init("time", .time, "When it changed."), .init("live", .list(Pedometer.schema), "The pedometers that are connected."),
    ])
}
