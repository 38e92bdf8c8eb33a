public import StepDomain

/// A user's day, verified before it is shown: an error is shown in place of an invalid value.
public struct DayView: View {
    public let summary: DaySummary
    /// The current day.
    public let today: Day
    public let now: Timestamp
    public let localTime: LocalTime
    /// What `verify` found; each attribute at most once.
    public let errors: [AttributeError]
    /// The first known day of the history: shown for a day before it.
    private let historyBegins: Day?

    /// - Parameter historyBegins: the first known day; nil where it is not needed, or where nothing is known.
    public init(_ summary: DaySummary, today: Day, now: Timestamp, localTime: LocalTime, historyBegins: Day? = nil) {
        self.historyBegins = historyBegins
        self.summary = summary
        self.today = today
        self.now = now
        self.localTime = localTime
        errors = Self.verify(summary, today: today, now: now)
    }

    /// Nil before the first day that can be written.
    public var previousDay: Day? {
        let day = summary.day.advanced(by: -1)
        return day.components.year >= 1 ? day : nil
    }
    /// Nil where the next day has not begun.
    public var nextDay: Day? { summary.day < today ? summary.day.advanced(by: 1) : nil }

    /// The first known day, if this one lies before it.
    var laterBegin: Day? { historyBegins.flatMap { summary.day < $0 ? $0 : nil } }

    package func error(_ attribute: AttributeError.Attribute) -> AttributeError? { errors.first { $0.attribute == attribute } }
    package func holds(_ attribute: AttributeError.Attribute) -> Bool { error(attribute) == nil }
}

extension DayView {
    /// More steps than anyone makes in a day: the record over 24 hours of running lies below.
    public static let mostSteps = StepCorrection.stepRange.upperBound
    /// Metres; the distance of `mostSteps` very long steps.
    static let longestDistance = 500_000.0
    /// Kilocalories; above what the hardest day of sport costs.
    static let mostEnergy = 30_000.0

    private static let mostGoal = Words.grouped(SportPlan.goalRange.upperBound)

    /// Checks every value by itself and against the others.
    ///
    /// - Returns: the first thing wrong with each attribute.
    static func verify(_ summary: DaySummary, today: Day, now: Timestamp) -> [AttributeError] {
        let checks: [(AttributeError.Attribute, String?)] = [
            (.day, summary.day > today ? "\(summary.day) has not begun" : nil),
            (.steps, wrongSteps(summary)),
            (.distance, wrongDistance(summary)),
            (.energy, wrongEnergy(summary)),
            (.goal, summary.goal.flatMap { $0 > 0 && SportPlan.goalRange.contains($0) ? nil : "\($0) is not between 1 and \(mostGoal)" }),
            (.percentage, wrongPercentage(summary)),
            (.category, wrongCategory(summary)),
            (.hours, wrongHours(summary)),
            (.completeness, wrongCompleteness(summary)),
            (.implausibleSteps, summary.implausibleSteps < 0 ? "\(summary.implausibleSteps) is negative" : nil),
            // A tolerance of one minute: clocks are sometimes set back by this much.
            (.lastSync, summary.lastSync.flatMap { $0 > now + 60 ? "it lies in the future: check this machine's clock" : nil }),
        ]
        return checks.compactMap { attribute, message in message.map { AttributeError(attribute, $0) } }
    }

    private static func wrongSteps(_ summary: DaySummary) -> String? {
        guard let steps = summary.steps else { return nil }
        if steps < 0 { return "\(steps) is negative" }
        return steps > mostSteps ? "\(Words.grouped(steps)) is more than anyone walks in a day" : nil
    }

    private static func wrongDistance(_ summary: DaySummary) -> String? {
        guard let distance = summary.distance else { return nil }
        if summary.steps == nil { return "there are no steps to calculate it from" }
        if !distance.isFinite { return "it is no number" }
        if distance < 0 { return "it is negative" }
        if distance > longestDistance { return "it is farther than anyone walks in a day" }
        return summary.distanceSource == nil ? "its source is missing" : nil
    }

    private static func wrongEnergy(_ summary: DaySummary) -> String? {
        guard let energy = summary.energy else { return nil }
        if summary.steps == nil { return "there are no steps to calculate it from" }
        if !energy.isFinite { return "it is no number" }
        if energy < 0 { return "it is negative" }
        if energy > mostEnergy { return "it is more than anyone burns in a day" }
        return summary.energySource == nil ? "its source is missing" : nil
    }

    private static func wrongPercentage(_ summary: DaySummary) -> String? {
        let expected = SportPlan.percentage(steps: summary.steps, goal: summary.goal)
        guard let percentage = summary.percentage else { return expected == nil ? nil : "it is missing" }
        guard let expected else { return "there is no goal, or there are no steps, to calculate it from" }
        // Anything but a number fails this comparison, too.
        return abs(percentage - expected) <= 0.01 ? nil : "it does not match steps and goal"
    }

    private static func wrongCategory(_ summary: DaySummary) -> String? {
        summary.category == summary.steps.map { ActivityCategory(steps: $0) } ? nil : "it does not match the steps"
    }

    private static func wrongHours(_ summary: DaySummary) -> String? {
        let hours = summary.hours
        let known = hours.compactMap(\.steps)
        if let wrong = known.first(where: { $0 < 0 }) { return "\(wrong) in an hour is negative" }
        if let wrong = known.first(where: { $0 > mostSteps }) { return "\(Words.grouped(wrong)) in an hour is more than anyone walks in a day" }
        if let wrong = hours.first(where: { !(0...23).contains($0.hour) }) { return "\(wrong.hour) is no hour" }
        if zip(hours, hours.dropFirst()).contains(where: { $0.start >= $1.start }) { return "they are not in order" }
        // More than 25 only where clocks are set within an hour.
        if hours.count > 26 { return "\(hours.count) are too many for a day" }
        // The hours of a corrected day stay as they were counted.
        guard !hours.isEmpty, !summary.isCorrected else { return nil }
        let sum = known.reduce(0, +)
        return sum == summary.steps ? nil : "they add up to \(Words.grouped(sum)), not to the day's steps"
    }

    private static func wrongCompleteness(_ summary: DaySummary) -> String? {
        if summary.isCorrected { return nil }
        if summary.completeness == .unknown, summary.steps != nil { return "steps are known, yet the day is not" }
        if summary.completeness != .unknown, summary.steps == nil { return "the day is known, yet its steps are not" }
        return summary.completeness == .complete && summary.isRunning ? "the day is not over" : nil
    }
}

/// An error of an invalid value: shown in its place.
public struct AttributeError: Hashable, Sendable, Codable {
    /// The values of a day that are verified.
    public enum Attribute: String, Sendable, Codable, CaseIterable {
        case day, steps, distance, energy, goal, percentage, category, hours, completeness, implausibleSteps, lastSync
    }

    public var attribute: Attribute
    /// What is wrong with it, without its name: `-5 is negative`.
    public var message: String

    static let schema = JSONSchema.object([
        .init("attribute", .choice(Attribute.self), "The value that is wrong."),
        .init("message", .text, "What is wrong with it."),
    ])

    public init(_ attribute: Attribute, _ message: String) {
        self.attribute = attribute
        self.message = message
    }
}

extension DayView {
    /// `istep show --json`.
    public struct Document: JSONDocument {
        public struct Hour: Codable, Sendable {
            /// ISO 8601 with offset.
            public var start: String
            /// 0...23, as local clocks show it.
            public var hour: Int
            /// Null where the hour is not known.
            @Nullable public var steps: Int?

            static let schema = JSONSchema.object([
                .init("start", .time, "When the hour begins."),
                .init("hour", .integer, "0 to 23, as local clocks show it."),
                .init(
                    "steps", .nullable(.integer),
                    "Steps in this hour; null where nothing is known of it, such as the hours of today that have not begun."),
            ])
        }

        public struct Total: Codable, Sendable {
            public var pedometer: String
            /// ISO 8601 with offset.
            public var time: String
            public var total: Int
            public var slots: Int
            public var difference: Int
            public var differs: Bool

            static let schema = JSONSchema.object([
                .init("pedometer", .text, "Its name."),
                .init("time", .time, "When it was read."),
                .init("total", .integer, "The pedometer's own total of the day, as received: never counted as steps."),
                .init("slots", .integer, "What the slots of the day added up to just before."),
                .init("difference", .integer, "total minus slots."),
                .init("differs", .boolean, "Whether they differ by more than the steps of the seconds between the two."),
            ])

            init(_ named: DaySummary.NamedTotal, _ localTime: LocalTime) {
                pedometer = named.pedometer
                time = Words.iso(named.total.at, localTime)
                (total, slots) = (named.total.total, named.total.slots)
                (difference, differs) = (named.total.difference, named.total.differs)
            }
        }

        public var version = 1
        public var user: String
        /// `2014-04-20`.
        public var day: String
        /// Null where nothing is known.
        @Nullable public var steps: Int?
        @Nullable public var distanceMetres: Double?
        /// `measuredStepLength`, `height` or `pedometer`.
        @Nullable public var distanceSource: String?
        /// Above rest.
        @Nullable public var energyKilocalories: Double?
        /// `weight` or `pedometer`.
        @Nullable public var energySource: String?
        /// Null on a rest day and without a plan.
        @Nullable public var goal: Int?
        public var restDay: Bool
        @Nullable public var percentage: Double?
        /// `sedentary`, `lowActive`, `somewhatActive`, `active` or `highlyActive`.
        @Nullable public var category: String?
        /// `complete`, `partial` or `unknown`; null if it is invalid.
        @Nullable public var completeness: String?
        /// The day is not over.
        public var running: Bool
        /// The steps were entered by hand; the hours are as counted.
        public var corrected: Bool
        /// Null where nothing is known of what the pedometers counted.
        @Nullable public var countedSteps: Int?
        @Nullable public var correctionReason: String?
        /// When the steps were entered by hand, ISO 8601 with offset.
        @Nullable public var correctionTime: String?
        /// Kept apart, not counted.
        @Nullable public var implausibleSteps: Int?
        /// Empty where nothing is known of them.
        public var hours: [Hour]
        /// The end of the last complete sync of the user's pedometers, ISO 8601 with offset; null where there was none.
        @Nullable public var lastSyncTime: String?
        /// The same. Deprecated: elsewhere `lastSync` is an object.
        @Nullable public var lastSync: String?
        /// Of pedometers that were asked for it.
        public var deviceTotals: [Total]
        /// The invalid values: those named here are null.
        public var errors: [AttributeError]

        public static let schema = JSONSchema.object([
            .version,
            .init("user", .text, "Whose day it is."),
            .init("day", .day, "The day."),
            .init("steps", .nullable(.integer), "Null where nothing is known."),
            .init("distanceMetres", .nullable(.number), "Rounded to decimetres."),
            .init("distanceSource", .nullable(.choice(DaySummary.DistanceSource.self)), "What the distance is calculated from."),
            .init("energyKilocalories", .nullable(.number), "Above rest."),
            .init("energySource", .nullable(.choice(DaySummary.EnergySource.self)), "What the energy is calculated from."),
            .init("goal", .nullable(.integer), "Steps; null on a rest day and without a plan."),
            .init("restDay", .boolean, "The plan has no goal for this day of the week."),
            .init("percentage", .nullable(.number), "Of the goal."),
            .init("category", .nullable(.choice(ActivityCategory.self)), "After Tudor-Locke and Bassett, by the steps."),
            .init("completeness", .nullable(.choice(DaySummary.Completeness.self)), "Whether all of the day was read."),
            .init("running", .boolean, "The day is not over."),
            .init("corrected", .boolean, "The steps were entered by hand; the hours are as counted."),
            .init("countedSteps", .nullable(.integer), "What the pedometers counted, which a correction replaces; null where nothing is known."),
            .init("correctionReason", .nullable(.text), "Why the user corrected the steps, if that was given."),
            .init("correctionTime", .nullable(.time), "When the steps were entered by hand; null where they were not."),
            .init("implausibleSteps", .nullable(.integer), "Left out, not counted."),
            .init("hours", .list(Hour.schema), "Empty where nothing is known of them."),
            .init("lastSyncTime", .nullable(.time), "When the user's pedometers were last read completely."),
            .init("lastSync", .nullable(.time), "The same as lastSyncTime; elsewhere lastSync is an object.", isDeprecated: true),
            .init("deviceTotals", .list(Total.schema), "What pedometers themselves count for the day, where they were asked for it."),
            .init("errors", .list(AttributeError.schema), "Values that are wrong: they are null."),
        ])
    }

    public var document: Document {
        let isShown = holds(.day)
        func checked<T>(_ attribute: AttributeError.Attribute, _ value: T?) -> T? {
            isShown && holds(attribute) ? value : nil
        }
        let lastSync = checked(.lastSync, summary.lastSync.map { Words.iso($0, localTime) })
        return Document(
            user: summary.user.name, day: summary.day.description,
            steps: checked(.steps, summary.steps),
            distanceMetres: checked(.distance, summary.distance.map { rounded($0, 10) }),
            distanceSource: checked(.distance, summary.distanceSource?.rawValue),
            energyKilocalories: checked(.energy, summary.energy.map { rounded($0, 10) }),
            energySource: checked(.energy, summary.energySource?.rawValue),
            goal: checked(.goal, summary.goal), restDay: summary.isRestDay,
            percentage: checked(.percentage, summary.percentage.map { rounded($0, 100) }),
            category: checked(.category, checked(.steps, summary.category?.rawValue)),
            completeness: checked(.completeness, summary.completeness.rawValue),
            running: summary.isRunning, corrected: summary.isCorrected,
            countedSteps: isShown ? summary.countedSteps : nil, correctionReason: isShown ? summary.correctionReason : nil,
            correctionTime: isShown ? summary.correctedAt.map { Words.iso($0, localTime) } : nil,
            implausibleSteps: checked(.implausibleSteps, summary.implausibleSteps),
            hours: (checked(.hours, summary.hours) ?? []).map {
                Document.Hour(start: Words.iso($0.start, localTime), hour: $0.hour, steps: $0.steps)
            },
            lastSyncTime: lastSync, lastSync: lastSync,
            deviceTotals: isShown ? summary.deviceTotals.map { Document.Total($0, localTime) } : [], errors: errors)
    }

    /// Decimetres, tenths of a kilocalorie: a finer resolution would not be more accurate.
    private func rounded(_ number: Double, _ scale: Double) -> Double { (number * scale).rounded() / scale }
}
