/// A day in figures.
public struct DaySummary: Hashable, Sendable {
    /// Where a distance comes from, best first.
    public enum DistanceSource: String, Sendable, Codable, CaseIterable {
        /// Steps times the step length that the user measured.
        case measuredStepLength
        /// Steps times a step length scaled by the measured one: of running by that of walking, or the reverse.
        case scaledStepLength
        /// Steps times a step length estimated from the user's height.
        case height
        /// The pedometer's own calculation.
        case pedometer
    }

    /// Where an energy comes from.
    public enum EnergySource: String, Sendable, Codable, CaseIterable {
        /// Net cost of walking and running by weight and distance.
        case weight
        /// The pedometer's own calculation.
        case pedometer
    }

    /// Steps of one hour of local clocks.
    public struct Hour: Hashable, Sendable {
        /// Where the hour begins; a day of 25 hours has one of them twice.
        public var start: Timestamp
        /// 0...23 as local clocks showed it.
        public var hour: Int
        /// Seconds east of Greenwich, by which `start` has this hour.
        public var utcOffset: Int
        /// Nil if the hour is not known, like the hours of today that have not begun; unknown steps are never shown as
        /// zero.
        public var steps: Int?
        /// Those of `steps` that were run, by cadence (`Gait`).
        public var running: Int

        public init(start: Timestamp, hour: Int, utcOffset: Int, steps: Int?, running: Int = 0) {
            self.start = start
            self.hour = hour
            self.utcOffset = utcOffset
            self.steps = steps
            self.running = running
        }

        public func isOver(at now: Timestamp) -> Bool { start + 3600 <= now }

        /// Whether it has no figure and will have none by itself: before its end, its steps may still come.
        public func isUnknown(at now: Timestamp) -> Bool { steps == nil && isOver(at: now) }
    }

    public var user: User
    public var day: Day
    /// Nil if nothing is known; unknown steps are never shown as zero.
    public var steps: Int?
    /// The walked and the running part of `steps`, by cadence (`Gait`); nil if `steps` is nil.
    public var walkingSteps: Int?
    public var runningSteps: Int?
    /// Metres.
    public var distance: Double?
    /// Of the walked part.
    public var distanceSource: DistanceSource?
    /// Of the part that was run; nil if there is none, or if nothing is known of the distance.
    public var runningDistanceSource: DistanceSource?
    /// Kilocalories above rest.
    public var energy: Double?
    public var energySource: EnergySource?
    /// Steps; nil on a rest day and without a plan.
    public var goal: Int?
    public var isRestDay: Bool
    /// 100 · steps / goal; nil if steps or goal is nil.
    public var percentage: Double?
    public var category: ActivityCategory?
    /// The hours of the day in order: 23, 24 or 25 of them; empty if nothing is known of them.
    public var hours: [Hour]
    public var completeness: Completeness
    /// The day is not over yet.
    public var isInProgress: Bool
    /// The steps were entered by hand.
    public var isCorrected: Bool
    /// What the pedometers counted, which a correction replaces; nil if nothing is known.
    public var countedSteps: Int?
    /// Why the user corrected the steps, if that was given.
    public var correctionReason: String?
    /// When the user corrected the steps; nil unless corrected.
    public var correctedAt: Timestamp?
    /// When the user deleted the day; nil unless syncs and imports leave it out since then.
    public var deletedAt: Timestamp?
    /// Steps kept apart as implausible; not counted.
    public var implausibleSteps: Int
    /// The time of the day that the user has excluded, with its steps; not counted.
    public var excluded: [ExcludedSteps]
    public var lastSync: Timestamp?
    /// What the pedometers themselves count for the day, as far as they were asked; not counted.
    public var deviceTotals: [NamedTotal]

    public init(
        user: User, day: Day, steps: Int? = nil, walkingSteps: Int? = nil, runningSteps: Int? = nil,
        distance: Double? = nil,
        distanceSource: DistanceSource? = nil, runningDistanceSource: DistanceSource? = nil,
        energy: Double? = nil, energySource: EnergySource? = nil, goal: Int? = nil, isRestDay: Bool = false,
        percentage: Double? = nil, category: ActivityCategory? = nil, hours: [Hour] = [],
        completeness: Completeness = .unknown, isInProgress: Bool = false, isCorrected: Bool = false,
        countedSteps: Int? = nil, correctionReason: String? = nil, correctedAt: Timestamp? = nil,
        deletedAt: Timestamp? = nil, implausibleSteps: Int = 0, excluded: [ExcludedSteps] = [],
        lastSync: Timestamp? = nil, deviceTotals: [NamedTotal] = []
    ) {
        self.user = user
        self.day = day
        self.steps = steps
        self.walkingSteps = walkingSteps
        self.runningSteps = runningSteps
        self.distance = distance
        self.distanceSource = distanceSource
        self.runningDistanceSource = runningDistanceSource
        self.energy = energy
        self.energySource = energySource
        self.goal = goal
        self.isRestDay = isRestDay
        self.percentage = percentage
        self.category = category
        self.hours = hours
        self.completeness = completeness
        self.isInProgress = isInProgress
        self.isCorrected = isCorrected
        self.countedSteps = countedSteps
        self.correctionReason = correctionReason
        self.correctedAt = correctedAt
        self.deletedAt = deletedAt
        self.implausibleSteps = implausibleSteps
        self.excluded = excluded
        self.lastSync = lastSync
        self.deviceTotals = deviceTotals
    }

    /// The total of a pedometer, with its name.
    public struct NamedTotal: Hashable, Sendable {
        public var pedometer: String
        public var total: DeviceTotal

        public init(pedometer: String, total: DeviceTotal) {
            self.pedometer = pedometer
            self.total = total
        }
    }
}

extension DaySummary {
    /// The steps that a person can make in a day. Only the fastest of races over 24 hours have more.
    public static let possibleSteps = 0...200_000

    /// Whether a person can have made the steps of a day; true if nothing is known (nil).
    static func isPlausible(_ steps: Int?) -> Bool { steps.map(possibleSteps.contains) ?? true }

    /// Whether a person can have made the steps. Other days are shown as wrong, and are sent to a destination only if
    /// the user requests the day.
    public var isPlausible: Bool { Self.isPlausible(steps) }
}

extension DaySummary {
    /// A day in figures, calculated from all that is known of it. Pure: the same input gives the same figures.
    ///
    /// - Without data the steps are nil; a day that is accounted for and has no samples has 0 steps.
    /// - A correction by hand replaces the steps; distance and energy follow it in proportion, because the day's shares
    ///   of walking and running stay as recorded. The hours stay as they were counted.
    ///
    /// - Parameters:
    ///   - localTime: here: decides with `now` whether the day is over, and the hours of a day that was not walked
    ///     elsewhere (`DayClock`).
    public init(_ data: DayData, localTime: LocalTime, now: Timestamp) {
        let merged = MergedTracks(data.tracks)
        let sums = DaySums(data.tracks, merged, of: data.day)
        let clock = DayClock(data, here: localTime)
        let figures = DayFigures(
            sums, correction: data.correction, profile: data.profile, plan: data.plan,
            isInProgress: localTime.span(of: data.day).contains(now))
        let hours =
            figures.countedSteps == nil
            ? []
            : HourlyProfile(
                merged.placed, running: merged.placedRunning, of: data.day, localTime: clock.localTime,
                coverage: data.tracks.flatMap(\.coverage), isComplete: sums.completeness == .complete
            ).hours
        self.init(
            user: data.user, day: data.day, steps: figures.steps, walkingSteps: figures.walkingSteps,
            runningSteps: figures.runningSteps,
            distance: figures.distance, distanceSource: figures.distanceSource,
            runningDistanceSource: figures.runningDistanceSource,
            energy: figures.energy, energySource: figures.energySource,
            goal: figures.goal, isRestDay: figures.isRestDay, percentage: figures.percentage,
            category: figures.steps.map { ActivityCategory(steps: $0) },
            hours: hours.contains { $0.steps != nil } ? hours : [], completeness: figures.completeness,
            isInProgress: figures.isInProgress,
            isCorrected: figures.isCorrected,
            countedSteps: figures.countedSteps, correctionReason: data.correction?.reason,
            correctedAt: data.correction?.enteredAt,
            deletedAt: data.deletion.flatMap { $0.isClosed ? $0.at : nil },
            implausibleSteps: data.tracks.flatMap(\.implausible).reduce(0) { sum, sample in
                // As received: the numbers can be anything.
                let (total, isTooMuch) = sum.addingReportingOverflow(max(0, sample.steps))
                return isTooMuch ? .max : total
            },
            excluded: data.excludedSteps(clock),
            lastSync: data.lastSync,
            deviceTotals: data.tracks.compactMap { track in
                track.deviceTotal.map { NamedTotal(pedometer: track.name, total: $0) }
            })
    }
}
