public import StepDomain

/// Where the figures of a day come from: which pedometers, what they recorded, what of it counts and why, and the syncs
/// that brought it.
public struct DayProvenance: Hashable, Sendable {
    /// A sample, and whether it counts.
    public struct Slot: Hashable, Sendable {
        public enum State: String, CaseIterable, Sendable {
            case counted
            /// Another pedometer recorded the same time, and has more steps.
            case other
            /// It is stored separately.
            case implausible
            /// The user has excluded the time.
            case excluded
        }

        public var sample: StepSample
        public var state: State
    }

    public struct Source: Hashable, Sendable {
        public var name: String
        /// Whether it is a source of imports: its `syncs` are imports then.
        public var isImported: Bool
        /// What it recorded on the day, and how much of that counts: where two pedometers recorded the same minutes,
        /// the greater counts.
        public var recorded: Int
        public var counted: Int
        /// Samples that are stored separately, because they are implausible.
        public var implausible: Int
        /// Samples with steps, by start.
        public var slots: [Slot]
        /// The syncs that stored its present values.
        public var syncs: [DaySync]
        /// The first complete sync after the day; nil if there was none, or if it was too long ago to be looked up.
        public var completedBy: Timestamp?
        /// Whether `completedBy` was looked up.
        public var isLookedUp: Bool
    }

    public var sources: [Source]
    /// By which the distance is calculated; nil if it is the pedometer's.
    public var stepLength: StepLength?
}

extension DayProvenance {
    /// - Throws: the history's error.
    public init(of data: DayData, in history: any StepHistory, localTime: LocalTime) throws {
        stepLength = StepLength(data.profile)
        let merged = MergedTracks(data.tracks)
        var counted: [Pedometer.ID: [StepSample]] = [:]
        for group in merged.groups { counted[group.winner, default: []] += group.samples }
        let end = localTime.span(of: data.day).end
        let stored = Dictionary(grouping: try history.syncs(behind: data.day, of: data.user), by: \.pedometer)
        sources = try data.tracks.map { track in
            let syncs = try history.syncs(of: track.pedometer, limit: Self.examined)
            // Newest first. If the last of them is later than the day, an earlier one may have completed it.
            let later = syncs.filter { $0.outcome == .complete && ($0.end ?? $0.start) >= end }
            let isCertain = syncs.count < Self.examined || syncs.last.map { $0.start < end } ?? false
            let own = counted[track.pedometer] ?? []
            return Source(
                name: track.name, isImported: track.isImported,
                recorded: (track.samples + track.excluded).filter(\.isPlausible).reduce(0) { $0 + $1.steps },
                counted: own.reduce(0) { $0 + $1.steps },
                implausible: track.implausible.reduce(0) { $0 + $1.steps }, slots: Self.slots(track, counted: own),
                syncs: stored[track.pedometer] ?? [],
                completedBy: isCertain ? later.last.flatMap { $0.end ?? $0.start } : nil, isLookedUp: isCertain)
        }
    }

    private static func slots(_ track: DayData.Track, counted: [StepSample]) -> [Slot] {
        let counted = Set(counted.map(\.start))
        let recorded = track.samples.map { sample in
            Slot(
                sample: sample,
                state: !sample.isPlausible ? .implausible : counted.contains(sample.start) ? .counted : .other)
        }
        return
            (recorded + track.excluded.map { Slot(sample: $0, state: .excluded) }
            + track.implausible.map { Slot(sample: $0, state: .implausible) })
            .filter { $0.sample.steps > 0 }.sorted { $0.sample.start < $1.sample.start }
    }

    /// Syncs that are searched for the one that completed a day: about a year of nights.
    private static let examined = 400
}
