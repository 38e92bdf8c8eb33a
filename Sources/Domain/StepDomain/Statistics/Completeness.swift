extension DaySummary {
    /// How much of a day its pedometers have accounted for.
    public enum Completeness: String, Sendable, Codable, CaseIterable {
        /// Every second of the day.
        case complete
        /// Some of the day: steps may be missing.
        case partial
        /// Nothing is known of it. Not the same as no steps.
        case unknown
    }
}

extension DaySummary.Completeness {
    /// Calculated by the UTC offsets of the places where the day was spent, so that a later journey never changes it.
    ///
    /// A day is complete if all time from its midnight to the next is accounted for, each midnight by the offset then
    /// in force: usually 24 hours, 23 or 25 if clocks were changed, more or less if the user travelled. If a change
    /// skipped midnight itself, the time accounted for before the change reaches up to midnight by the old offset, or
    /// the time accounted for after it begins past the next midnight by the new offset.
    ///
    /// - Parameters:
    ///   - coverage: the coverage of all pedometers, as `deciding(_:)` returns it, in any order.
    ///   - hasSamples: whether there are samples: steps are known data, even if no pedometer accounts for the time
    ///     around them.
    init(_ coverage: [CoveredSpan], of day: Day, hasSamples: Bool) {
        let parts = coverage.compactMap { covered in
            covered.part(of: day).map { CoveredSpan($0, utcOffset: covered.utcOffset) }
        }
        guard let start = parts.map(\.span.start).min(), let end = parts.map(\.span.end).max() else {
            self = hasSamples ? .partial : .unknown
            return
        }
        let midnight = day.daysSince1970 * 86_400
        let begins =
            parts.contains { $0.span.start == start && start.seconds + $0.utcOffset == midnight }
            || coverage.contains { $0.span.end == start && start.seconds + $0.utcOffset <= midnight }
        let ends =
            parts.contains { $0.span.end == end && end.seconds + $0.utcOffset == midnight + 86_400 }
            || coverage.contains { $0.span.start == end && end.seconds + $0.utcOffset >= midnight + 86_400 }
        let hasGaps = !Coverage(coverage.map(\.span)).gaps(in: TimeSpan(start, end)).isEmpty
        self = begins && ends && !hasGaps ? .complete : .partial
    }

    /// The completeness to show: a day that is not over is never complete, and a day whose steps were entered by hand
    /// always is.
    func shown(isInProgress: Bool, isCorrected: Bool) -> Self {
        if isCorrected { return .complete }
        return isInProgress && self == .complete ? .partial : self
    }
}
