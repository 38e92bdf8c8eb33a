/// The steps of several pedometers that one person wore on a day, each step counted once.
///
/// Samples that overlap in time, directly or through others, form a group; in each group the pedometer with the most
/// steps counts and the others do not: two pedometers on the same minutes recorded the same walk, and a pedometer
/// misses steps (in a pocket, on a still wrist) more often than it counts too many. So the total is never above the sum
/// of the tracks and never below the greatest of them.
///
/// Of three or more, the one with the longest sample is compared with what the others count together, by the same rule:
/// a total of the day without hours joins all others into one group, and two of these that recorded different walks are
/// both right. So such a total counts only as far as finer pedometers do not.
///
/// How many steps count does not depend on how long samples are; when they were made does: see `StepPlacement`.
///
/// Of a phone and a watch in one imported file, the watch counts: see `PhonesAndWatches.swift`.
///
/// A change of this rule needs a new `DaySums.revision`, the same change in SQL (`merging` of `PostgresSchema`, with a
/// new `version`), and the words of `DayExplanationView` and `Provenance`.
public struct MergedTracks: Hashable, Sendable {
    /// Samples that overlap, and the pedometer whose samples count.
    public struct Group: Hashable, Sendable {
        /// From the start of the first sample to the end of the last.
        public var span: TimeSpan
        /// The pedometer that counts: the one with the most steps; if several are equal, the one that was added first.
        public var winner: Pedometer.ID
        /// The samples that count, by start.
        public var samples: [StepSample]
        /// Steps of each pedometer in the group, for explaining the choice.
        public var steps: [Pedometer.ID: Int]
    }

    /// The samples that count, by start.
    public let samples: [StepSample]

    /// The steps of `samples`, each as exactly in time as any pedometer shows it (`StepPlacement`), by start: the
    /// source of the hours of the day. Pieces have no distance and no energy.
    public var placed: [StepSample] { pieces?.flatMap { $0.map(\.sample) } ?? samples }

    /// The part of `placed` that was run.
    public var placedRunning: [StepSample] {
        pieces?.flatMap { $0.filter { $0.gait == .running }.map(\.sample) } ?? samples.filter { Gait($0) == .running }
    }

    /// The pieces of each of `samples`; nil if each is a piece as it is.
    private let pieces: [[StepPlacement.Piece]]?

    /// The sums of `samples`, by what was walked and what was run.
    var gaits: GaitSums {
        guard let pieces else { return GaitSums(samples) }
        return GaitSums(
            zip(samples, pieces).lazy.map { sample, pieces in
                (sample, run: pieces.reduce(0) { $0 + ($1.gait == .running ? $1.sample.steps : 0) })
            })
    }

    /// The samples that may count, by start and pedometer.
    private let entries: [Entry]

    /// - Parameter tracks: in any order; samples without steps and implausible ones are left out.
    public init(_ tracks: [DayData.Track]) {
        let counted = Self.counted(tracks)
        entries = counted.flatMap { track in track.samples.map { Entry(pedometer: track.pedometer, sample: $0) } }
            .sorted { ($0.sample.start, $0.pedometer) < ($1.sample.start, $1.pedometer) }
        // Most days have one track: nothing to decide, and ten years have a quarter of a million samples.
        samples = counted.count == 1 ? entries.map(\.sample) : Self.groups(of: entries).flatMap(\.samples)
        pieces = StepPlacement.pieces(of: samples, from: counted)
    }

    /// The tracks with only the samples that may count.
    static func counted(_ tracks: [DayData.Track]) -> [DayData.Track] {
        tracks.map { track -> DayData.Track in
            var track = track
            track.samples.removeAll { $0.steps <= 0 || !$0.isPlausible }
            return track
        }.filter { !$0.samples.isEmpty }
    }

    /// The groups by time; no two overlap.
    public var groups: [Group] { Self.groups(of: entries) }

    private static func groups(of entries: [Entry]) -> [Group] {
        var groups: [Group] = []
        var open: [Entry] = []
        var end: Timestamp?
        for entry in entries {
            if let last = end, entry.sample.start >= last {
                groups += decide(open)
                open = []
                end = nil
            }
            open.append(entry)
            end = max(end ?? entry.sample.span.end, entry.sample.span.end)
        }
        if !open.isEmpty { groups += decide(open) }
        return groups
    }

    private struct Entry: Hashable {
        let pedometer: Pedometer.ID
        let sample: StepSample
    }

    /// - Precondition: `entries` is not empty.
    private static func decide(_ entries: [Entry]) -> [Group] {
        var steps: [Pedometer.ID: Int] = [:]
        for entry in entries { steps[entry.pedometer, default: 0] += entry.sample.steps }
        if steps.count > 2 {
            var longest: [Pedometer.ID: Int] = [:]
            for entry in entries { longest[entry.pedometer] = max(longest[entry.pedometer] ?? 0, entry.sample.length) }
            let coarsest = longest.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
            let finer = groups(of: entries.filter { $0.pedometer != coarsest })
            if finer.reduce(0, { $0 + ($1.steps[$1.winner] ?? 0) }) >= coarsest.flatMap({ steps[$0] }) ?? 0 {
                return finer
            }
            return [group(entries, steps, winner: coarsest ?? entries[0].pedometer)]
        }
        let most = steps.values.max() ?? 0
        return [group(entries, steps, winner: steps.filter { $0.value == most }.keys.min() ?? entries[0].pedometer)]
    }

    private static func group(_ entries: [Entry], _ steps: [Pedometer.ID: Int], winner: Pedometer.ID) -> Group {
        let end = entries.map(\.sample.span.end).max() ?? entries[0].sample.span.end
        return Group(
            span: TimeSpan(entries[0].sample.start, end), winner: winner,
            samples: entries.filter { $0.pedometer == winner }.map(\.sample), steps: steps)
    }
}

extension [StepSample] {
    /// A selection from the samples of one pedometer, sorted by start: those that together have the most steps without
    /// counting any second twice.
    ///
    /// Slots of one pedometer normally do not overlap. They do if a pedometer's clock was changed, or if a pedometer
    /// was read as a counter first and by its slots later. Leaving out the fewest steps keeps the rule that steps are
    /// never lost. Adding no overlapping samples keeps the rule that no step counts twice.
    package var withoutOverlaps: [StepSample] {
        let overlap = zip(self, dropFirst()).contains { $0.span.overlaps($1.span) }
        return overlap ? selectionWithMostSteps(self) : self
    }
}

/// Weighted interval scheduling, n · log n: `best[i]` is the highest number of steps that the first i samples, by end,
/// can give.
private func selectionWithMostSteps(_ samples: [StepSample]) -> [StepSample] {
    let byEnd = samples.sorted { ($0.span.end, $0.start) < ($1.span.end, $1.start) }
    var best = [0]
    /// How many of `byEnd` end no later than sample i starts.
    var before: [Int] = []
    for (i, sample) in byEnd.enumerated() {
        before.append(firstIndex(of: byEnd[..<i], endingAfter: sample.start))
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

/// The index of the first of some samples, by end, that ends after a moment; the end index if there is none.
func firstIndex(of samples: ArraySlice<StepSample>, endingAfter moment: Timestamp) -> Int {
    var (low, high) = (samples.startIndex, samples.endIndex)
    while low < high {
        let middle = (low + high) / 2
        if samples[middle].span.end <= moment { low = middle + 1 } else { high = middle }
    }
    return low
}
