/// The steps of several pedometers that one person wore on a day, each step counted once.
///
/// Samples that overlap in time, directly or through others, form a group; in each group the pedometer with the most steps
/// counts and the others do not: two pedometers on the same minutes saw the same walk, and a pedometer misses steps (in
/// a pocket, on a still wrist) more often than it makes them up. So the total is never above the sum of the tracks and never
/// below the greatest of them.
public struct MergedTracks: Hashable, Sendable {
    /// Samples that overlap, and which pedometer's count.
    public struct Group: Hashable, Sendable {
        /// From the start of the first sample to the end of the last.
        public var span: TimeSpan
        /// The pedometer that counts: that with the most steps, of equals the one added first.
        public var winner: Pedometer.ID
        /// What counts, by start.
        public var samples: [StepSample]
        /// Steps of each pedometer in the group, for explaining the choice.
        public var steps: [Pedometer.ID: Int]
    }

    /// By time; no two overlap.
    public private(set) var groups: [Group]

    /// - Parameter tracks: in any order; samples without steps and implausible ones are left out.
    public init(_ tracks: [StepData.Track]) {
        let entries = tracks.flatMap { track in
            track.samples.filter { $0.steps > 0 && $0.isPlausible }.map { Entry(pedometer: track.pedometer, sample: $0) }
        }.sorted { ($0.sample.start, $0.pedometer) < ($1.sample.start, $1.pedometer) }

        groups = []
        var open: [Entry] = []
        var end: Timestamp?
        for entry in entries {
            if let last = end, entry.sample.start >= last {
                groups.append(Self.decide(open))
                open = []
                end = nil
            }
            open.append(entry)
            end = max(end ?? entry.sample.span.end, entry.sample.span.end)
        }
        if !open.isEmpty { groups.append(Self.decide(open)) }
    }

    /// What counts, by start.
    public var samples: [StepSample] { groups.flatMap(\.samples) }

    public var steps: Int { groups.reduce(0) { sum, group in group.samples.reduce(sum) { $0 + $1.steps } } }

    private struct Entry {
        let pedometer: Pedometer.ID
        let sample: StepSample
    }

    /// - Precondition: `entries` is not empty.
    private static func decide(_ entries: [Entry]) -> Group {
        var steps: [Pedometer.ID: Int] = [:]
        for entry in entries { steps[entry.pedometer, default: 0] += entry.sample.steps }
        let most = steps.values.max() ?? 0
        let winner = steps.filter { $0.value == most }.keys.min() ?? entries[0].pedometer
        let end = entries.map(\.sample.span.end).max() ?? entries[0].sample.span.end
        return Group(
            span: TimeSpan(entries[0].sample.start, end), winner: winner,
            samples: entries.filter { $0.pedometer == winner }.map(\.sample), steps: steps)
    }
}
