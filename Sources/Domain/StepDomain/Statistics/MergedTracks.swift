/// The steps of several pedometers that one person wore on a day, each step counted once.
///
/// Samples that overlap in time, directly or through others, form a group; in each group the pedometer with the most steps counts and the
/// others do not: two pedometers on the same minutes recorded the same walk, and a pedometer misses steps (in a pocket, on a still wrist)
/// more often than it counts too many. So the total is never above the sum of the tracks and never below the greatest of them.
public struct MergedTracks: Hashable, Sendable {
    /// Samples that overlap, and the pedometer whose samples count.
    public struct Group: Hashable, Sendable {
        /// From the start of the first sample to the end of the last.
        public var span: TimeSpan
        /// The pedometer that counts: the one with the most steps; if several are equal, the one that was added first.
        public var winner: Pedometer.ID
        /// What counts, by start.
        public var samples: [StepSample]
        /// Steps of each pedometer in the group, for explaining the choice.
        public var steps: [Pedometer.ID: Int]
    }

    /// What counts, by start.
    public let samples: [StepSample]
    /// The sum of `samples`.
    public let steps: Int

    /// What may count, by start and pedometer.
    private let entries: [Entry]

    /// - Parameter tracks: in any order; samples without steps and implausible ones are left out.
    public init(_ tracks: [DayData.Track]) {
        let counted = tracks.map { track in
            track.samples.filter { $0.steps > 0 && $0.isPlausible }.map { Entry(pedometer: track.pedometer, sample: $0) }
        }.filter { !$0.isEmpty }
        entries = counted.joined().sorted { ($0.sample.start, $0.pedometer) < ($1.sample.start, $1.pedometer) }
        // Most days have one track: nothing to decide, and ten years have a quarter of a million samples.
        samples = counted.count == 1 ? entries.map(\.sample) : Self.groups(of: entries).flatMap(\.samples)
        steps = samples.reduce(0) { $0 + $1.steps }
    }

    /// By time; no two overlap.
    public var groups: [Group] { Self.groups(of: entries) }

    private static func groups(of entries: [Entry]) -> [Group] {
        var groups: [Group] = []
        var open: [Entry] = []
        var end: Timestamp?
        for entry in entries {
            if let last = end, entry.sample.start >= last {
                groups.append(decide(open))
                open = []
                end = nil
            }
            open.append(entry)
            end = max(end ?? entry.sample.span.end, entry.sample.span.end)
        }
        if !open.isEmpty { groups.append(decide(open)) }
        return groups
    }

    private struct Entry: Hashable {
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
