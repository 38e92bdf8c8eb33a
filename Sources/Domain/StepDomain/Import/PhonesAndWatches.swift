// Of a phone and a watch in one imported file, the watch counts while it was worn, as the phone's own program counts.
// Of sources that are not known as either, the one with the most steps counts: see `MergedTracks`.

extension ForeignCollector {
    /// Takes from the tracks of phones what watches have recorded of the same time.
    ///
    /// - Returns: whether there are both.
    public func preferWatches() -> Bool {
        let watches = tracks.values.filter { $0.kind == .watch }, phones = tracks.values.filter { $0.kind == .phone }
        if watches.isEmpty || phones.isEmpty { return false }
        for phone in phones { phone.leaveOutTime(of: watches) }
        return true
    }
}

extension TrackBuilder {
    /// Leaves out the parts of the samples that others have recorded; the rest of a sample has its share of the steps
    /// by time.
    fileprivate func leaveOutTime(of others: [TrackBuilder]) {
        close()
        for other in others { other.close() }
        for (day, bytes) in days {
            // A record can begin on the day before.
            let worn = others.flatMap { other in
                [day - 1, day, day + 1].flatMap { day in other.days[day].map { other.decode($0, day).samples } ?? [] }
            }
            if worn.isEmpty { continue }
            let samples = decode(bytes, day).samples
            days[day] = []
            for part in samples.outside(of: worn) { _ = append(part, recorded: part.length) }
            close()
        }
    }
}

extension [StepSample] {
    /// What samples have outside of the time of others: of each the share of its steps by time. Not each share is
    /// rounded but their sum.
    ///
    /// The steps are placed where the others will have none: those get more seconds than they have recorded if their
    /// steps need them. Where a sample has no room for its share, a later one gets it, or an earlier one.
    func outside(of others: [StepSample]) -> [StepSample] {
        let recorded = Coverage(others.map(\.span)), placed = Coverage(others.map(\.withRoom.span))
        var (exact, given, parts) = (0.0, 0, [StepSample]())
        for sample in self {
            let free = sample.length - recorded.seconds(of: sample.span)
            exact += Double(sample.steps * free) / Double(sample.length)
            let gaps = placed.gaps(in: sample.span)
            var room = gaps.reduce(0) { $0 + $1.length }
            for gap in gaps {
                // Evenly over what is left of the sample's time.
                let due = Int(exact.rounded()) - given
                let steps = Swift.max(
                    0,
                    Swift.min((due * gap.length + room - 1) / room, gap.length * StepSample.maximumStepsPerSecond, due))
                room -= gap.length
                given += steps
                parts.append(
                    StepSample(start: gap.start, length: gap.length, steps: steps, utcOffset: sample.utcOffset))
            }
        }
        for index in parts.indices.reversed() {
            let left = Int(exact.rounded()) - given
            let room = parts[index].length * StepSample.maximumStepsPerSecond - parts[index].steps
            parts[index].steps += Swift.min(left, room)
            given += Swift.min(left, room)
        }
        return parts.filter { $0.steps > 0 }
    }
}
