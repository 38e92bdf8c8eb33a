public import StepDomain

/// `istep history --json`. The CSV is in `HistoryCSV.swift`.
extension HistoryView {
    public static let keys: [JSONKey<HistoryView>] = [
        .version,
        .init("user", .text, "Whose days they are.") { $0.figures.user.name },
        .init("firstDay", .day, "The first day of the period.") { $0.period.days.lowerBound.description },
        .init("lastDay", .day, "The last day of the period; it may lie ahead.") {
            $0.period.days.upperBound.description
        },
        .init(
            "unit", .nullable(.choice(Period.Unit.self)), "What kind of period it is; null for any other range of days."
        ) { $0.period.unit?.rawValue },
        .init("by", .choice(HistoryView.Grouping.self), "What the parts are.") { $0.grouping.rawValue },
        .optional("total", "The figures of the period; null where nothing is known.") { Part($0.statistics) },
        .list("parts", "The same of its weeks, months or years; empty for --by day, weekday and hour.") {
            $0.grouping == .day ? [] : $0.parts.compactMap(Part.init)
        },
        .list("days", "All days of the period between the first known day and today.") {
            $0.statistics.days.map(DayRecord.init)
        },
        .list("weekdays", "Means by weekday and hour.") { $0.statistics.weekdays },
        .optional("currentStreak", "The streak that still continues, whatever the period; null if none does.") {
            $0.figures.streaks.current
        },
        .optional("longestStreak", "The longest streak of the whole history, whatever the period.") {
            $0.figures.streaks.longest
        },
        .optional(
            "comparison", "With the period before; null where less than half of the days of one are known."
        ) {
            $0.comparison
        },
        .list("errors", "Days whose steps are wrong: they are null in days.") { view in
            view.statistics.days.compactMap { day in wrong(day).map { WrongDay(day: day.day, message: $0) } }
        },
    ]
}

/// The figures of a period.
private struct Part: Described {
    let statistics: PeriodStatistics, shown: ClosedRange<Day>

    init?(_ statistics: PeriodStatistics) {
        guard let shown = statistics.shown else { return nil }
        (self.statistics, self.shown) = (statistics, shown)
    }

    static let keys: [JSONKey<Part>] = [
        .init("firstDay", .day, "The first day that counts: within the period, and not before the first known day.") {
            $0.shown.lowerBound.description
        },
        .init("lastDay", .day, "The last day that counts; not after today.") { $0.shown.upperBound.description },
        .init("steps", .nullable(.integer), "The sum of the known days; null where no day is known.") {
            $0.statistics.total
        },
        .init("mean", .nullable(.number), "Steps a day, of the known days that are over.") {
            $0.statistics.mean.map(tenths)
        },
        .init("median", .nullable(.number), "Median of the steps of the same days.") {
            $0.statistics.median.map(tenths)
        },
        .init("bestDay", .nullable(.day), "The day with the most steps.") { $0.statistics.best?.day.description },
        .init("bestSteps", .nullable(.integer), "The steps of that day.") { $0.statistics.best?.steps },
        .init(.walkingSteps) { $0.statistics.total == nil ? nil : $0.statistics.walkingSteps },
        .init(.runningSteps) { $0.statistics.total == nil ? nil : $0.statistics.runningSteps },
        .init("distanceMetres", .nullable(.number), "Sum over the days for which the distance is known.") {
            $0.statistics.distance.map(tenths)
        },
        .init(
            "energyKilocalories", .nullable(.number),
            "Above rest, or as the pedometer reported it; of the days for which it is known."
        ) {
            $0.statistics.energy.map(tenths)
        },
        .init("meanGoal", .nullable(.number), "Mean of the goals of the days that have one.") {
            $0.statistics.meanGoal.map(tenths)
        },
        .init("goalDays", .integer, "Days that reached the goal in force on that day.") { $0.statistics.goalDays },
        .init(
            "daysWithGoal", .integer,
            "Known days with a goal, today only if it is reached; goalDays of them reached it."
        ) { $0.statistics.daysWithGoal },
        .init("restDays", .integer, "Days for which the plan has no goal.") { $0.statistics.restDays },
        .init("completeDays", .integer, "Days that are over and completely known, or entered by hand.") {
            $0.statistics.completeDays
        },
        .init("partialDays", .integer, "Days that are over and of which steps may be missing.") {
            $0.statistics.partialDays
        },
        .init("unknownDays", .integer, "Days that are over and without any data; they do not count as 0.") {
            $0.statistics.unknownDays
        },
        .init("correctedDays", .integer, "Days that were entered by hand, today included.") {
            $0.statistics.correctedDays
        },
        .init(
            "running", .boolean,
            "The period includes today, which is not over and not counted in complete, partial, unknown, mean or median."
        ) { $0.statistics.daysInProgress > 0 },
    ]
}

private struct DayRecord: Described {
    let figures: DayFigures

    private func checked<T>(_ value: T?) -> T? { HistoryView.wrong(figures) == nil ? value : nil }

    static let keys: [JSONKey<DayRecord>] = [
        .init("day", .day, "The day.") { $0.figures.day.description },
        .init(
            "steps", .nullable(.integer),
            "Null where nothing is known, or where the steps are not possible: see errors."
        ) { $0.checked($0.figures.steps) },
        .init(.walkingSteps) { $0.checked($0.figures.walkingSteps) },
        .init(.runningSteps) { $0.checked($0.figures.runningSteps) },
        .init("distanceMetres", .nullable(.number), "Null where it is not known.") {
            $0.checked($0.figures.distance.map(tenths))
        },
        .init(
            "energyKilocalories", .nullable(.number),
            "Above rest, or as the pedometer reported it; null where it is not known."
        ) {
            $0.checked($0.figures.energy.map(tenths))
        },
        .init("goal", .nullable(.integer), "In force on that day; null on a rest day and without a plan.") {
            $0.figures.goal
        },
        .init("restDay", .boolean, "The plan has no goal for this day of the week.") { $0.figures.isRestDay },
        .init("goalMet", .boolean, "The steps reached the goal.") { $0.figures.isGoalMet },
        .init("completeness", .choice(DaySummary.Completeness.self), "Whether all of the day was read.") {
            $0.figures.completeness.rawValue
        },
        .init(.running) { $0.figures.isInProgress },
        .init("corrected", .boolean, "The steps were entered by hand.") { $0.figures.isCorrected },
    ]
}

extension WeekdayFigures: Described {
    public static let keys: [JSONKey<WeekdayFigures>] = [
        .init("weekday", .text, "monday to sunday.") { $0.weekday.name },
        .init("days", .integer, "Known days that are over.") { $0.days },
        .init("mean", .nullable(.number), "Steps a day.") { $0.mean.map(tenths) },
        .init(
            "hours", .list(.nullable(.number)),
            "Mean steps in each of the 24 hours, by the clock where they were recorded, over the days on which the hour is known; null if none. "
                + "Empty if no hour is known."
        ) { figures -> [Double?] in
            guard figures.daysByHour.contains(where: { $0 > 0 }) else { return [] }
            return (0..<24).map { figures.mean(hour: $0).map(tenths) }
        },
    ]
}

extension Streak: Described {
    public static let keys: [JSONKey<Streak>] = [
        .init("firstDay", .day, "The first day that reached its goal.") { $0.first.description },
        .init("lastDay", .day, "The last day so far that reached its goal.") { $0.last.description },
        .init("days", .integer, "Days that reached their goal; rest days within do not count.") { $0.count },
    ]
}

extension Comparison: Described {
    public static let keys: [JSONKey<Comparison>] = [
        .init("firstDay", .day, "The first day that is compared.") { $0.days.lowerBound.description },
        .init("lastDay", .day, "The last one; today is left out.") { $0.days.upperBound.description },
        .init("previousFirstDay", .day, "The first day of the period before.") {
            $0.previousDays.lowerBound.description
        },
        .init(
            "previousLastDay", .day,
            "Its last compared day; if the period is not over, as many days are compared as have elapsed."
        ) { $0.previousDays.upperBound.description },
        .init("mean", .number, "Steps a day, of the known days.") { tenths($0.mean) },
        .init("previousMean", .number, "The same of the period before.") { tenths($0.previousMean) },
        .init("percentage", .nullable(.number), "By how much the mean has changed; null where it was 0.") {
            $0.percentage.map(tenths)
        },
    ]
}

private struct WrongDay: Described {
    let day: Day, message: String

    static let keys: [JSONKey<WrongDay>] = [
        .init("day", .day, "The day whose steps are not possible.") { $0.day.description },
        .init("message", .text, "What is wrong with them.") { $0.message },
    ]
}

/// Tenths: a finer resolution would not be more accurate.
func tenths(_ number: Double) -> Double { (number * 10).rounded() / 10 }

extension JSONDocument {
    public static let history = JSONDocument(
        "history", "A week, month, year or any range of days of a user.",
        HistoryView.self)
}
