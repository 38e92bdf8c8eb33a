/// Time whose steps do not count, by the user's decision: a drive on a cobbled street, a massage. It stays so whatever
/// later syncs and imports bring. The samples themselves stay as they are.
public struct Exclusion: Hashable, Sendable {
    public var span: TimeSpan
    /// Seconds east of Greenwich where it was entered: decides the day on which it is shown.
    public var utcOffset: Int
    /// The user's own text, 1 to `StepCorrection.maximumReason` characters; nil if none was given.
    public var reason: String?

    public init(_ span: TimeSpan, utcOffset: Int, reason: String? = nil) {
        self.span = span
        self.utcOffset = utcOffset
        self.reason = reason
    }

    /// Seconds: a day of 25 hours.
    public static let longest = 90_000

    /// The parts of it outside of a span.
    public func without(_ other: TimeSpan) -> [Exclusion] {
        guard span.overlaps(other) else { return [self] }
        return [TimeSpan(span.start, max(span.start, other.start)), TimeSpan(min(span.end, other.end), span.end)]
            .filter { !$0.isEmpty }.map { Exclusion($0, utcOffset: utcOffset, reason: reason) }
    }

    /// The day on which it begins.
    public var day: Day { Day(of: span.start, utcOffset: utcOffset) }

    /// Whether it takes steps from a sample: a block of the next day takes none of a slot over midnight. The last hour
    /// of a day of 25 hours belongs to it by the block's own offset only.
    func takes(_ sample: StepSample) -> Bool {
        span.overlaps(sample.span) && sample.day >= min(day, Day(of: span.start, utcOffset: sample.utcOffset))
    }

    /// Whether it lies on a day.
    public func touches(_ day: Day) -> Bool {
        self.day <= day && day <= Day(of: span.end - 1, utcOffset: utcOffset)
    }
}

/// An exclusion, and the steps that it takes from a day.
public struct ExcludedSteps: Hashable, Sendable {
    public var exclusion: Exclusion
    public var steps: Int
    /// Seconds east of Greenwich at its end: another than at its start if clocks were changed in between.
    public var endOffset: Int
    /// Whether the clock times of its ends alone name another block of the day, or none (`DayClock`).
    public var needsOffsets: Bool

    /// - Parameter endOffset: nil for that of its start.
    public init(_ exclusion: Exclusion, steps: Int, endOffset: Int? = nil, needsOffsets: Bool = false) {
        self.exclusion = exclusion
        self.steps = steps
        self.endOffset = endOffset ?? exclusion.utcOffset
        self.needsOffsets = needsOffsets
    }
}

extension DayData {
    /// The steps of two pedometers of the same minutes count once, as they do on the day.
    func excludedSteps(_ clock: DayClock) -> [ExcludedSteps] {
        if exclusions.isEmpty { return [] }
        let samples = MergedTracks(
            tracks.map { DayData.Track(pedometer: $0.pedometer, name: $0.name, samples: $0.excluded) }
        ).samples
        return exclusions.map { exclusion in
            let steps = samples.reduce(0) { $0 + (exclusion.span.contains($1.start) ? $1.steps : 0) }
            return clock.excluded(exclusion, steps: steps)
        }
    }
}
