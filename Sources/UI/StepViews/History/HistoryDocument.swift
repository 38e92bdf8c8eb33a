internal import StepDomain

extension HistoryView {
    /// `istep history --json`. The CSV is in `HistoryCSV.swift`.
    public struct Document: JSONDocument {
        /// The figures of a period.
        public struct Part: Codable, Sendable {
            public var firstDay: String
            public var lastDay: String
            @Nullable public var steps: Int?
            @Nullable public var mean: Double?
            @Nullable public var median: Double?
            @Nullable public var bestDay: String?
            @Nullable public var bestSteps: Int?
            @Nullable public var walkingSteps: Int?
            @Nullable public var runningSteps: Int?
            @Nullable public var distanceMetres: Double?
            @Nullable public var energyKilocalories: Double?
            @Nullable public var meanGoal: Double?
            public var goalDays: Int
            public var daysWithGoal: Int
            public var restDays: Int
            public var completeDays: Int
            public var partialDays: Int
            public var unknownDays: Int
            public var correctedDays: Int
            /// Today is among the days.
            public var running: Bool

            static let schema = JSONSchema.object([
                .init(
                    "firstDay", .day,
                    "The first day that counts: within the period, and not before the first known day."),
                .init("lastDay", .day, "The last day that counts; not after today."),
                .init("steps", .nullable(.integer), "The sum of the known days; null where no day is known."),
                .init("mean", .nullable(.number), "Steps a day, of the known days that are over."),
                .init("median", .nullable(.number), "Median of the steps of the same days."),
                .init("bestDay", .nullable(.day), "The day with the most steps."),
                .init("bestSteps", .nullable(.integer), "The steps of that day."),
                .walkingSteps,
                .runningSteps,
                .init("distanceMetres", .nullable(.number), "Sum over the days for which the distance is known."),
                .init("energyKilocalories", .nullable(.number), "Above rest, of the days for which it is known."),
                .init("meanGoal", .nullable(.number), "Mean of the goals of the days that have one."),
                .init("goalDays", .integer, "Days that reached the goal in force on that day."),
                .init(
                    "daysWithGoal", .integer,
                    "Known days with a goal, today only if it is reached; goalDays of them reached it."),
                .init("restDays", .integer, "Days for which the plan has no goal."),
                .init("completeDays", .integer, "Days that are over and completely known, or entered by hand."),
                .init("partialDays", .integer, "Days that are over and of which steps may be missing."),
                .init("unknownDays", .integer, "Days that are over and without any data; they do not count as 0."),
                .init("correctedDays", .integer, "Days that were entered by hand, today included."),
                .init(
                    "running", .boolean,
                    "The period includes today, which is not over and not counted in complete, partial, unknown, mean or median."
                ),
            ])

            init?(_ statistics: PeriodStatistics) {
                guard let shown = statistics.shown else { return nil }
                firstDay = shown.lowerBound.description
                lastDay = shown.upperBound.description
                steps = statistics.total
                mean = statistics.mean.map(tenths)
                median = statistics.median.map(tenths)
                bestDay = statistics.best?.day.description
                bestSteps = statistics.best?.steps
                walkingSteps = statistics.total == nil ? nil : statistics.walkingSteps
                runningSteps = statistics.total == nil ? nil : statistics.runningSteps
                distanceMetres = statistics.distance.map(tenths)
                energyKilocalories = statistics.energy.map(tenths)
                meanGoal = statistics.meanGoal.map(tenths)
                goalDays = statistics.goalDays
                daysWithGoal = statistics.daysWithGoal
                restDays = statistics.restDays
                completeDays = statistics.completeDays
                partialDays = statistics.partialDays
                unknownDays = statistics.unknownDays
                correctedDays = statistics.correctedDays
                running = statistics.daysInProgress > 0
            }
        }

        public struct DayEntry: Codable, Sendable {
            public var day: String
            @Nullable public var steps: Int?
            @Nullable public var walkingSteps: Int?
            @Nullable public var runningSteps: Int?
            @Nullable public var distanceMetres: Double?
            @Nullable public var energyKilocalories: Double?
            @Nullable public var goal: Int?
            public var restDay: Bool
            public var goalMet: Bool
            public var completeness: String
            public var running: Bool
            public var corrected: Bool

            static let schema = JSONSchema.object([
                .init("day", .day, "The day."),
                .init(
                    "steps", .nullable(.integer),
                    "Null where nothing is known, or where the steps are not possible: see errors."),
                .walkingSteps,
                .runningSteps,
                .init("distanceMetres", .nullable(.number), "Null where it is not known."),
                .init("energyKilocalories", .nullable(.number), "Above rest; null where it is not known."),
                .init("goal", .nullable(.integer), "In force on that day; null on a rest day and without a plan."),
                .init("restDay", .boolean, "The plan has no goal for this day of the week."),
                .init("goalMet", .boolean, "The steps reached the goal."),
                .init("completeness", .choice(DaySummary.Completeness.self), "Whether all of the day was read."),
                .running,
                .init("corrected", .boolean, "The steps were entered by hand."),
            ])

            init(_ figures: DayFigures) {
                let isRight = HistoryView.wrong(figures) == nil
                day = figures.day.description
                steps = isRight ? figures.steps : nil
                walkingSteps = isRight ? figures.walkingSteps : nil
                runningSteps = isRight ? figures.runningSteps : nil
                distanceMetres = isRight ? figures.distance.map(tenths) : nil
                energyKilocalories = isRight ? figures.energy.map(tenths) : nil
                goal = figures.goal
                restDay = figures.isRestDay
                goalMet = figures.isGoalMet
                completeness = figures.completeness.rawValue
                running = figures.isInProgress
                corrected = figures.isCorrected
            }
        }

        public struct WeekdayEntry: Codable, Sendable {
            public var weekday: String
            public var days: Int
            @Nullable public var mean: Double?
            public var hours: [Double?]

            static let schema = JSONSchema.object([
                .init("weekday", .text, "monday to sunday."),
                .init("days", .integer, "Known days that are over."),
                .init("mean", .nullable(.number), "Steps a day."),
                .init(
                    "hours", .list(.nullable(.number)),
                    "Mean steps in each of the 24 hours, by the clock where they were recorded, over the days on which the hour is known; null if none. "
                        + "Empty if no hour is known."),
            ])
        }

        public struct StreakEntry: Codable, Sendable {
            public var firstDay: String
            public var lastDay: String
            public var days: Int

            static let schema = JSONSchema.object([
                .init("firstDay", .day, "The first day that reached its goal."),
                .init("lastDay", .day, "The last day so far that reached its goal."),
                .init("days", .integer, "Days that reached their goal; rest days within do not count."),
            ])

            init(_ streak: Streak) {
                (firstDay, lastDay, days) = (streak.first.description, streak.last.description, streak.count)
            }
        }

        public struct ComparisonEntry: Codable, Sendable {
            public var firstDay: String
            public var lastDay: String
            public var previousFirstDay: String
            public var previousLastDay: String
            public var mean: Double
            public var previousMean: Double
            @Nullable public var percentage: Double?

            static let schema = JSONSchema.object([
                .init("firstDay", .day, "The first day that is compared."),
                .init("lastDay", .day, "The last one; today is left out."),
                .init("previousFirstDay", .day, "The first day of the period before."),
                .init(
                    "previousLastDay", .day,
                    "Its last compared day; if the period is not over, as many days are compared as have elapsed."),
                .init("mean", .number, "Steps a day, of the known days."),
                .init("previousMean", .number, "The same of the period before."),
                .init("percentage", .nullable(.number), "By how much the mean has changed; null where it was 0."),
            ])
        }

        public struct Wrong: Codable, Sendable {
            public var day: String
            public var message: String

            static let schema = JSONSchema.object([
                .init("day", .day, "The day whose steps are not possible."),
                .init("message", .text, "What is wrong with them."),
            ])
        }

        public var version = 1
        public var user: String
        public var firstDay: String
        public var lastDay: String
        @Nullable public var unit: String?
        public var by: String
        @Nullable public var total: Part?
        public var parts: [Part]
        public var days: [DayEntry]
        public var weekdays: [WeekdayEntry]
        @Nullable public var currentStreak: StreakEntry?
        @Nullable public var longestStreak: StreakEntry?
        @Nullable public var comparison: ComparisonEntry?
        public var errors: [Wrong]

        public static let schema = JSONSchema.object([
            .version,
            .init("user", .text, "Whose days they are."),
            .init("firstDay", .day, "The first day of the period."),
            .init("lastDay", .day, "The last day of the period; it may lie ahead."),
            .init(
                "unit", .nullable(.choice(Period.Unit.self)),
                "What kind of period it is; null for any other range of days."),
            .init("by", .choice(HistoryView.Grouping.self), "What the parts are."),
            .init("total", .nullable(Part.schema), "The figures of the period; null where nothing is known."),
            .init(
                "parts", .list(Part.schema),
                "The same of its weeks, months or years; empty for --by day, weekday and hour."),
            .init("days", .list(DayEntry.schema), "All days of the period between the first known day and today."),
            .init("weekdays", .list(WeekdayEntry.schema), "Means by weekday and hour."),
            .init(
                "currentStreak", .nullable(StreakEntry.schema),
                "The streak that still continues, whatever the period; null if none does."),
            .init(
                "longestStreak", .nullable(StreakEntry.schema),
                "The longest streak of the whole history, whatever the period."),
            .init(
                "comparison", .nullable(ComparisonEntry.schema),
                "With the period before; null where one of them has no known day that is over."),
            .init("errors", .list(Wrong.schema), "Days whose steps are wrong: they are null in days."),
        ])
    }

    public var document: Document {
        Document(
            user: figures.user.name, firstDay: period.days.lowerBound.description,
            lastDay: period.days.upperBound.description,
            unit: period.unit?.rawValue, by: grouping.rawValue, total: Document.Part(statistics),
            parts: grouping == .day ? [] : parts.compactMap(Document.Part.init),
            days: statistics.days.map(Document.DayEntry.init),
            weekdays: statistics.weekdays.map { weekday in
                Document.WeekdayEntry(
                    weekday: weekday.weekday.name, days: weekday.days, mean: weekday.mean.map(tenths),
                    hours: weekday.daysByHour.contains { $0 > 0 }
                        ? (0..<24).map { weekday.mean(hour: $0).map(tenths) } : [])
            },
            currentStreak: figures.streaks.current.map(Document.StreakEntry.init),
            longestStreak: figures.streaks.longest.map(Document.StreakEntry.init),
            comparison: comparison.map {
                Document.ComparisonEntry(
                    firstDay: $0.days.lowerBound.description, lastDay: $0.days.upperBound.description,
                    previousFirstDay: $0.previousDays.lowerBound.description,
                    previousLastDay: $0.previousDays.upperBound.description,
                    mean: tenths($0.mean), previousMean: tenths($0.previousMean), percentage: $0.percentage.map(tenths))
            },
            errors: statistics.days.compactMap { day in
                Self.wrong(day).map { .init(day: day.day.description, message: $0) }
            })
    }
}

/// Tenths: a finer resolution would not be more accurate.
func tenths(_ number: Double) -> Double { (number * 10).rounded() / 10 }
