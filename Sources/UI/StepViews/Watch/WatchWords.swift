public import StepDomain

/// What a watch says in one line: whom it waits for, and how far somebody has got.
public enum WatchWords {
    /// A pedometer that is connected, as it tells of itself.
    public struct Figure: Hashable, Sendable {
        public var name: String
        /// Of today; nil before it has told any.
        public var steps: Int?
        /// Steps; nil on a rest day and without a plan.
        public var goal: Int?

        public init(name: String, steps: Int?, goal: Int?) {
            self.name = name
            self.steps = steps
            self.goal = goal
        }
    }

    /// `ring: 8,123 steps today, 81 % of 10,000`, several parted by a bar.
    public static func live(_ figures: [Figure]) -> String {
        figures.map { figure in
            let name = Printable(figure.name, limit: 32)
            guard let steps = figure.steps else { return "\(name): connected" }
            let percentage = SportPlan.percentage(steps: steps, goal: figure.goal)
            let share = percentage.map { ", \(Words.fixed($0.rounded(.down), 0)) % of \(Words.grouped(figure.goal ?? 0))" } ?? ""
            return "\(name): \(Words.count(steps, "step")) today\(share)"
        }.joined(separator: " | ")
    }

    /// What a watch is at.
    ///
    /// - Parameters:
    ///   - sought: names of those that are looked for.
    ///   - next: when the next one is to be read; nil where nobody is known.
    public static func waiting(for sought: [String], next: Timestamp?, localTime: LocalTime) -> String {
        if !sought.isEmpty {
            return "Looking for " + sought.map { Printable($0, limit: 32).description }.joined(separator: ", ")
        }
        guard let next else { return "No pedometer to watch. Add one: istep scan, then istep add ADDRESS." }
        return "All read, next at \(time(next, localTime))"
    }

    /// `14:05`, as local clocks show it.
    public static func time(_ moment: Timestamp, _ localTime: LocalTime) -> String {
        String(Words.clock(moment, localTime).suffix(5))
    }
}
