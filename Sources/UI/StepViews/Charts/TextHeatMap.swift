internal import StepDomain

/// Days as a calendar: a column for each week, a row for each weekday, a sign for each day.
///
/// The signs are those of `ActivityCategory`, so that a map does not change its look with the goal; colour shows
/// whether the goal of the day was met.
struct TextHeatMap {
    let days: [DayFigures]
    let weekStart: Weekday
    let style: TextStyle

    /// Columns for the names of weekdays.
    private static let margin = 6

    private static let shades: [ActivityCategory: (unicode: String, ascii: String)] = [
        .sedentary: ("·", "."), .lowActive: ("░", ":"), .somewhatActive: ("▒", "+"), .active: ("▓", "*"),
        .highlyActive: ("█", "#"),
    ]

    /// Empty where there is no day.
    var rows: [StyledText] {
        guard let first = days.first?.day, let last = days.last?.day else { return [] }
        var start = Period(.week, containing: first, weekStart: weekStart).days.lowerBound
        var weeks: [Day] = []
        while start <= last {
            weeks.append(start)
            start = start.advanced(by: 7)
        }
        // On a narrow terminal, two halves of a year one below the other.
        let room = style.width - Self.margin
        let blocks = (weeks.count + room - 1) / room
        let size = (weeks.count + blocks - 1) / blocks
        return stride(from: 0, to: weeks.count, by: size).flatMap { start in
            block(Array(weeks[start..<min(start + size, weeks.count)]), first)
        }
    }

    private func block(_ weeks: [Day], _ first: Day) -> [StyledText] {
        let blank = String(repeating: " ", count: Self.margin)
        let rows = (0..<7).map { row -> StyledText in
            let weekday = Weekday.allCases[(weekStart.rawValue - 1 + row) % 7]
            let label = StyledText("  " + weekday.shortName + " ", .faint)
            return weeks.reduce(label) { line, week in
                let index = first.distance(to: week.advanced(by: row))
                return line + (days.indices.contains(index) ? cell(days[index]) : StyledText(" "))
            }
        }
        return [StyledText(blank + months(weeks), .faint)] + rows
    }

    private func cell(_ day: DayFigures) -> StyledText {
        guard let steps = day.plausibleSteps else { return StyledText("?", .doubtful) }
        if day.completeness == .partial, !day.isInProgress { return StyledText("~", day.isGoalMet ? .good : .doubtful) }
        let shade = Self.shades[ActivityCategory(steps: steps)]
        return StyledText((style.unicode ? shade?.unicode : shade?.ascii) ?? "?", day.isGoalMet ? .good : nil)
    }

    /// Columns of the name of a month with the blank after it.
    private static let monthName = 4

    /// The name of each month that begins within the days, over the week in which it begins. The month that the map
    /// begins in is named as well, unless the next one leaves no room for it.
    private func months(_ weeks: [Day]) -> String {
        guard let first = days.first?.day, let last = days.last?.day else { return "" }
        var names: [(column: Int, day: Day)] = []
        for (column, week) in weeks.enumerated() {
            let begun = (0..<7).map { week.advanced(by: $0) }.first {
                $0.components.day == 1 && $0 >= first && $0 <= last
            }
            if let begun { names.append((column, begun)) }
        }
        if let week = weeks.first, names.first.map({ $0.column >= Self.monthName }) ?? true {
            names.insert((0, max(week, first)), at: 0)
        }
        var line = ""
        for (column, day) in names where line.isEmpty || line.count < column {
            line += String(repeating: " ", count: column - line.count) + Words.month(day).prefix(3)
        }
        return line
    }

    /// What the signs mean.
    var legend: [String] {
        ActivityCategory.allCases.map { category in
            let sign = style.unicode ? Self.shades[category]?.unicode ?? "" : Self.shades[category]?.ascii ?? ""
            let minimum = Words.grouped(category.minimum)
            return category == .sedentary
                ? "\(sign) below \(Words.grouped(ActivityCategory.lowActive.minimum))" : "\(sign) \(minimum)"
        } + ["~ partial", "? unknown"]
    }
}

/// Steps by weekday and hour: a row for each weekday, a sign for each hour, relative to the hour with the most steps.
struct HourMap {
    let weekdays: [WeekdayFigures]
    let style: TextStyle

    private static let unicode: [String] = ["·", "░", "▒", "▓", "█"]
    private static let ascii: [String] = [".", ":", "+", "*", "#"]

    var rows: [StyledText] {
        let most = weekdays.flatMap { weekday in (0..<24).compactMap(weekday.mean(hour:)) }.max() ?? 0
        guard most > 0 else { return [] }
        let pitch = style.width >= 56 ? 2 : 1
        let shades = style.unicode ? Self.unicode : Self.ascii
        let hours = stride(from: 0, to: 24, by: 6).map { Columns.pad("\($0)", 6 * pitch) }.joined()
        return [StyledText("       " + hours, .faint)]
            + weekdays.map { weekday in
                (0..<24).reduce(StyledText("  " + weekday.weekday.shortName + "  ", .faint)) { line, hour in
                    guard let mean = weekday.mean(hour: hour) else {
                        return line + StyledText(String(repeating: "?", count: pitch), .doubtful)
                    }
                    // Even a single step differs from none.
                    let level = mean == 0 ? nil : min(4, Int(mean * 5 / most))
                    return line + StyledText(String(repeating: level.map { shades[$0] } ?? " ", count: pitch))
                }
            }
    }
}
