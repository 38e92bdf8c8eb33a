internal import StepDomain

extension DayView {
    /// `istep show --json`.
    public struct Document: Codable, Sendable {
        public struct Hour: Codable, Sendable {
            /// ISO 8601 with offset.
            public var start: String
            /// 0...23, as local clocks show it.
            public var hour: Int
            public var steps: Int
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
        /// `complete`, `partial` or `unknown`; null where it does not hold.
        @Nullable public var completeness: String?
        /// The day is not over.
        public var running: Bool
        /// The steps were entered by hand; the hours are as counted.
        public var corrected: Bool
        /// Kept apart, not counted.
        @Nullable public var implausibleSteps: Int?
        /// Empty where nothing is known of them.
        public var hours: [Hour]
        /// ISO 8601 with offset; null where there was none.
        @Nullable public var lastSync: String?
        /// What does not hold: the values named here are null.
        public var errors: [AttributeError]
    }

    public var document: Document {
        let isShown = holds(.day)
        func checked<T>(_ attribute: AttributeError.Attribute, _ value: T?) -> T? {
            isShown && holds(attribute) ? value : nil
        }
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
            implausibleSteps: checked(.implausibleSteps, summary.implausibleSteps),
            hours: (checked(.hours, summary.hours) ?? []).map {
                Document.Hour(start: Words.iso($0.start, localTime), hour: $0.hour, steps: $0.steps)
            },
            lastSync: checked(.lastSync, summary.lastSync.map { Words.iso($0, localTime) }),
            errors: errors)
    }

    /// Decimetres, tenths of a kilocalorie: finer would only pretend to know more.
    private func rounded(_ number: Double, _ scale: Double) -> Double { (number * scale).rounded() / scale }
}
