internal import Foundation
internal import StepDomain

/// Long-term statistics of Home Assistant as istep writes them: a row for each hour, with the steps of the hour
/// (`state`) and of all hours up to its end (`sum`), from which Home Assistant calculates what it draws for days, weeks
/// and months.
///
/// Each sum depends on all hours before it: when a day is corrected, every later sum changes. So an update reads the
/// rows from the first changed hour on, replaces the steps of the changed days, recalculates the sums from the last one
/// before that hour, and writes the rows that differ. `state` has the steps of its own hour only, so the sum before the
/// first changed hour is the only stored sum that an update relies on. If an update was killed between two messages,
/// its answer was lost, or it was sent twice, the next update corrects the rows. The order in which days are corrected
/// makes no difference.
///
/// Source: https://developers.home-assistant.io/docs/core/entity/sensor#long-term-statistics; `StatisticData` in
/// https://github.com/home-assistant/core/blob/dev/homeassistant/components/recorder/models/statistics.py
enum HomeAssistantStatistics {
    struct Row: Hashable, Sendable {
        /// A full hour of UTC.
        var start: Timestamp
        var steps: Int
        var sum: Int
    }

    /// The steps of a day by full hours of UTC.
    struct DayHours: Hashable, Sendable {
        /// All full hours of UTC that begin in the day: the rows of this day and of no other.
        var hours: ClosedRange<Int>
        /// Seconds since 1970 and steps of every hour to write. If the day is in progress, they end with the last hour
        /// that has steps.
        var steps: [Int: Int]
    }

    static let hour = 3600

    /// Assigns the steps of a day to full hours of UTC.
    ///
    /// The day is placed on the same date in Home Assistant's time zone, hour by hour of the clock. Its daily figures
    /// are then those of istep, even if this machine travels or is in another zone, and rows of one day never overlap
    /// those of another. If local hours do not begin at full hours of UTC (India, Nepal), an hour is assigned to the
    /// full hour of UTC that begins in it, up to 45 minutes late: Home Assistant has no other rows, and counts a row
    /// towards the day in which it begins.
    ///
    /// Steps that were entered by hand are distributed in proportion to the counted hours. Steps of which only the day
    /// is known, such as those of a slot of many hours, are spread evenly over the hours that are not known; if no hour
    /// is known, over the day. Hours that have not begun get none.
    ///
    /// - Parameter localTime: that of Home Assistant.
    /// - Throws: `rejected` for a day that clocks there have left out, as Samoa's did with 2011-12-30.
    static func hours(of day: SharedDay, in localTime: LocalTime, now: Timestamp) throws(ShareFailure) -> DayHours {
        let slots = localTime.hours(of: day.day)
        if slots.isEmpty {
            throw ShareFailure(
                .rejected, "the time zone of the statistics has no \(day.day)",
                advice: "To leave it so, drop the day from the outbox.")
        }
        let span = localTime.span(of: day.day)
        let first = (span.start.seconds + hour - 1) / hour * hour
        let last = (span.end.seconds - 1) / hour * hour
        let rows = slots.map { min(($0.span.start.seconds + hour - 1) / hour * hour, last) }

        var steps = Dictionary(uniqueKeysWithValues: stride(from: first, through: last, by: hour).map { ($0, 0) })
        for (row, part) in zip(rows, Self.steps(of: day, on: slots, now: now)) { steps[row, default: 0] += part }
        if day.summary.isInProgress {
            let end = steps.filter { $0.value > 0 }.keys.max() ?? first
            steps = steps.filter { $0.key <= end }
        }
        return DayHours(hours: first...last, steps: steps)
    }

    /// The steps of each hour of Home Assistant's clock.
    private static func steps(of day: SharedDay, on slots: [LocalHour], now: Timestamp) -> [Int] {
        let summary = day.summary
        let counted = counted(summary, on: slots), sum = counted.reduce(0, +)
        let begun = begun(summary, on: slots, now: now)
        let unknown = Set(summary.hours.filter { $0.steps == nil }.map(\.hour))
        let room = zip(slots, begun).map { unknown.contains($0.hour) ? $1 : 0 }
        if day.steps > sum, !summary.isCorrected, room.contains(where: { $0 > 0 }) {
            return zip(counted, spread(day.steps - sum, by: room)).map(+)
        }
        return spread(day.steps, by: sum > 0 ? counted : begun)
    }

    /// Seconds of each hour that have passed: none of the others can have steps. Hours are compared by the clock of the
    /// day, as they are placed.
    private static func begun(_ summary: DaySummary, on slots: [LocalHour], now: Timestamp) -> [Int] {
        let whole = slots.map(\.span.length)
        if !summary.isInProgress { return whole }
        let begun = slots.map { slot in
            let start = summary.hours.first { $0.hour == slot.hour }?.start ?? slot.span.start
            return min(max(0, now - start), slot.span.length)
        }
        return begun.contains { $0 > 0 } ? begun : whole
    }

    /// The steps whose hours are known, by hours of Home Assistant's clock.
    private static func counted(_ summary: DaySummary, on slots: [LocalHour]) -> [Int] {
        if summary.hours.map(\.hour) == slots.map(\.hour) { return summary.hours.map { $0.steps ?? 0 } }
        // Another zone, with another number of hours on this day: hours are matched by clock time.
        var counted = Array(repeating: 0, count: slots.count)
        for hour in summary.hours {
            counted[slots.firstIndex { $0.hour >= hour.hour } ?? slots.count - 1] += hour.steps ?? 0
        }
        return counted
    }

    /// Whole numbers in proportion to weights, which add up to the steps.
    private static func spread(_ steps: Int, by weights: [Int]) -> [Int] {
        let total = weights.reduce(0, +)
        var elapsed = 0, given = 0
        return weights.map { weight in
            elapsed += weight
            // Rounding the running total instead of each part keeps the sum; full width, as steps times seconds of a
            // day can be large.
            let through = total == 0 ? 0 : total.dividingFullWidth(steps.multipliedFullWidth(by: elapsed)).quotient
            defer { given = through }
            return through - given
        }
    }

    /// The rows to write so that these days have these steps.
    ///
    /// - Parameters:
    ///   - days: the days of one user; if a day occurs twice, the last one counts.
    ///   - rows: all that Home Assistant has from the first hour of the days on, in any order.
    ///   - before: the sum of the last row before that hour; 0 if there is none.
    /// - Returns: the rows that differ from `rows`, sorted by time.
    static func update(_ days: [DayHours], rows: [Row], before: Int) -> [Row] {
        let known = Dictionary(rows.map { ($0.start.seconds, $0) }) { $1 }
        var steps = known.mapValues(\.steps)
        for day in days {
            for hour in steps.keys where day.hours.contains(hour) { steps[hour] = 0 }
            steps.merge(day.steps) { $1 }
        }
        var sum = before
        return steps.sorted { $0.key < $1.key }.compactMap { hour, steps in
            sum += steps
            let row = Row(start: Timestamp(hour), steps: steps, sum: sum)
            return known[hour] == row ? nil : row
        }
    }
}
