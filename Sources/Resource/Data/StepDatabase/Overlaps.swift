import StepDomain

/// The samples that together account for the most steps without counting any second twice.
///
/// Slots of one pedometer normally do not overlap. They do if a pedometer's clock was changed, or if a pedometer was read as a counter
/// first and by its slots later. Leaving out the fewest steps keeps the rule that steps are never lost. Adding no overlapping samples keeps
/// the rule that no step counts twice.
///
/// - Parameter samples: sorted by start.
func withoutOverlaps(_ samples: [StepSample]) -> [StepSample] {
    let overlap = zip(samples, samples.dropFirst()).contains { $0.span.overlaps($1.span) }
    return overlap ? heaviest(samples) : samples
}

/// Weighted interval scheduling, n · log n: `best[i]` is the highest number of steps that the first i samples, by end, can give.
private func heaviest(_ samples: [StepSample]) -> [StepSample] {
    let byEnd = samples.sorted { ($0.span.end, $0.start) < ($1.span.end, $1.start) }
    var best = [0]
    /// How many of `byEnd` end no later than sample i starts.
    var before: [Int] = []
    for (i, sample) in byEnd.enumerated() {
        before.append(count(of: byEnd[..<i], endingBy: sample.start))
        best.append(max(best[i], best[before[i]] + sample.steps))
    }
    var chosen: [StepSample] = []
    var i = byEnd.count
    while i > 0 {
        // On a tie the sample is kept: a sample without steps still accounts for its time.
        if best[before[i - 1]] + byEnd[i - 1].steps == best[i] {
            chosen.append(byEnd[i - 1])
            i = before[i - 1]
        } else {
            i -= 1
        }
    }
    return chosen.reversed()
}

private func count(of samples: ArraySlice<StepSample>, endingBy moment: Timestamp) -> Int {
    var (low, high) = (samples.startIndex, samples.endIndex)
    while low < high {
        let middle = (low + high) / 2
        if samples[middle].span.end <= moment { low = middle + 1 } else { high = middle }
    }
    return low
}
