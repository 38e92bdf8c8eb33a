internal import StepDomain

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
                    "Steps in this hour; null if nothing is known of it, such as the hours of today that have not begun."
                ),
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
                .init("slots", .integer, "The sum of the day's slots, read shortly before the total."),
                .init("difference", .integer, "total minus slots."),
                .init(
                    "differs", .boolean,
                    "Whether they differ by more than can be explained by steps taken between the two readings."),
            ])

            init(_ named: DaySummary.NamedTotal, _ localTime: LocalTime) {
                pedometer = named.pedometer
                time = Words.iso(named.total.at, localTime)
                (total, slots) = (named.total.total, named.total.slots)
                (difference, differs) = (named.total.difference, named.total.differs)
            }
        }

        public struct Excluded: Codable, Sendable {
            public var start: String
            public var end: String
            public var steps: Int
            @Nullable public var reason: String?

            static let schema = JSONSchema.object([
                .init("start", .time, "When it begins."), .init("end", .time, "When it ends."),
                .init("steps", .integer, "The steps that do not count."),
                .init("reason", .nullable(.text), "Why, if that was given."),
            ])

            init(_ excluded: ExcludedSteps, _ localTime: LocalTime) {
                let exclusion = excluded.exclusion
                start = exclusion.span.start.iso8601(utcOffset: exclusion.utcOffset)
                end = exclusion.span.end.iso8601(utcOffset: exclusion.offsetOfEnd(localTime))
                steps = excluded.steps
                _reason = Nullable(wrappedValue: exclusion.reason)
            }
        }

        public var version = 1
        public var user: String
        /// `2014-04-20`.
        public var day: String
        /// Null where nothing is known.
        @Nullable public var steps: Int?
        @Nullable public var walkingSteps: Int?
        @Nullable public var runningSteps: Int?
        @Nullable public var distanceMetres: Double?
        /// Of the walked part: `measuredStepLength`, `scaledStepLength`, `height` or `pedometer`.
        @Nullable public var distanceSource: String?
        /// The same of the part that was run; null where there is none.
        @Nullable public var runningDistanceSource: String?
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
        /// Steps that are stored separately, because they are implausible, and not counted.
        @Nullable public var implausibleSteps: Int?
        /// The time whose steps the user has excluded.
        public var excluded: [Excluded]
        /// Empty where nothing is known of them.
        public var hours: [Hour]
        /// The end of the last complete sync of the user's pedometers, ISO 8601 with offset; null where there was none.
        @Nullable public var lastSyncTime: String?
        /// The same. Deprecated: elsewhere `lastSync` is an object.
        @Nullable public var lastSync: String?
        /// The totals of the pedometers that were asked for one.
        public var deviceTotals: [Total]
        /// The invalid values: those named here are null.
        public var errors: [AttributeError]

        public static let schema = JSONSchema.object([
            .version,
            .init("user", .text, "Whose day it is."),
            .init("day", .day, "The day."),
            .init("steps", .nullable(.integer), "Null where nothing is known."),
            .walkingSteps,
            .runningSteps,
            .init("distanceMetres", .nullable(.number), "Rounded to decimetres."),
            .init(
                "distanceSource", .nullable(.choice(DaySummary.DistanceSource.self)),
                "What the distance of the walked part is calculated from; scaledStepLength: a step length scaled by the one that was measured."
            ),
            .init(
                "runningDistanceSource", .nullable(.choice(DaySummary.DistanceSource.self)),
                "The same of the part that was run; null where there is none."),
            .init("energyKilocalories", .nullable(.number), "Above rest."),
            .init(
                "energySource", .nullable(.choice(DaySummary.EnergySource.self)), "What the energy is calculated from."),
            .init("goal", .nullable(.integer), "Steps; null on a rest day and without a plan."),
            .init("restDay", .boolean, "The plan has no goal for this day of the week."),
            .init("percentage", .nullable(.number), "Of the goal."),
            .init(
                "category", .nullable(.choice(ActivityCategory.self)), "After Tudor-Locke and Bassett, by the steps."),
            .init("completeness", .nullable(.choice(DaySummary.Completeness.self)), "Whether all of the day was read."),
            .running,
            .init("corrected", .boolean, "The steps were entered by hand; the hours are as counted."),
            .init(
                "countedSteps", .nullable(.integer),
                "What the pedometers counted, which a correction replaces; null where nothing is known."),
            .init("correctionReason", .nullable(.text), "Why the user corrected the steps, if that was given."),
            .init("correctionTime", .nullable(.time), "When the steps were entered by hand; null where they were not."),
            .init("implausibleSteps", .nullable(.integer), "Not plausible, and not counted."),
            .init("excluded", .list(Excluded.schema), "Time whose steps do not count, by the user's decision."),
            .init("hours", .list(Hour.schema), "Empty where nothing is known of them."),
            .init("lastSyncTime", .nullable(.time), "When the user's pedometers were last read completely."),
            .init(
                "lastSync", .nullable(.time), "The same as lastSyncTime; elsewhere lastSync is an object.",
                isDeprecated: true),
            .init(
                "deviceTotals", .list(Total.schema),
                "What pedometers themselves count for the day, where they were asked for it."),
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
            steps: checked(.steps, summary.steps), walkingSteps: checked(.steps, summary.walkingSteps),
            runningSteps: checked(.steps, summary.runningSteps),
            distanceMetres: checked(.distance, summary.distance.map { rounded($0, 10) }),
            distanceSource: checked(.distance, summary.distanceSource?.rawValue),
            runningDistanceSource: checked(.distance, summary.runningDistanceSource?.rawValue),
            energyKilocalories: checked(.energy, summary.energy.map { rounded($0, 10) }),
            energySource: checked(.energy, summary.energySource?.rawValue),
            goal: checked(.goal, summary.goal), restDay: summary.isRestDay,
            percentage: checked(.percentage, summary.percentage.map { rounded($0, 100) }),
            category: checked(.category, checked(.steps, summary.category?.rawValue)),
            completeness: checked(.completeness, summary.completeness.rawValue),
            running: summary.isInProgress, corrected: summary.isCorrected,
            countedSteps: isShown ? summary.countedSteps : nil,
            correctionReason: isShown ? summary.correctionReason : nil,
            correctionTime: isShown ? summary.correctedAt.map { Words.iso($0, localTime) } : nil,
            implausibleSteps: checked(.implausibleSteps, summary.implausibleSteps),
            excluded: isShown ? summary.excluded.map { Document.Excluded($0, localTime) } : [],
            hours: (checked(.hours, summary.hours) ?? []).map {
                Document.Hour(start: Words.iso($0.start, localTime), hour: $0.hour, steps: $0.steps)
            },
            lastSyncTime: lastSync, lastSync: lastSync,
            deviceTotals: isShown ? summary.deviceTotals.map { Document.Total($0, localTime) } : [], errors: errors)
    }

    /// Decimetres, tenths of a kilocalorie: a finer resolution would not be more accurate.
    private func rounded(_ number: Double, _ scale: Double) -> Double { (number * scale).rounded() / scale }
}
