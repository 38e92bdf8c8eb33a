internal import StepDomain
internal import StepViews

/// An hour of a day in words.
enum HourWords {
    /// `8:00`; on a day of 25 hours `2:00 (first)` and `2:00 (second)`.
    static func name(_ index: Int, in hours: [DaySummary.Hour]) -> String {
        let hour = hours[index].hour
        guard hours.count(where: { $0.hour == hour }) > 1 else { return "\(hour):00" }
        let isSecond = hours[..<index].contains { $0.hour == hour }
        return "\(hour):00 (\(isSecond ? "second" : "first"))"
    }

    static func steps(_ hour: DaySummary.Hour, now: Timestamp) -> String {
        guard let steps = hour.steps else { return unknown(hour, now: now) }
        return Words.count(steps, "step") + (hour.running > 0 ? ", \(Words.grouped(hour.running)) run" : "")
    }

    /// The word for an hour without a figure.
    static func unknown(_ hour: DaySummary.Hour, now: Timestamp) -> String {
        hour.isOver(at: now) ? "unknown" : hour.start > now ? "not begun" : "not over"
    }
}
