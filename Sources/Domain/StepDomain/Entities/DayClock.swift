/// A time of a day as the user writes it.
public struct BlockTime: Hashable, Sendable {
    /// After midnight, as clocks show them; 86,400 is the end of the day.
    public var seconds: Int
    /// Nil for that of the place where the day was walked.
    public var utcOffset: Int?

    public init(_ seconds: Int, utcOffset: Int? = nil) { (self.seconds, self.utcOffset) = (seconds, utcOffset) }
}

/// Why times of a day name no block.
public enum BlockTimeError: Error {
    /// Clocks skipped the time when they were put forward.
    case skipped
    /// The end is not after the beginning: of times that clocks show twice, or with offsets.
    case reversed
    /// The steps of the day have several UTC offsets, and no span has just those that were made at these times.
    case unclear
    /// Steps of the day before or after lie in between.
    case ofOtherDay
    /// Longer than `Exclusion.longest`.
    case tooLong
}

/// What clocks showed on a day where it was walked: the steps of a sample were made at the times that its own offset
/// gives, as the hours of the day show them.
///
/// If clocks here showed the same, or if there are no steps, these are clocks here. Of a place with another offset
/// only the offsets of the samples are known.
public struct DayClock: Sendable {
    private enum Place {
        case here
        case elsewhere(utcOffset: Int)
        case several
    }

    private let day: Day
    private let tracks: [DayData.Track]
    private let here: LocalTime
    private let place: Place

    public init(_ data: DayData, here: LocalTime) {
        (day, tracks, self.here) = (data.day, data.tracks, here)
        place = Self.place(data, here)
    }

    private static func place(_ data: DayData, _ here: LocalTime) -> Place {
        let span = here.span(of: data.day), usual = here.utcOffset(span.start)
        let isChanged = here.utcOffset(span.end - 1) != usual
        var (first, isHere, isSeveral) = (Int?.none, true, false)
        for track in data.tracks {
            for samples in [track.samples, track.excluded] {
                for sample in samples where sample.steps > 0 {
                    let isUsual = !isChanged && span.contains(sample.start)
                    if (isUsual ? usual : here.utcOffset(sample.start)) != sample.utcOffset { isHere = false }
                    if first ?? sample.utcOffset != sample.utcOffset { isSeveral = true }
                    first = sample.utcOffset
                }
            }
        }
        guard let first, !isHere else { return .here }
        return isSeveral ? .several : .elsewhere(utcOffset: first)
    }

    /// By which the hours of the day are told apart. Those of a journey do not follow each other: they are placed in
    /// the hours here.
    var localTime: LocalTime { if case .elsewhere(let offset) = place { .fixed(offset) } else { here } }

    /// Those with steps, by start.
    private var samples: [StepSample] {
        tracks.flatMap { $0.samples + $0.excluded }.filter { $0.steps > 0 }.sorted { $0.start < $1.start }
    }

    /// The block of time whose steps were made from one time of the day to another, and no others.
    ///
    /// - Parameter others: samples of the days before and after: on a journey they can begin before a time of this day
    ///   that comes earlier on clocks.
    public func block(
        from: BlockTime, to: BlockTime, beside others: [StepSample] = []
    ) throws(BlockTimeError) -> Exclusion {
        if let offset = from.utcOffset, let end = to.utcOffset {
            return try Self.block(moment(from, offset), moment(to, end), offset, isPlain: false)
        }
        let block = if case .here = place { try blockHere(from, to) } else { try blockElsewhere(from, to) }
        var (start, end) = (block.span.start, block.span.end)
        for other in others.filter(block.takes) {
            if other.day < day, from.utcOffset == nil { start = max(start, other.span.end) }
            if other.day > day, to.utcOffset == nil { end = min(end, other.start) }
        }
        let span = TimeSpan(start, end)
        guard span != block.span else { return block }
        guard !span.isEmpty,
            samples.allSatisfy({ span.intersection($0.span) == block.span.intersection($0.span) })
        else { throw .ofOtherDay }
        return Exclusion(span, utcOffset: block.utcOffset)
    }

    private func blockHere(_ from: BlockTime, _ to: BlockTime) throws(BlockTimeError) -> Exclusion {
        func moment(_ time: BlockTime) -> Timestamp {
            if let offset = time.utcOffset { return self.moment(time, offset) }
            return time.seconds == 86_400 ? here.span(of: day).end : here.moment(day, seconds: time.seconds)
        }
        let start = moment(from)
        return try Self.block(
            start, moment(to), from.utcOffset ?? here.utcOffset(start),
            isPlain: from.utcOffset == nil && to.utcOffset == nil)
    }

    /// Each sample has the time by its own offset. Between samples, where the offset changed, an end can be anywhere.
    private func blockElsewhere(_ from: BlockTime, _ to: BlockTime) throws(BlockTimeError) -> Exclusion {
        let samples = samples
        func start(_ sample: StepSample) -> Timestamp { moment(from, from.utcOffset ?? sample.utcOffset) }
        func end(_ sample: StepSample) -> Timestamp { moment(to, to.utcOffset ?? sample.utcOffset) }
        func part(_ sample: StepSample) -> TimeSpan? {
            TimeSpan(start(sample), end(sample)).intersection(sample.span)
        }
        let parts = samples.compactMap { sample in part(sample).map { (sample: sample, span: $0) } }
        let outside = samples.filter { part($0) == nil }
        // The samples whose clocks count at both ends, and what the block has to reach from and to.
        let ends: (first: StepSample, start: Timestamp, last: StepSample, end: Timestamp)
        if let first = parts.min(by: { $0.span.start < $1.span.start }),
            let last = parts.max(by: { $0.span.end < $1.span.end })
        {
            ends = (first.sample, first.span.start, last.sample, last.span.end)
        } else if let before = outside.last(where: { $0.span.end <= start($0) }) {
            ends = (before, before.span.end, before, before.span.end)
        } else if let after = outside.first {
            ends = (after, after.start, after, after.start)
        } else {
            return try blockHere(from, to)
        }
        var span = (start: start(ends.first), end: end(ends.last))
        if from.utcOffset == nil, let earlier = outside.map(\.span.end).filter({ $0 <= ends.start }).max() {
            span.start = max(span.start, earlier)
        }
        if to.utcOffset == nil, let later = outside.map(\.start).filter({ $0 >= ends.end }).min() {
            span.end = min(span.end, later)
        }
        // A day of a journey westward is longer; it is enough to reach the steps.
        if span.end - span.start > Exclusion.longest { span = (ends.start, ends.end) }
        let block = try Self.block(
            span.start, span.end, from.utcOffset ?? ends.first.utcOffset,
            isPlain: from.utcOffset == nil && to.utcOffset == nil)
        guard samples.allSatisfy({ block.span.intersection($0.span) == part($0) }) else { throw .unclear }
        return block
    }

    private static func block(
        _ start: Timestamp, _ end: Timestamp, _ utcOffset: Int, isPlain: Bool
    ) throws(BlockTimeError) -> Exclusion {
        guard start < end else { throw isPlain ? .skipped : .reversed }
        guard end - start <= Exclusion.longest else { throw .tooLong }
        return Exclusion(TimeSpan(start, end), utcOffset: utcOffset)
    }

    private func moment(_ time: BlockTime, _ utcOffset: Int) -> Timestamp {
        Timestamp(day.daysSince1970 * 86_400 + time.seconds - utcOffset)
    }

    /// - Parameter steps: those that the block takes from the day.
    func excluded(_ exclusion: Exclusion, steps: Int) -> ExcludedSteps {
        /// The time of the day; that of another day is its beginning or its end.
        func time(_ moment: Timestamp, _ utcOffset: Int) -> BlockTime {
            BlockTime(min(max(moment.seconds + utcOffset - day.daysSince1970 * 86_400, 0), 86_400))
        }
        let (start, end, offset) = (exclusion.span.start, exclusion.span.end, exclusion.utcOffset)
        let from = time(start, offset)
        // Clocks here say nothing about a block of another zone.
        let usual = here.utcOffset(start) == offset ? here.utcOffset(end) : offset
        /// What the times name, and whether they do so without offsets.
        func named(_ endOffset: Int) -> (span: TimeSpan, isPlain: Bool) {
            let to = time(end, endOffset), span = TimeSpan(moment(from, offset), moment(to, endOffset))
            return (span, (try? block(from: from, to: to))?.span == span)
        }
        let whole = ([usual] + Set(samples.map(\.utcOffset)).subtracting([usual]).sorted()).first {
            named($0) == (exclusion.span, true)
        }
        return ExcludedSteps(
            exclusion, steps: steps, endOffset: whole ?? usual, needsOffsets: whole == nil && !named(usual).isPlain)
    }
}
