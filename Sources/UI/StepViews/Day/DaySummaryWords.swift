package import StepDomain

extension ActivityCategory {
    var words: String {
        switch self {
        case .sedentary: "sedentary"
        case .lowActive: "low active"
        case .somewhatActive: "somewhat active"
        case .active: "active"
        case .highlyActive: "highly active"
        }
    }
}

extension DaySummary {
    /// What a chart of the hours says if these do not add up to the steps, because the steps were corrected; nil
    /// otherwise.
    package var countedHoursWords: String? {
        guard isCorrected, steps != countedSteps else { return nil }
        return "as counted" + (steps.map { "; the total is corrected to \(Words.grouped($0))" } ?? "")
    }

    /// Blocks that are listed.
    package static let maximumExcluded = 3

    /// The blocks that the user has excluded.
    package func excludedWords(limit: Int = DaySummary.maximumExcluded) -> [String] {
        let words = excluded.prefix(limit).map { block in
            let times = times(of: block)
            let reason = block.exclusion.reason.map { " (\(Printable($0, limit: 60)))" } ?? ""
            return "\(times.from) to \(times.to): \(Words.count(block.steps, "step")), not counted\(reason)"
        }
        let more = excluded.count - words.count
        return words + (more > 0 ? ["and \(Words.count(more, "other block"))"] : [])
    }

    /// The beginning and the end of an excluded block as clocks show them on the day: `10:00`, `24:00`; with their
    /// offsets where times alone do not name the block.
    package func times(of block: ExcludedSteps) -> (from: String, to: String) {
        func time(_ moment: Timestamp, _ utcOffset: Int) -> String {
            Words.timeOfDay(min(max(moment.seconds + utcOffset - day.daysSince1970 * 86_400, 0), 86_400))
                + (block.needsOffsets ? Timestamp.text(utcOffset: utcOffset) : "")
        }
        let exclusion = block.exclusion
        return (time(exclusion.span.start, exclusion.utcOffset), time(exclusion.span.end, block.endOffset))
    }

    /// How much is known of the day: `complete`, `partial: steps may be missing`.
    package var completenessWords: String { completeness.words(isInProgress: isInProgress) }
}

extension DaySummary.Completeness {
    package func words(isInProgress: Bool) -> String {
        switch self {
        case .partial where isInProgress: "so far"
        case .unknown where isInProgress: "nothing known yet"
        case .complete, .partial, .unknown: words
        }
    }

    /// How much is known of a day that is over.
    package var words: String {
        switch self {
        case .complete: "complete"
        case .partial: "partial: steps may be missing"
        case .unknown: "nothing known"
        }
    }
}

extension DaySummary.DistanceSource {
    /// `by your height`; where the running part has another source, both.
    ///
    /// - Parameter running: the source of the part that was run; nil if there is none.
    package func words(running: DaySummary.DistanceSource?) -> String {
        switch (self, running) {
        case (_, nil), (.height, .height), (.pedometer, _): words
        case (.measuredStepLength, .measuredStepLength): "by your step lengths"
        case (.measuredStepLength, .scaledStepLength): "by your step length, scaled for running"
        case (.scaledStepLength, .measuredStepLength): "by your running step, scaled for walking"
        case (_, let running?): "walking \(words), running \(running.words)"
        }
    }

    private var words: String {
        switch self {
        case .measuredStepLength: "by your step length"
        case .scaledStepLength: "by your running step, scaled for walking"
        case .height: "by your height"
        case .pedometer: "by the pedometer"
        }
    }
}

extension DaySummary.EnergySource {
    var words: String {
        switch self {
        case .weight: "by your weight, \(shortWords)"
        case .pedometer: shortWords
        }
    }

    /// Where there is little room.
    package var shortWords: String {
        switch self {
        case .weight: "above rest"
        case .pedometer: "by the pedometer"
        }
    }
}
