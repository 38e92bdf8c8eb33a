/// What is shared of a user's day: its figures, and where a destination wants them, the samples behind them.
public struct SharedDay: Hashable, Sendable {
    /// What one pedometer counted on the day.
    public struct Track: Hashable, Sendable {
        /// The user's name for the pedometer.
        public var pedometer: String
        /// Sorted by start.
        public var samples: [StepSample]

        public init(pedometer: String, samples: [StepSample]) {
            self.pedometer = pedometer
            self.samples = samples
        }
    }

    public let summary: DaySummary
    /// Empty where only the figures are shared.
    public let tracks: [Track]
    public let steps: Int

    /// Nil where nothing is known of the day: what is not known is not shared, least of all as zero.
    public init?(_ summary: DaySummary, tracks: [Track] = []) {
        guard let steps = summary.steps else { return nil }
        self.summary = summary
        self.tracks = tracks
        self.steps = steps
    }

    public var user: User { summary.user }
    public var day: Day { summary.day }
    /// Whole metres: no step length is known better.
    public var metres: Int? { summary.distance.flatMap(whole) }
    /// Whole kilocalories above rest.
    public var kilocalories: Int? { summary.energy.flatMap(whole) }
    /// Per cent of the goal, to one decimal.
    public var percentage: Double? { summary.percentage.map { ($0 * 10).rounded() / 10 } }

    private func whole(_ figure: Double) -> Int? { Int(exactly: figure.rounded()) }

    /// Equal for equal content, and different for any figure that differs: by it istep knows whether a server has the latest.
    ///
    /// The text behind it is part of what histories keep: whoever changes it has every day shared anew.
    public var fingerprint: String {
        var text = Fingerprint()
        text.add("steps", steps)
        text.add("metres", metres)
        text.add("kilocalories", kilocalories)
        text.add("goal", summary.goal)
        text.add("rest", summary.isRestDay)
        text.add("completeness", summary.completeness.rawValue)
        text.add("running", summary.isRunning)
        text.add("corrected", summary.isCorrected)
        for track in tracks {
            text.add("pedometer", track.pedometer)
            for sample in track.samples {
                text.add("sample", "\(sample.start.seconds)/\(sample.length)/\(sample.steps)/\(sample.utcOffset)")
                text.add("metres", sample.distance)
                text.add("kilocalories", sample.energy)
            }
        }
        return text.description
    }
}

/// FNV-1a of 128 bits (draft-eastlake-fnv): tells contents apart; it keeps nothing secret.
struct Fingerprint: CustomStringConvertible {
    private var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
    private static let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013b

    mutating func add(_ name: String, _ value: (some CustomStringConvertible)?) {
        // Unit separators, so that no two lists of values read the same.
        for byte in "\(name)\u{1f}\(value.map { "\($0)" } ?? "")\u{1e}".utf8 { hash = (hash ^ UInt128(byte)) &* Self.prime }
    }

    /// 32 hexadecimal digits.
    var description: String {
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}
