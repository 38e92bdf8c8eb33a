extension SharedDay.Track {
    /// What a history has of a pedometer's day besides the samples that count: with it, the history can be built again.
    public struct Evidence: Hashable, Sendable {
        public var pedometer: Pedometer.ID
        /// The parts of its coverage that belong to the day, each by its own offset; sorted.
        public var coverage: [CoveredSpan]
        /// What the user has excluded of the samples.
        public var excluded: [StepSample]
        /// Samples that are kept apart as implausible.
        public var implausible: [StepSample]
        public var deviceTotal: DeviceTotal?

        public init(
            pedometer: Pedometer.ID, coverage: [CoveredSpan] = [], excluded: [StepSample] = [],
            implausible: [StepSample] = [], deviceTotal: DeviceTotal? = nil
        ) {
            self.pedometer = pedometer
            self.coverage = coverage
            self.excluded = excluded
            self.implausible = implausible
            self.deviceTotal = deviceTotal
        }

        init(_ track: DayData.Track, of day: Day) {
            self.init(
                pedometer: track.pedometer,
                coverage: track.coverage.compactMap { covered in
                    covered.part(of: day).map { CoveredSpan($0, utcOffset: covered.utcOffset) }
                }, excluded: track.excluded, implausible: track.implausible, deviceTotal: track.deviceTotal)
        }

        /// The total of the pedometer is left out: it is read at each sync, and is only compared.
        func add(to text: inout Fingerprint) {
            for covered in coverage {
                text.add("covered", "\(covered.span.start.seconds)/\(covered.span.end.seconds)/\(covered.utcOffset)")
            }
            for (name, samples) in [("left out", excluded), ("implausible", implausible)] {
                for sample in samples {
                    text.add(name, "\(sample.start.seconds)/\(sample.length)/\(sample.steps)/\(sample.utcOffset)")
                }
            }
        }
    }
}

/// What a history has of a user besides days.
public struct SharedPerson: Hashable, Sendable {
    /// Oldest first, as the plans.
    public var profiles: [Profile]
    public var plans: [SportPlan]
    /// Those in use.
    public var pedometers: [Pedometer]

    public init(profiles: [Profile] = [], plans: [SportPlan] = [], pedometers: [Pedometer] = []) {
        self.profiles = profiles
        self.plans = plans
        self.pedometers = pedometers
    }
}
