/// What the user of another history has decided there: corrected days, and time that does not count.
///
/// An import takes them over with the steps:
/// - A day that the user has corrected here keeps that correction, and time that the user has excluded here keeps its
///   block: what was entered here counts before what an import brings.
/// - Of two imports that correct a day, the correction that was entered last counts, in whatever order they come.
/// - What the user has taken back here stays so, also if the same correction or block comes again. So does what another
///   history had and a newer export of it does not have: an import adds, as it does with samples.
/// - Days that were deleted here are left out.
/// - Taking an import back takes exactly what it has brought. What another import says too stays.
public struct ForeignDecisions: Hashable, Sendable {
    /// The steps of a day. Its `enteredAt` is never nil.
    public struct Correction: Hashable, Sendable {
        public var day: Day
        public var correction: StepCorrection

        public init(_ day: Day, _ correction: StepCorrection) { (self.day, self.correction) = (day, correction) }
    }

    /// Time that does not count.
    public struct Block: Hashable, Sendable {
        public var exclusion: Exclusion
        public var enteredAt: Timestamp

        public init(_ exclusion: Exclusion, enteredAt: Timestamp) {
            (self.exclusion, self.enteredAt) = (exclusion, enteredAt)
        }
    }

    /// One a day.
    public var corrections: [Correction]
    /// In any order; a file can have blocks that overlap.
    public var blocks: [Block]

    public init(corrections: [Correction] = [], blocks: [Block] = []) {
        (self.corrections, self.blocks) = (corrections, blocks)
    }

    public var isEmpty: Bool { corrections.isEmpty && blocks.isEmpty }

    /// Equal for equal content in whatever order.
    var digestText: String {
        let days = corrections.map {
            "\($0.day) \($0.correction.steps) \($0.correction.enteredAt?.seconds ?? 0) \($0.correction.reason ?? "")"
        }
        let times = blocks.map {
            "\($0.exclusion.span.start.seconds) \($0.exclusion.span.end.seconds) \($0.exclusion.utcOffset) "
                + "\($0.enteredAt.seconds) \($0.exclusion.reason ?? "")"
        }
        return (days.sorted() + times.sorted()).joined(separator: "\n")
    }
}

/// What became of the corrections or blocks of a file.
public struct DecisionCounts: Hashable, Sendable {
    /// Those that hold here from now on, and did not before.
    public var taken: Int
    /// Those that do not hold, because the user has decided otherwise here.
    public var kept: Int

    public init(taken: Int = 0, kept: Int = 0) { (self.taken, self.kept) = (taken, kept) }
}

extension ForeignCollector {
    /// Corrections, and blocks, of one file: more than one for each day of a long life.
    private static let maximumDecisions = 100_000

    /// Adds the correction of a day of another history.
    public func add(_ steps: Int, of day: Day, enteredAt: Timestamp, reason: String?) throws(ImportError) {
        guard Validity.firstDays.contains(day), day <= localTime.day(of: options.now).advanced(by: 1) else {
            return try refuse("a correction of the day \(day)")
        }
        guard StepCorrection.stepRange.contains(steps) else { return try refuse("\(steps) steps on \(day)") }
        if decisions.corrections.count == Self.maximumDecisions { throw .tooMuch("more corrections than days") }
        decisions.corrections.append(
            .init(day, StepCorrection(steps: steps, reason: usable(reason), enteredAt: usable(enteredAt))))
    }

    /// Adds a block of time of another history that does not count.
    public func exclude(_ span: CoveredSpan, enteredAt: Timestamp, reason: String?) throws(ImportError) {
        let length = span.span.length
        let day = Day(of: span.span.start, utcOffset: 0)
        guard Validity.firstDays.contains(day), day <= localTime.day(of: options.now).advanced(by: 1),
            (1...Exclusion.longest).contains(length),
            StepSample.utcOffsets.contains(span.utcOffset)
        else { return try refuse("excluded time of \(length) s from \(span.span.start.iso8601(utcOffset: 0))") }
        if decisions.blocks.count == Self.maximumDecisions { throw .tooMuch("more excluded blocks than days") }
        decisions.blocks.append(
            .init(
                Exclusion(span.span, utcOffset: span.utcOffset, reason: usable(reason)),
                enteredAt: usable(enteredAt)))
    }

    /// A text that istep does not accept on input is left out; the figures count.
    private func usable(_ reason: String?) -> String? {
        reason.flatMap { StepCorrection.isUsable(reason: $0) ? $0 : nil }
    }

    /// As it was written, also by a clock that was ahead: the same file says the same on any day. The history takes a
    /// time to come for that of the import.
    private func usable(_ moment: Timestamp) -> Timestamp { min(max(moment, Timestamp(0)), .last) }
}
