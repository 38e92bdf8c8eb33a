extension [DayData.Track] {
    /// Takes excluded time out of the samples of a day: each track keeps what lies outside, and has the rest as its
    /// excluded samples.
    ///
    /// A long sample, such as the total of the day, is divided as other tracks show when its steps were made
    /// (`StepPlacement`). By time alone, the part outside would keep steps that were made inside, and count beside
    /// those of the other tracks.
    ///
    /// - Parameter exclusions: by start, none over another.
    package func excluding(_ exclusions: [Exclusion]) -> Self {
        let samples = lazy.flatMap(\.samples)
        if exclusions.isEmpty
            || !samples.contains(where: { sample in exclusions.contains { $0.span.overlaps(sample.span) } })
        {
            return self
        }
        let counted = MergedTracks.counted(self)
        return map { track in
            var track = track
            let divided = track.samples.divided(
                by: exclusions, StepPlacement.pieces(of: track.samples, from: counted)
            ) { SampleClock($0, counted).utcOffset($1) }
            (track.samples, track.excluded) = (divided.outside, divided.inside)
            return track
        }
    }
}

extension [StepSample] {
    /// The samples of one pedometer inside and outside of spans. A sample that lies only in part inside of one is
    /// divided by its pieces. A sample counts on the day on which it starts: an exclusion of the day after takes
    /// nothing from it.
    ///
    /// - Parameters:
    ///   - exclusions: by start, none over another.
    ///   - pieces: of each sample; nil if its steps were made evenly.
    ///   - utcOffset: returns the offset at a moment of a sample: that of a part which begins then.
    func divided(
        by exclusions: [Exclusion], _ pieces: [[StepPlacement.Piece]]? = nil,
        utcOffset: (StepSample, Timestamp) -> Int = { sample, _ in sample.utcOffset }
    ) -> (outside: [StepSample], inside: [StepSample]) {
        var (outside, inside): ([StepSample], [StepSample]) = ([], [])
        for (index, sample) in enumerated() {
            let placed = pieces.map { $0[index].map(\.sample) } ?? [sample]
            func part(_ span: TimeSpan) -> [StepSample] {
                if span.isEmpty { return [] }
                return [span == sample.span ? sample : sample.part(span, of: placed, utcOffset(sample, span.start))]
            }
            var next = sample.start
            for exclusion in exclusions where exclusion.takes(sample) {
                guard let taken = exclusion.span.intersection(sample.span) else { continue }
                outside += part(TimeSpan(next, taken.start))
                inside += part(taken)
                next = taken.end
            }
            outside += part(TimeSpan(next, sample.span.end))
        }
        return (outside, inside)
    }
}

extension StepSample {
    /// The steps of a part of its time, so that those of all parts add up to its own. The distance and the energy of a
    /// part are in proportion to its steps, or to its time if steps were made evenly.
    ///
    /// - Parameters:
    ///   - part: not empty.
    ///   - pieces: its pieces.
    ///   - utcOffset: at the beginning of the part.
    fileprivate func part(_ part: TimeSpan, of pieces: [StepSample], _ utcOffset: Int) -> StepSample {
        func before(_ moment: Timestamp) -> Int {
            pieces.reduce(0) { $0 + $1.share(until: min(max(moment, $1.start), $1.span.end)) }
        }
        let partSteps = before(part.end) - before(part.start)
        let share =
            pieces.map(\.span) != [span] && steps > 0
            ? Double(partSteps) / Double(steps) : Double(part.length) / Double(length)
        var sample = StepSample(
            start: part.start, length: part.length, steps: partSteps, distance: distance.map { $0 * share },
            energy: energy.map { $0 * share }, utcOffset: utcOffset)
        sample.isPartOfManyHours = pieces.contains { !$0.hasKnownHours && $0.span.overlaps(part) }
        return sample
    }
}
