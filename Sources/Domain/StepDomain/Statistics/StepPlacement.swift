/// When the steps that count were made, as exactly as any pedometer of the user shows it: the source of the hours of a
/// day.
///
/// `MergedTracks` decides how many steps count. Its samples can be the few long ones of a watch that knows only a
/// counter, while another pedometer has recorded the same walk in slots of minutes. A placement changes no number of
/// steps: it divides long samples into pieces.
///
/// - A pedometer is **finer** in a long sample if all of its samples that overlap it are shorter, and have at least one
///   step inside it. (Without steps there it shows nothing: it may not have been worn.) If several are finer, they are
///   ordered by their longest such sample, the shortest first; equal ones in the order in which they were added.
/// - **Gaps** are the seconds of the long sample for which the finer pedometer has neither a sample nor coverage.
/// - If the long sample has more steps than the finer pedometer counted inside it, the difference was made in the gaps,
///   as far as a person can make so many steps there (`StepSample.maximumStepsPerSecond`). The next finer pedometer
///   divides them among the gaps in the same way.
/// - All other steps are divided in proportion to the samples of the finer pedometer, cut by time at the ends of the
///   long sample. So a difference without a gap changes the height of the hours and not their shape.
/// - Steps that a person cannot make in these samples (a phone in a bag shows a few of a long walk) were made in the
///   rest of the long sample, which the next finer pedometer divides.
/// - What no finer pedometer shows is spread evenly by time, with the UTC offset in force at each part as far as the
///   coverage shows it. Of steps that are spread over many hours, the hours stay unknown (`HourlyProfile`).
///
/// The pieces of a sample lie within its time and do not overlap. Each has at least one step, and together they have
/// the steps of the sample. They depend neither on the order of the tracks nor on that of their samples. Distance and
/// energy are those of the undivided samples. A piece was run if the whole sample was, or if the finer sample was that
/// it was made by: the mean of a long sample hides a run.
///
/// Steps stay whole: not each share is rounded down but their running total, so any run of pieces that are divided
/// together is less than one step off. (The largest remainder is as exact for one piece, but of many equal slots the
/// first ones would get all that remains.)
struct StepPlacement {
    /// The pedometers in the order in which they were added, each with its samples by start.
    private let tracks: [DayData.Track]
    /// Seconds of the shortest sample of all: no pedometer is finer in it.
    private let shortest: Int
    /// Whether the UTC offset changed.
    private let isMoved: Bool

    /// Divides samples into pieces, by start.
    ///
    /// - Parameters:
    ///   - samples: those that count, by start.
    ///   - tracks: all of the day, with only the samples that may count.
    /// - Returns: the pieces of each sample; nil if none is divided, which is so on most days: they have one track and
    ///   one offset.
    static func pieces(of samples: [StepSample], from tracks: [DayData.Track]) -> [[Piece]]? {
        let isMoved = Set(tracks.flatMap(\.coverage).map(\.utcOffset)).count > 1
        guard tracks.count > 1 || isMoved else { return nil }
        let placement = StepPlacement(tracks, isMoved: isMoved)
        return samples.map { placement.pieces(of: $0) }
    }

    /// A part of a sample that counts.
    struct Piece: Hashable {
        /// Its time, offset and steps. A sample that is not divided is a piece as it is.
        var sample: StepSample
        var gait: Gait
    }

    private init(_ tracks: [DayData.Track], isMoved: Bool) {
        self.tracks = tracks.sorted { $0.pedometer < $1.pedometer }.map { track in
            var track = track
            track.samples.sort { $0.start < $1.start }
            return track
        }
        shortest = tracks.flatMap(\.samples).map(\.length).min() ?? 0
        self.isMoved = isMoved
    }

    private func pieces(of sample: StepSample) -> [Piece] {
        guard sample.length > shortest || isMoved, sample.isPlausible else {
            return [Piece(sample: sample, gait: Gait(sample))]
        }
        let finer = tracks.compactMap { Finer($0, in: sample) }.sorted {
            ($0.longest, $0.pedometer) < ($1.longest, $1.pedometer)
        }
        return divide(sample.steps, of: sample, over: [sample.span], by: finer[...]).sorted {
            $0.sample.start < $1.sample.start
        }
    }

    /// - Parameters:
    ///   - spans: parts of the sample, by time; no two overlap.
    ///   - finer: the pedometers that may divide them, the best first.
    private func divide(_ steps: Int, of sample: StepSample, over spans: [TimeSpan], by finer: ArraySlice<Finer>)
        -> [Piece]
    {
        if steps == 0 { return [] }
        guard let best = finer.first else { return evenly(spans, of: sample).sharing(steps).pieces }
        let slots = best.slots(in: spans, of: sample)
        let counted = slots.reduce(0) { $0 + $1.sample.steps }
        if counted == 0 { return divide(steps, of: sample, over: spans, by: finer.dropFirst()) }
        let gaps = spans.flatMap { best.known.gaps(in: $0) }
        let room = gaps.reduce(0) { $0 + $1.length } * StepSample.maximumStepsPerSecond
        let missed = min(max(steps - counted, 0), room)
        let (pieces, rest) = slots.sharing(steps - missed)
        let seen = Coverage(slots.map(\.sample.span) + gaps)
        return pieces + divide(missed, of: sample, over: gaps, by: finer.dropFirst())
            + divide(rest, of: sample, over: spans.flatMap { seen.gaps(in: $0) }, by: finer.dropFirst())
    }

    /// Spans, cut where clocks were changed. Each part has as many steps as seconds.
    private func evenly(_ spans: [TimeSpan], of sample: StepSample) -> [Piece] {
        let clock = SampleClock(sample, tracks)
        // The steps can have been made in any of the spans.
        let isOfManyHours =
            sample.isPartOfManyHours || spans.reduce(0) { $0 + $1.length } > StepSample.maximumSpread
        return spans.flatMap { span in
            let cuts = clock.changes.filter { span.start < $0 && $0 < span.end }
            return zip([span.start] + cuts, cuts + [span.end]).map { start, end in
                var part = StepSample(
                    start: start, length: end - start, steps: end - start, utcOffset: clock.utcOffset(start))
                part.isPartOfManyHours = isOfManyHours
                return Piece(sample: part, gait: Gait(sample))
            }
        }
    }

    /// What a finer pedometer recorded within a sample.
    private struct Finer {
        let pedometer: Pedometer.ID
        /// Those that overlap the sample, by start.
        let samples: ArraySlice<StepSample>
        /// Seconds of the longest of them.
        let longest: Int
        /// The time for which it has these samples or coverage.
        let known: Coverage

        /// Nil if the pedometer is not finer.
        init?(_ track: DayData.Track, in sample: StepSample) {
            let first = firstIndex(of: track.samples[...], endingAfter: sample.start)
            samples = track.samples[first...].prefix { $0.start < sample.span.end }
            guard let longest = samples.map(\.length).max(), longest < sample.length else { return nil }
            pedometer = track.pedometer
            self.longest = longest
            known = Coverage(samples.map(\.span) + track.coverage.map(\.span))
        }

        /// The parts of its samples within spans, each with its share of the steps by time; without those that have
        /// none.
        ///
        /// - Parameter whole: the long sample.
        func slots(in spans: [TimeSpan], of whole: StepSample) -> [Piece] {
            let isRun = Gait(whole) == .running
            return samples.flatMap { sample in
                let gait = isRun ? .running : Gait(sample)
                return spans.compactMap { span -> Piece? in
                    guard let part = sample.span.intersection(span) else { return nil }
                    var slot = StepSample(
                        start: part.start, length: part.length,
                        steps: sample.share(until: part.end) - sample.share(until: part.start),
                        utcOffset: sample.utcOffset)
                    slot.isPartOfManyHours = !sample.hasKnownHours
                    return slot.steps > 0 ? Piece(sample: slot, gait: gait) : nil
                }
            }
        }
    }
}

/// The UTC offsets during a sample: its own, until the coverage of a pedometer shows another one.
struct SampleClock {
    private let sample: StepSample
    private let moved: [CoveredSpan]

    init(_ sample: StepSample, _ tracks: [DayData.Track]) {
        self.sample = sample
        moved = tracks.flatMap(\.coverage).filter {
            $0.utcOffset != sample.utcOffset && $0.span.start > sample.start
        }
    }

    /// Where the offset can change, by time.
    var changes: [Timestamp] { Set(moved.flatMap { [$0.span.start, $0.span.end] }).sorted() }

    /// The offset in force at a moment of the sample.
    func utcOffset(_ moment: Timestamp) -> Int {
        moved.first { $0.span.contains(moment) }?.utcOffset ?? sample.utcOffset
    }
}

extension StepSample {
    /// The steps up to a moment within the sample if all are made evenly, rounded down.
    func share(until moment: Timestamp) -> Int {
        length.dividingFullWidth(steps.multipliedFullWidth(by: moment - start)).quotient
    }
}

extension [StepPlacement.Piece] {
    /// The same times with `total` steps, in proportion to the steps that they have, which are not all 0, and at most
    /// as many as a person makes in each. Times without a step are left out.
    ///
    /// - Returns: also the steps for which there is no room.
    fileprivate func sharing(_ total: Int) -> (pieces: Self, rest: Int) {
        let full = full(with: total)
        let room = full.reduce(0) { $0 + self[$1].maximumSteps }
        let all = reduce(0) { $0 + $1.sample.steps } - full.reduce(0) { $0 + self[$1].sample.steps }
        let shared = all > 0 ? total - room : 0
        var passed = 0, given = 0
        let pieces = enumerated().compactMap { index, part in
            var piece = part
            if full.contains(index) {
                piece.sample.steps = part.maximumSteps
            } else {
                passed += part.sample.steps
                // Full width, so that no number of steps overflows.
                let through = all > 0 ? all.dividingFullWidth(shared.multipliedFullWidth(by: passed)).quotient : 0
                piece.sample.steps = through - given
                given = through
            }
            return piece.sample.steps > 0 ? piece : nil
        }
        return (pieces, total - room - shared)
    }

    /// The indices of those that would get more steps of `total` than a person makes in their time.
    private func full(with total: Int) -> Set<Int> {
        var steps = total, all = reduce(0) { $0 + $1.sample.steps }
        func isFull(_ piece: Element) -> Bool {
            piece.maximumSteps.multipliedFullWidth(by: all) < piece.sample.steps.multipliedFullWidth(by: steps)
        }
        guard contains(where: isFull) else { return [] }
        // Those with the most steps a second are full first; what they leave makes others full.
        let byPace = indices.sorted {
            self[$0].sample.steps.multipliedFullWidth(by: self[$1].sample.length)
                > self[$1].sample.steps.multipliedFullWidth(by: self[$0].sample.length)
        }
        var full: Set<Int> = []
        for index in byPace {
            guard isFull(self[index]) else { break }
            full.insert(index)
            steps -= self[index].maximumSteps
            all -= self[index].sample.steps
        }
        return full
    }
}

extension StepPlacement.Piece {
    fileprivate var maximumSteps: Int { sample.length * StepSample.maximumStepsPerSecond }
}
