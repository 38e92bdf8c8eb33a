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
            let share = percentage.map { ", \(Words.percent($0)) of \(Words.grouped(figure.goal ?? 0))" } ?? ""
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
    public static func started(_ pedometers: [String]) -> String {
        "Watching for \(list(pedometers)). Press Ctrl-C to end."
    }

    private static func list(_ names: [String]) -> String {
        names.map { Printable($0, limit: 32).description }.joined(separator: ", ")
    }

    /// `14:05`, as local clocks show it.
    public static func time(_ moment: Timestamp, _ localTime: LocalTime) -> String {
        String(Words.clock(moment, localTime).suffix(5))
    }
}
