internal import StepDomain
internal import StepViews

/// The figures of a period, one beside the other.
struct Tiles: Sendable {
    let statistics: PeriodStatistics
    let comparison: Comparison?
    let streaks: Streaks
    let unit: String

    init(_ statistics: PeriodStatistics, comparison: Comparison?, streaks: Streaks, unit: String) {
        self.statistics = statistics
        self.comparison = comparison
        self.streaks = streaks
        self.unit = unit
    }

    var markup: Markup {
        var tiles = [
            Tile("Total steps", statistics.total.map(Words.grouped) ?? "unknown", totalDetail),
            Tile("Mean a day", statistics.mean.map { Words.grouped(Int($0.rounded())) } ?? "unknown", "of the known days that are over"),
            Tile("Median a day", statistics.median.map { Words.grouped(Int($0.rounded())) } ?? "unknown", "half of the days have more"),
        ]
        if let comparison {
            let before = comparison.previous.unit == nil ? "same number of days before" : "\(unit) before"
            tiles.append(Tile("Compared with the \(before)", change(comparison), beside(comparison)))
        }
        if statistics.daysWithGoal > 0 {
            let days = Words.count(statistics.daysWithGoal, "known day")
            tiles.append(Tile("Goal reached", Words.count(statistics.goalDays, "day"), "of \(days) with a goal"))
        }
        if let best = statistics.best, let steps = best.steps { tiles.append(Tile("Best day", Words.grouped(steps), Words.date(best.day))) }
        // The present streak has nothing to do with a period that is over.
        if statistics.daysInProgress > 0, let streak = streaks.last { tiles.append(now(streak)) }
        if let streak = streaks.longest {
            tiles.append(
                Tile("Longest streak", Words.count(streak.count, "day"), "\(Words.days(streak.first, streak.last)), of the whole history"))
        }
        if let distance = statistics.distance { tiles.append(Tile("Distance", "\(Words.grouped(distance / 1000)) km", gaits)) }
        if let energy = statistics.energy { tiles.append(Tile("Calories", "\(Words.grouped(energy)) kcal", "above rest")) }
        tiles.append(Tile("Days known completely", "\(statistics.completeDays)", others))
        return wrong + Tile.list(tiles)
    }

    /// Days whose steps cannot be are in the figures.
    private var wrong: Markup {
        HistoryView.wrong(in: statistics).map { words in Element.section(.css("notice bad")) { Element.p { words } } } ?? .nothing
    }

    /// The streak that continues, or why the last one ended.
    private func now(_ streak: Streak) -> Tile {
        let count = Words.count(streak.count, "day")
        return switch streak.end {
        case .none: Tile("Streak now", count, "since \(streak.first); rest days do not count")
        case .missed(let day): Tile("Streak now", "none", "the last one, of \(count), ended on \(day): the goal was missed")
        case .unknown(let day): Tile("Streak now", "none", "the last one, of \(count), ended: not known whether the goal of \(day) was reached")
        }
    }

    private var totalDetail: String {
        statistics.daysInProgress > 0 ? "with those of today so far" : "in \(Words.count(statistics.knownDays, "known day"))"
    }

    private var gaits: String { statistics.runningSteps > 0 ? "of which running: \(Words.count(statistics.runningSteps, "step"))" : "" }

    private var others: String {
        var parts = ["partial \(Words.grouped(statistics.partialDays))", "unknown \(Words.grouped(statistics.unknownDays))"]
        if statistics.correctedDays > 0 { parts.append("by hand \(Words.grouped(statistics.correctedDays))") }
        return parts.joined(separator: ", ")
    }

    private func change(_ comparison: Comparison) -> String {
        guard let percentage = comparison.percentage else { return Words.grouped(Int(comparison.difference.rounded())) }
        let whole = Words.fixed(abs(percentage), 0)
        let sign = whole == "0" ? "" : percentage < 0 ? "−" : "+"
        return "\(sign)\(whole) %"
    }

    private func beside(_ comparison: Comparison) -> String {
        let (mean, before) = (Int(comparison.mean.rounded()), Int(comparison.previousMean.rounded()))
        return "\(Words.grouped(mean)) a day, before \(Words.grouped(before))"
    }
}

/// The figures of a day, one beside the other, and above them what is wrong with those that are not shown.
struct DayTiles: Sendable {
    let view: DayView

    var markup: Markup {
        Markup.joined(
            view.errors.map { error in
                Element.section(.css("notice bad")) { Element.p { "\(error.attribute.rawValue): wrong: \(error.message). It is not shown." } }
            }) + Tile.list(tiles)
    }

    private var tiles: [Tile] {
        let summary = view.summary
        var tiles = [Tile("Steps", DayWords.steps(view), DayWords.completeness(summary))]
        if view.holds(.goal), view.holds(.percentage) { tiles.append(Tile("Goal", DayWords.percentage(summary), DayWords.goal(summary))) }
        if view.holds(.distance), let distance = summary.distance { tiles.append(Tile("Distance", "\(Words.fixed(distance / 1000, 2)) km")) }
        if view.holds(.energy), let energy = summary.energy { tiles.append(Tile("Calories", "\(Words.grouped(energy)) kcal", "above rest")) }
        if view.holds(.steps), let running = summary.runningSteps, running > 0 {
            tiles.append(Tile("Running", Words.count(running, "step"), "more than 130 steps a minute"))
        }
        if view.holds(.lastSync), let moment = summary.lastSync {
            tiles.append(Tile("Last sync", Words.ago(moment, now: view.now), Words.clock(moment, view.localTime)))
        }
        return tiles
    }
}

/// A figure with its name, and a few words about it.
struct Tile: Sendable {
    private let name: String
    private let value: String
    private let detail: String

    init(_ name: String, _ value: String, _ detail: String = "") {
        self.name = name
        self.value = value
        self.detail = detail
    }

    static func list(_ tiles: [Tile]) -> Markup {
        Element.ul(.css("tiles")) {
            tiles.map { tile in
                Element.li {
                    Element.span { tile.name }
                    // A blank for readers without the style sheet.
                    " "
                    Element.strong { tile.value }
                    if !tile.detail.isEmpty { Element.small { tile.detail } }
                }
            }
        }
    }
}
