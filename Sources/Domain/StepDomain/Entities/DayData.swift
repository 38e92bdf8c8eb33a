/// All that a history holds on one user's day: the input of a day summary.
public struct DayData: Hashable, Sendable {
    /// What one pedometer recorded on the day.
    public struct Track: Hashable, Sendable {
        public var pedometer: Pedometer.ID
        public var name: String
        /// Whether it is a source of imports.
        public var isImported: Bool
        /// Samples of the day, by their own offset; sorted by start, no two overlap.
        public var samples: [StepSample]
        /// What the user has excluded of the samples; not counted.
        public var excluded: [StepSample]
        /// Samples of the day kept apart as implausible.
        public var implausible: [StepSample]
        /// The spans of the day, by its own offset, that the pedometer has accounted for, and the spans that adjoin
        /// them; sorted, no two overlap.
        public var coverage: [CoveredSpan]
        /// What the pedometer itself counts for the day, if it was asked.
        public var deviceTotal: DeviceTotal?

        public init(
            pedometer: Pedometer.ID, name: String, isImported: Bool = false, samples: [StepSample] = [],
            excluded: [StepSample] = [],
            implausible: [StepSample] = [], coverage: [CoveredSpan] = [], deviceTotal: DeviceTotal? = nil
        ) {
            self.pedometer = pedometer
            self.name = name
            self.isImported = isImported
            self.samples = samples
            self.excluded = excluded
            self.implausible = implausible
            self.coverage = coverage
            self.deviceTotal = deviceTotal
        }
    }

    public var user: User
    public var day: Day
    public var tracks: [Track]
    public var correction: StepCorrection?
    /// The time of the day whose steps do not count, by start.
    public var exclusions: [Exclusion]
    /// Nil unless the user has deleted what was known of the day: destinations that have it are told.
    public var deletion: DeletedDay?
    /// The effective profile on the day.
    public var profile: Profile?
    /// The effective plan on the day.
    public var plan: SportPlan?
    /// When the last complete sync of any of the user's pedometers ended.
    public var lastSync: Timestamp?

    public init(
        user: User, day: Day, tracks: [Track] = [], correction: StepCorrection? = nil,
        exclusions: [Exclusion] = [], profile: Profile? = nil,
        plan: SportPlan? = nil, lastSync: Timestamp? = nil
    ) {
        self.user = user
        self.day = day
        self.tracks = tracks
        self.correction = correction
        self.exclusions = exclusions
        self.profile = profile
        self.plan = plan
        self.lastSync = lastSync
    }
}
