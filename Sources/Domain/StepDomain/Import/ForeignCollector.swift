/// Collects the steps of the sources of a file while it is read, in bounded memory and in any order of time.
///
/// A reader adds what it finds; the collector refuses what no person and no clock can have made, and brings the samples
/// of each source into the form of a pedometer's: by start, none over another.
public final class ForeignCollector {
    /// What samples of one source mean that overlap.
    public enum Repetition: Sendable {
        /// Those with the same start and length are parts: `1/1/20 1:11` twice in one minute. Others, too.
        case added
        /// Of those with the same start and length, the file has one sample more than once. Others are parts.
        case greatest
        /// They are of a history of istep: those count that together have the most steps (`withoutOverlaps`).
        case mostSteps
    }

    /// What a source accounts for.
    public enum Accounting: Sendable {
        /// The time that the reader names by `cover`.
        case named
        /// Each day on which it has a sample: no record means no steps. The first day from its first sample on, the
        /// last day up to its last one.
        case days
        /// The time that the reader names, if there are records without steps (`TrackBuilder.noteRecordWithoutSteps`).
        /// If it has none, such records are not written, and each day with a sample is accounted for.
        case records
    }

    public let options: ForeignOptions
    private(set) var tracks: [String: TrackBuilder] = [:]
    /// Identities in the order of their first sample.
    private var order: [String] = []
    private var leftOut: [(reason: String, count: Int)] = []
    public var notes: [ForeignNote] = []
    /// What was added of them.
    public internal(set) var decisions = ForeignDecisions()
    /// Whether the records of the file have UTC offsets of their own.
    public var hasOffsets = false
    /// Seconds: two days with the end of summer time in them. Nobody knows on which days the steps of a longer record
    /// were made; all would count on its first one. What another history of istep has already counted stays as it is.
    public var longestRecord = 2 * 86_400 + 3600

    /// The samples that were added.
    public private(set) var samples = 0
    /// Called after every 16,384 samples.
    public var reportSamples: () -> Void = {}

    public let localTime: LocalTime
    /// The local day of the record before.
    private var span = TimeSpan(Timestamp(0), Timestamp(0))

    public init(_ options: ForeignOptions) {
        self.options = options
        localTime = options.localTime.remembered()
    }

    /// Sources of one file.
    private static let maximumTracks = 256
    /// Bytes of all samples together: some five million samples, more than ten years of minutes.
    private static let maximumBytes = 32 << 20
    private var bytes = 0

    /// The track of a source; created with its first call.
    ///
    /// - Throws: `ImportError.tooMuch` for too many sources.
    public func track(
        _ source: ForeignSource, repetition: Repetition = .greatest, accounting: Accounting = .days,
        kind: TrackBuilder.Kind = .other
    ) throws(ImportError) -> TrackBuilder {
        if let known = tracks[source.identity] { return known }
        if tracks.count == Self.maximumTracks { throw .tooMuch("more than \(Self.maximumTracks) sources") }
        let track = TrackBuilder(source, repetition, accounting, kind)
        tracks[source.identity] = track
        order.append(source.identity)
        return track
    }

    /// Adds a sample with the UTC offset of the owner's zone at its start.
    public func add(_ steps: Int, from start: Timestamp, length: Int, distance: Double? = nil, to track: TrackBuilder)
        throws(ImportError)
    {
        guard isPossible(start) else { return try refuse(time: start) }
        let offset = localTime.utcOffset(start)
        try add(
            StepSample(start: start, length: length, steps: steps, distance: distance, utcOffset: offset), to: track)
    }

    /// The same; a record that goes on past midnight is divided there by time, and a decimal number is rounded, as
    /// `WholeSteps` describes it.
    public func add(splitting steps: Double, from start: Timestamp, length: Int, to track: TrackBuilder)
        throws(ImportError)
    {
        guard isPossible(start), steps > 0, steps < 1e9, length >= 0, length <= longestRecord else {
            return try add(Int(steps.rounded()), from: start, length: length, to: track)
        }
        if !span.contains(start) { span = localTime.span(of: localTime.day(of: start)) }
        let end = start + length
        if end <= span.end, track.whole.isExact, steps == steps.rounded() {
            return try add(Int(steps), from: start, length: length, to: track)
        }
        var (parts, from): ([TimeSpan], Timestamp) = ([], start)
        // Clocks that are set back over midnight show the day before once more, after its end.
        while span.contains(from), span.end < end {
            parts.append(TimeSpan(from, span.end))
            from = span.end
            span = localTime.span(of: localTime.day(of: from))
        }
        parts.append(TimeSpan(from, end))
        let whole = track.whole.divide(
            steps, over: parts.map { (localTime.day(of: $0.start).daysSince1970, $0.length) })
        for (part, steps) in zip(parts, whole) {
            try add(steps, from: part.start, length: part.length, to: track)
        }
    }

    /// Adds the total of a day: a sample of 23 to 25 hours, of today up to now.
    public func add(total steps: Int, of day: Day, distance: Double? = nil, to track: TrackBuilder) throws(ImportError)
    {
        guard day >= Self.firstDay, day <= localTime.day(of: options.now).advanced(by: 1) else {
            return try refuse("the day \(day)")
        }
        guard DaySummary.possibleSteps.contains(steps) else { return try refuse("\(steps) steps on \(day)") }
        let span = localTime.span(of: day)
        let end = min(span.end, max(options.now, span.start + 1))
        try cover(TimeSpan(span.start, end), track)
        if steps == 0 { return }
        // A total of today that was read early in the morning needs the seconds that its steps take.
        let length = max(end - span.start, StepSample.minimumLength(for: steps))
        try add(
            StepSample(
                start: span.start, length: length, steps: steps, distance: distance,
                utcOffset: localTime.utcOffset(span.start)), to: track)
    }

    /// Adds a sample. One without steps accounts for its time only if the source names what it accounts for.
    public func add(_ sample: StepSample, to track: TrackBuilder) throws(ImportError) {
        guard isPossible(sample.start) else { return try refuse(time: sample.start) }
        guard (0...1 << 40).contains(sample.length), StepSample.utcOffsets.contains(sample.utcOffset) else {
            return try refuse("\(sample.length) s from \(sample.start.iso8601(utcOffset: 0))")
        }
        guard sample.steps >= 0, sample.steps <= DaySummary.possibleSteps.upperBound * max(1, sample.length / 86_400)
        else {
            return try refuse("\(sample.steps) steps at \(sample.start.iso8601(utcOffset: sample.utcOffset))")
        }
        // What reaches further counts before what comes later.
        guard isPossible(sample.span.end) else { return try refuse(time: sample.span.end) }
        if sample.steps > 0, sample.length > longestRecord {
            return leaveOut(
                "of more than \(longestRecord / 86_400) days, such as \(sample.steps) steps from \(sample.start.iso8601(utcOffset: 0))"
            )
        }
        guard sample.length <= 366 * 86_400 else {
            return try refuse("\(sample.length) s from \(sample.start.iso8601(utcOffset: 0))")
        }
        if sample.steps == 0 {
            if sample.length > 0 { track.mark(sample) }
            return
        }
        var sample = sample
        let recorded = sample.length
        let needed = StepSample.minimumLength(for: sample.steps)
        // A record of one moment has no length: it gets what its steps need. Others may be cut short by whole seconds.
        if sample.length <= 1 || needed <= 2 * sample.length { sample.length = max(sample.length, needed) }
        guard sample.isPlausible else {
            return try refuse(
                "\(sample.steps) steps in \(sample.length) s at \(sample.start.iso8601(utcOffset: sample.utcOffset))")
        }
        if let distance = sample.distance, !(0...1e7).contains(distance) { sample.distance = nil }
        if let energy = sample.energy, !(0...1e6).contains(energy) { sample.energy = nil }
        samples += 1
        if samples & 0x3fff == 0 { reportSamples() }
        bytes += track.append(sample, recorded: recorded)
        if bytes > Self.maximumBytes { throw .tooMuch("more steps than one person can have recorded in decades") }
    }

    /// Time that a source accounts for: no sample inside it means no steps.
    public func cover(_ span: TimeSpan, _ track: TrackBuilder) throws(ImportError) {
        guard !span.isEmpty, isPossible(span.start), span.length <= 20 * 366 * 86_400 else { return }
        for piece in localTime.covered(TimeSpan(span.start, min(span.end, latest))) { bytes += track.cover(piece) }
        if bytes > Self.maximumBytes { throw .tooMuch("more time than one person can have recorded in decades") }
    }

    /// The same with an offset of its own.
    public func cover(_ piece: CoveredSpan, _ track: TrackBuilder) throws(ImportError) {
        guard !piece.span.isEmpty, isPossible(piece.span.start), piece.span.length <= 20 * 366 * 86_400 else { return }
        let end = min(piece.span.end, latest)
        if piece.span.start < end {
            bytes += track.cover(CoveredSpan(TimeSpan(piece.span.start, end), utcOffset: piece.utcOffset))
        }
    }

    /// - Returns: the tracks that have anything, and all notes.
    public func finish() -> (tracks: [ForeignTrack], notes: [ForeignNote]) {
        let found = order.compactMap { tracks.removeValue(forKey: $0)?.finish(localTime) }
        return (found.filter { !$0.parts.isEmpty }, notes + leftOut.map { .leftOut($0.count, $0.reason) })
    }

    // MARK: What cannot be

    /// Pedometers that could be read did not exist before; a watch without a clock is at 1970.
    public static let firstDay = Day(daysSince1970: 10_957)  // 2000-01-01

    /// Whether a clock can have shown a time: not before 2000, not after tomorrow.
    public func isPossible(_ start: Timestamp) -> Bool {
        start.seconds >= Self.firstDay.daysSince1970 * 86_400 && start <= latest
    }

    /// Clocks differ, and zones too.
    private var latest: Timestamp { options.now + 86_400 }

    private func refuse(time: Timestamp) throws(ImportError) {
        let isNamed = time.seconds.magnitude < 253_402_300_800
        try refuse(isNamed ? "the time \(time.iso8601(utcOffset: 0))" : "a time that no calendar has")
    }

    /// - Parameter what: the first such record, with its figures.
    /// - Throws: `ImportError.impossible`, unless such records are left out.
    public func refuse(_ what: String) throws(ImportError) {
        guard options.leavesOutImpossible else { throw .impossible(what) }
        leaveOut("not possible, such as \(what)")
    }

    /// Counts a row of a table in which the time or the steps are not a number.
    public func leaveOutWithoutNumber() { leaveOut("without a number for the time or the steps") }

    /// Counts a record that is left out. Reasons are few; all that are not possible count together.
    public func leaveOut(_ reason: String) {
        let kind = reason.prefix { $0 != "," }
        if let known = leftOut.firstIndex(where: { $0.reason.prefix { $0 != "," } == kind }) {
            leftOut[known].count += 1
        } else {
            leftOut.append((reason, 1))
        }
    }
}
