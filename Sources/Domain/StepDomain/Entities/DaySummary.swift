/// A day in figures.
public struct DaySummary: Hashable, Sendable {
    /// How much of a day its pedometers have accounted for.
    public enum Completeness: String, Sendable, Codable {
        /// Every second of it.
        case complete
        /// Some of it: steps may be missing.
        case partial
        /// Nothing is known of it. Not the same as no steps.
        case unknown
    }

    /// Where a distance comes from, best first.
    public enum DistanceSource: String, Sendable, Codable {
        /// Steps times the step length that the user measured.
        case measuredStepLength
        /// Steps times a step length estimated from the user's height.
        case height
        /// The pedometer's own reckoning.
        case pedometer
    }

    /// Where an energy comes from.
    public enum EnergySource: String, Sendable, Codable {
        /// Net cost of walking and running by weight and distance.
        case weight
        /// The pedometer's own reckoning.
        case pedometer
    }

    /// Steps of one hour of local clocks.
    public struct Hour: Hashable, Sendable {
        /// Where the hour begins; a day of 25 hours has one of them twice.
        public var start: Timestamp
        /// 0...23 as local clocks showed it.
        public var hour: Int
        public var steps: Int

        public init(start: Timestamp, hour: Int, steps: Int) {
            self.start = start
            self.hour = hour
            self.steps = steps
        }
    }

    public var user: User
    public var day: Day
    /// Nil where nothing is known: never a silent zero.
    public var steps: Int?
    /// Metres.
    public var distance: Double?
    public var distanceSource: DistanceSource?
    /// Kilocalories above rest.
    public var energy: Double?
    public var energySource: EnergySource?
    /// Steps; nil on a rest day and without a plan.
    public var goal: Int?
    public var isRestDay: Bool
    /// 100 · steps / goal; nil where either is.
    public var percentage: Double?
    public var category: ActivityCategory?
    /// The hours of the day in order: 23, 24 or 25 of them; empty where nothing is known of them.
    public var hours: [Hour]
    public var completeness: Completeness
    /// The day is not over yet.
    public var isRunning: Bool
    /// The steps were entered by hand.
    public var isCorrected: Bool
    /// Steps kept apart as implausible; not counted.
    public var implausibleSteps: Int
    public var lastSync: Timestamp?

    public init(
        user: User, day: Day, steps: Int? = nil, distance: Double? = nil, distanceSource: DistanceSource? = nil,
        energy: Double? = nil, energySource: EnergySource? = nil, goal: Int? = nil, isRestDay: Bool = false,
        percentage: Double? = nil, category: ActivityCategory? = nil, hours: [Hour] = [],
        completeness: Completeness = .unknown, isRunning: Bool = false, isCorrected: Bool = false,
        implausibleSteps: Int = 0, lastSync: Timestamp? = nil
    ) {
        self.user = user
        self.day = day
        self.steps = steps
        self.distance = distance
        self.distanceSource = distanceSource
        self.energy = energy
        self.energySource = energySource
        self.goal = goal
        self.isRestDay = isRestDay
        self.percentage = percentage
        self.category = category
        self.hours = hours
        self.completeness = completeness
        self.isRunning = isRunning
        self.isCorrected = isCorrected
        self.implausibleSteps = implausibleSteps
        self.lastSync = lastSync
    }
}
