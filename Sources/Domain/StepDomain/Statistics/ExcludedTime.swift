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
            let placed = pieces.map { $0[index].map(\.sample) } ?? [sample]
            var next = sample.start
            for span in spans {
                guard let part = span.intersection(sample.span), span.takes(sample) else { continue }
                outside += sample.part(TimeSpan(next, part.start), of: placed)
                inside += sample.part(part, of: placed)
                next = part.end
            }
            outside += sample.part(TimeSpan(next, sample.span.end), of: placed)
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

extension StepSample {
    /// The steps of a part of its time, so that those of all parts add up to its own; none for an empty part. The
    /// distance and the energy of a part are in proportion to its steps, or to its time if steps were made evenly.
    ///
    /// - Parameter pieces: its pieces.
    fileprivate func part(_ part: TimeSpan, of pieces: [StepSample]) -> [StepSample] {
        if part.isEmpty { return [] }
        if part == span { return [self] }
        func before(_ moment: Timestamp) -> Int {
            pieces.reduce(0) { $0 + $1.share(until: min(max(moment, $1.start), $1.span.end)) }
        }
        let partSteps = before(part.end) - before(part.start)
        let share =
            pieces.map(\.span) != [span] && steps > 0
            ? Double(partSteps) / Double(steps) : Double(part.length) / Double(length)
        return [
            StepSample(
                start: part.start, length: part.length, steps: partSteps, distance: distance.map { $0 * share },
                energy: energy.map { $0 * share }, utcOffset: utcOffset)
        ]
    }
}
