/// The sums of a day's samples, separately for walking and running.
public struct GaitSums: Hashable, Sendable {
    /// Metres as calculated by the pedometers.
    public struct Metres: Hashable, Sendable {
        public var walking: Double
        public var running: Double

        public init(walking: Double = 0, running: Double = 0) {
            self.walking = walking
            self.running = running
        }
    }

    public var walkingSteps: Int
    public var runningSteps: Int
    /// Nil if a sample with steps has no valid number of metres: a sum with gaps would look complete.
    public var metres: Metres?
    /// Kilocalories as calculated by the pedometers; nil if a sample with steps has no valid number of them.
    public var energy: Double?

    public init(walkingSteps: Int = 0, runningSteps: Int = 0, metres: Metres? = Metres(), energy: Double? = 0) {
        self.walkingSteps = walkingSteps
        self.runningSteps = runningSteps
        self.metres = metres
        self.energy = energy
    }

    public var steps: Int { walkingSteps + runningSteps }

    /// - Parameter samples: no two overlap; samples without steps are ignored.
    public init(_ samples: [StepSample]) {
        self.init(samples.lazy.map { ($0, run: Gait($0) == .running ? $0.steps : 0) })
    }

    /// - Parameter samples: each with how many of its steps were run.
    init(_ samples: some Sequence<(sample: StepSample, run: Int)>) {
        self.init()
        for (sample, run) in samples where sample.steps > 0 {
            walkingSteps += sample.steps - run
            runningSteps += run
            if let reported = sample.distance, reported.isFinite, reported >= 0, metres != nil {
                // Not by a fraction of 1, which could round.
                let ran = run == sample.steps ? reported : reported * Double(run) / Double(sample.steps)
                metres?.running += ran
                metres?.walking += reported - ran
            } else {
                metres = nil
            }
            if let reported = sample.energy, reported.isFinite, reported >= 0, let sum = energy {
                energy = sum + reported
            } else {
                energy = nil
            }
        }
    }
}

/// What the pedometers of a user counted on a day. It depends on samples and coverage only, not on profile, plan,
/// correction, place or time, so that a history can store it: `DayFigures` calculates the rest.
public struct DaySums: Hashable, Sendable {
    public var day: Day
    public var gaits: GaitSums
    /// Steps of the 24 hours of a day, each by the clock of the place where it was walked. On a day of 25 hours, both
    /// hours of the same name count together; on a day of 23 hours, the missing hour is nil. An hour is also nil if
    /// nothing is known of it: it has no steps, and not all of it is accounted for, or only by steps of many hours.
    /// Empty if nothing is known of the day; otherwise the sum is `steps` without those of many hours.
    public var hours: [Int?]
    /// How much of the day is accounted for. Here a day that is not over can be `complete`.
    public var completeness: DaySummary.Completeness

    public init(
        day: Day, gaits: GaitSums = GaitSums(), hours: [Int?] = [], completeness: DaySummary.Completeness = .unknown
    ) {
        self.day = day
        self.gaits = gaits
        self.hours = hours
        self.completeness = completeness
    }

    /// 0 if nothing is known of the day; `completeness` distinguishes this from a day without steps.
    public var steps: Int { gaits.steps }

    /// - Parameter tracks: what each pedometer recorded on the day, as in `DayData`.
    public init(_ tracks: [DayData.Track], of day: Day) { self.init(tracks, MergedTracks(tracks), of: day) }

    /// - Parameter merged: the merged `tracks`.
    init(_ tracks: [DayData.Track], _ merged: MergedTracks, of day: Day) {
        self.day = day
        gaits = merged.gaits
        let coverage = tracks.flatMap(\.coverage)
        let completeness = DaySummary.Completeness(coverage, of: day, hasSamples: !merged.samples.isEmpty)
        self.completeness = completeness
        hours =
            completeness == .unknown
            ? [] : Self.hours(of: merged.placed, on: day, coverage, isComplete: completeness == .complete)
    }

    /// Raise it with each change of a figure that is stored: a history then calculates its stored sums again.
    public static let revision = 8

    /// Steps by hour. The part of a sample that lies past midnight counts on this day: the sample belongs to the day as
    /// a whole.
    private static func hours(of samples: [StepSample], on day: Day, _ coverage: [CoveredSpan], isComplete: Bool)
        -> [Int?]
    {
        let steps = steps(of: samples.ofKnownHours, on: day)
        let unknown = Self.steps(of: samples.ofUnknownHours, on: day)
        // The time that is accounted for, by the clocks of the places.
        let midnight = day.daysSince1970 * 86_400
        let known = Coverage(
            coverage.compactMap { covered in
                covered.part(of: day).map { part in
                    TimeSpan(part.start + covered.utcOffset, part.end + covered.utcOffset)
                }
            })
        return steps.enumerated().map { hour, steps in
            if steps > 0 { return steps }
            let start = Timestamp(midnight + hour * 3600)
            let seconds = known.seconds(of: TimeSpan(start, start + 3600))
            // A complete day can lack a part of an hour: clocks skipped it.
            return unknown[hour] == 0 && (seconds == 3600 || isComplete && seconds > 0) ? steps : nil
        }
    }

    private static func steps(of samples: [StepSample], on day: Day) -> [Int] {
        var hours = Array(repeating: 0, count: 24)
        let midnight = day.daysSince1970 * 86_400
        for sample in samples {
            // A piece of a sample can begin past midnight: it counts in the last hour.
            let start = min(max(sample.start.seconds + sample.utcOffset - midnight, 0), 86_399)
            let span = TimeSpan(Timestamp(start), Timestamp(min(start + sample.length, 86_400)))
            hours.addSteps(sample.steps, over: span, from: start / 3600) { Timestamp(($0 + 1) * 3600) }
        }
        return hours
    }
}
