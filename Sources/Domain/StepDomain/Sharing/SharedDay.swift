/// What is shared of a user's day: its figures and, if a destination requests them, the samples behind them.
public struct SharedDay: Hashable, Sendable {
    /// What one pedometer counted on the day.
    public struct Track: Hashable, Sendable {
        /// The user's name for the pedometer.
        public var pedometer: String
        /// Sorted by start.
        public var samples: [StepSample]
        /// Only for destinations with `ShareTraits.includesEvidence`.
        public var evidence: Evidence?

        public init(pedometer: String, samples: [StepSample], evidence: Evidence? = nil) {
            self.pedometer = pedometer
            self.samples = samples
            self.evidence = evidence
        }
    }

    public let summary: DaySummary
    /// Empty if only the figures are shared.
    public let tracks: [Track]
    public let steps: Int
    /// Whether the user has deleted the day, and syncs and imports leave it out.
    public var isClosed = false
    /// Only for destinations with `ShareTraits.includesPerson`. Not part of the fingerprint: a new profile goes there
    /// with the next day.
    public var person: SharedPerson?
    /// Seconds east of Greenwich at the place of the day. Not part of the fingerprint: days are not sent again because
    /// of it.
    public let utcOffset: Int
    /// When the day's last sample begins; nil without samples. Not part of the fingerprint either.
    public let lastSample: Timestamp?

    /// Nil if nothing is known of the day: unknown steps are not shared, and never as zero.
    ///
    /// - Parameters:
    ///   - lastSample: nil for that of the tracks.
    ///   - isDeleted: whether the user has deleted the day. A destination that has it gets 0 steps in their place.
    public init?(
        _ summary: DaySummary, tracks: [Track] = [], utcOffset: Int = 0, lastSample: Timestamp? = nil,
        isDeleted: Bool = false
    ) {
        guard let steps = summary.steps ?? (isDeleted ? 0 : nil) else { return nil }
        self.lastSample = lastSample ?? tracks.compactMap(\.samples.last?.start).max()
        self.summary = summary
        self.tracks = tracks
        self.steps = steps
        self.utcOffset = utcOffset
    }

    /// Calculates a shared day from all that is known of the day. The UTC offset is that of its first sample. A day
    /// without samples was entered by hand: its offset is that of this machine when the day began.
    public init?(
        _ data: DayData, localTime: LocalTime, now: Timestamp, includesSamples: Bool, includesEvidence: Bool = false
    ) {
        let first = data.tracks.compactMap(\.samples.first).min { $0.start < $1.start }
        self.init(
            DaySummary(data, localTime: localTime, now: now),
            tracks: includesSamples
                ? data.tracks.map {
                    Track(
                        pedometer: $0.name, samples: $0.samples,
                        evidence: includesEvidence ? Track.Evidence($0, of: data.day) : nil)
                } : [],
            utcOffset: first?.utcOffset ?? localTime.utcOffset(localTime.moment(data.day)),
            lastSample: data.tracks.compactMap(\.samples.last?.start).max(), isDeleted: data.deletion != nil)
        isClosed = data.deletion?.isClosed ?? false
    }

    /// Whether it stands for a day that was deleted.
    public var isDeletion: Bool { summary.steps == nil }

    public var user: User { summary.user }
    public var day: Day { summary.day }
    /// Whole metres: no step length is known more precisely.
    public var metres: Int? { summary.distance.flatMap(whole) }
    /// Whole kilocalories above rest.
    public var kilocalories: Int? { summary.energy.flatMap(whole) }
    /// Per cent of the goal, to one decimal.
    public var percentage: Double? { summary.percentage.map { ($0 * 10).rounded() / 10 } }

    private func whole(_ figure: Double) -> Int? { Int(exactly: figure.rounded()) }

    /// Equal for equal content, and different if any figure differs: istep uses it to determine whether a server has
    /// the latest.
    ///
    /// Histories store this value: a change to the text from which it is calculated makes istep share every day again.
    public var fingerprint: String {
        var text = Fingerprint()
        text.add("steps", steps)
        text.add("metres", metres)
        text.add("kilocalories", kilocalories)
        text.add("goal", summary.goal)
        text.add("rest", summary.isRestDay)
        text.add("completeness", summary.completeness.rawValue)
        text.add("running", summary.isInProgress)
        text.add("corrected", summary.isCorrected)
        // Also if it takes no steps: where several histories are merged, another one may have steps in it.
        for excluded in summary.excluded {
            text.add("excluded", "\(excluded.exclusion.span.start.seconds)/\(excluded.exclusion.span.end.seconds)")
        }
        for track in tracks {
            text.add("pedometer", track.pedometer)
            for sample in track.samples {
                text.add("sample", "\(sample.start.seconds)/\(sample.length)/\(sample.steps)/\(sample.utcOffset)")
                text.add("metres", sample.distance)
                text.add("kilocalories", sample.energy)
            }
            track.evidence?.add(to: &text)
        }
        return text.description
    }
}

/// FNV-1a of 128 bits (draft-eastlake-fnv): it distinguishes contents, but keeps nothing secret.
struct Fingerprint: CustomStringConvertible {
    private var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
    private static let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013b

    mutating func add(_ name: String, _ value: (some CustomStringConvertible)?) {
        // Unit separators, so that no two lists of values give the same text.
        for byte in "\(name)\u{1f}\(value.map { "\($0)" } ?? "")\u{1e}".utf8 {
            hash = (hash ^ UInt128(byte)) &* Self.prime
        }
    }

    /// 32 hexadecimal digits.
    var description: String {
        // In two halves: the standard library converts only 64-bit numbers to digits fast.
        [UInt64(hash >> 64), UInt64(truncatingIfNeeded: hash)].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
