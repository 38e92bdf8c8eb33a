extension [DayData.Track] {
    /// Takes excluded time out of the samples of a day: each track keeps what lies outside, and has the rest as its
    /// excluded samples.
    ///
    /// A long sample, such as the total of the day, is divided as other tracks show when its steps were made
    /// (`StepPlacement`). By time alone, the part outside would keep steps that were made inside, and count beside
    /// those of the other tracks.
    ///
    /// - Parameter spans: by start, none over another.
    package func excluding(_ spans: [TimeSpan]) -> Self {
        let samples = lazy.flatMap(\.samples)
        if spans.isEmpty || !samples.contains(where: { sample in spans.contains { $0.overlaps(sample.span) } }) {
            return self
        }
        let counted = MergedTracks.counted(self)
        return map { track in
            var track = track
            let divided = track.samples.divided(by: spans, StepPlacement.pieces(of: track.samples, from: counted))
            (track.samples, track.excluded) = (divided.outside, divided.inside)
            return track
        }
    }
}

extension [StepSample] {
    /// The samples of one pedometer inside and outside of spans. A sample that lies only in part inside of one is
    /// divided by its pieces. A sample counts on the day on which it starts: a span of the day after takes nothing from
    /// it.
    ///
    /// - Parameters:
    ///   - spans: by start, none over another.
    ///   - pieces: of each sample; nil if its steps were made evenly.
    func divided(by spans: [TimeSpan], _ pieces: [[StepPlacement.Piece]]? = nil) -> (
        outside: [StepSample], inside: [StepSample]
    ) {
        var (outside, inside): ([StepSample], [StepSample]) = ([], [])
        for (index, sample) in enumerated() {
            var parts = DividedSample(sample, pieces?[index].map(\.sample)).divided(by: spans)
            // More steps than a person makes in the time would not count at all.
            if sample.isPlausible, !(parts.outside + parts.inside).allSatisfy(\.isPlausible) {
                parts = DividedSample(sample, nil).divided(by: spans)
            }
            outside += parts.outside
            inside += parts.inside
        }
        return (outside, inside)
    }
}

extension TimeSpan {
    /// Whether its exclusion takes steps from a sample.
    func takes(_ sample: StepSample) -> Bool {
        overlaps(sample.span) && sample.day >= Day(of: start, utcOffset: sample.utcOffset)
    }
}

/// The parts of a sample, whose steps add up to its own.
private struct DividedSample {
    let sample: StepSample
    /// When its steps were made, as other tracks show it; together at most as fast as a person walks. The rest of its
    /// steps was made evenly.
    private let pieces: [StepSample]
    private let rest: Int
    /// Whether nothing shows when its steps were made.
    private var isEven: Bool { pieces.isEmpty }

    init(_ sample: StepSample, _ pieces: [StepSample]?) {
        self.sample = sample
        let capped = (pieces ?? []).filter { $0.span != sample.span }.map { piece in
            var piece = piece
            piece.steps = min(piece.steps, piece.length * StepSample.maximumStepsPerSecond)
            return piece
        }
        self.pieces = capped
        rest = sample.steps - capped.reduce(0) { $0 + $1.steps }
    }

    private func steps(until moment: Timestamp) -> Int {
        var even = sample
        even.steps = rest
        return pieces.reduce(even.share(until: moment)) {
            $0 + $1.share(until: min(max(moment, $1.start), $1.span.end))
        }
    }

    /// None for an empty part. Distance and energy are in proportion to the steps, or to the time where steps were made
    /// evenly.
    func part(_ part: TimeSpan) -> [StepSample] {
        if part.isEmpty { return [] }
        if part == sample.span { return [sample] }
        let steps = steps(until: part.end) - steps(until: part.start)
        let share =
            isEven || sample.steps == 0
            ? Double(part.length) / Double(sample.length) : Double(steps) / Double(sample.steps)
        return [
            StepSample(
                start: part.start, length: part.length, steps: steps, distance: sample.distance.map { $0 * share },
                energy: sample.energy.map { $0 * share }, utcOffset: sample.utcOffset)
        ]
    }

    /// The parts outside and inside of spans, by start.
    func divided(by spans: [TimeSpan]) -> (outside: [StepSample], inside: [StepSample]) {
        var (outside, inside): ([StepSample], [StepSample]) = ([], [])
        var next = sample.start
        for span in spans {
            guard let found = span.intersection(sample.span), span.takes(sample) else { continue }
            outside += part(TimeSpan(next, found.start))
            inside += part(found)
            next = found.end
        }
        return (outside + part(TimeSpan(next, sample.span.end)), inside)
    }
}
