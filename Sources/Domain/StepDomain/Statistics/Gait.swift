/// Walking or running, determined by cadence.
public enum Gait: Sendable, Hashable {
    case walking, running

    /// Steps a minute above which a slot counts as running: 130 a minute is the threshold of vigorous intensity (6
    /// MET), C. Tudor-Locke et al., "Walking cadence (steps/min) and intensity in 21–40 year olds: CADENCE-adults",
    /// International Journal of Behavioral Nutrition and Physical Activity 16:8 (2019), doi 10.1186/s12966-019-0769-6.
    ///
    /// Slots are averages: in one of a quarter of an hour or more, a short run does not show and counts as walking.
    ///
    /// Stored sums of days depend on it: with another value, `DaySums.revision` grows.
    public static let runningCadence = 130

    public init(_ sample: StepSample) {
        let (perMinute, tooMany) = sample.steps.multipliedReportingOverflow(by: 60)
        let (limit, tooLong) = Self.runningCadence.multipliedReportingOverflow(by: sample.length)
        self = !tooLong && (tooMany || perMinute > limit) ? .running : .walking
    }
}
