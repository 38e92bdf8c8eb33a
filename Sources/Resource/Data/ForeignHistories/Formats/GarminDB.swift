import StepDomain

/// `garmin_monitoring.db` of GarminDB (https://github.com/tcgoetz/GarminDB): counters of the day for each type of
/// activity, in local time.
struct GarminDBReader: FormatReader {
    let format = ForeignFormat(key: "garmindb", title: "GarminDB", files: "garmin_monitoring.db, or the folder with it")

    func files(of tree: FileTree) throws(ImportError) -> [ForeignFile] {
        try tree.databases(with: ["monitoring": ["timestamp", "activity_type", "steps"]])
    }

    func read(_ files: [ForeignFile], of tree: FileTree, into collector: ForeignCollector) throws(ImportError) {
        let track = try collector.track(ForeignSource(identity: "garmindb", name: "Garmin"), repetition: .added)
        for file in files {
            // GarminDB makes views itself; they are not read.
            let database = try file.database(allowingCode: true), path = file.path
            var counters = DayCounters(collector.localTime)
            try database.rows(
                "SELECT timestamp, activity_type, steps FROM monitoring WHERE steps IS NOT NULL ORDER BY timestamp, activity_type"
            ) { row throws(ImportError) in
                guard let time = row.text(0).writtenTime, let clock = time.clock, let steps = row.integer(2) else {
                    throw .malformed(path: path, reason: "a row of monitoring has no time or steps")
                }
                let moment = collector.localTime.moment(time.day, seconds: clock)
                try counters.add(steps, of: row.text(1), at: moment, collector, track)
            }
            try counters.finish(collector, track)
        }
    }
}

/// Counters that begin with each day, one for each type of activity: their growth becomes samples, the types of one
/// moment together.
struct DayCounters {
    private let localTime: LocalTime
    private var day: Day?
    private var counts: [String: Int] = [:]
    private var last: Timestamp?
    private var moment: Timestamp?
    private var grown = 0

    init(_ localTime: LocalTime) { self.localTime = localTime }

    /// A reading; not before the one before.
    mutating func add(
        _ value: Int, of type: String, at moment: Timestamp, _ collector: ForeignCollector, _ track: TrackBuilder
    ) throws(ImportError) {
        // The reading at midnight closes the day before.
        let day = localTime.day(of: moment - 1)
        guard (0...10_000_000).contains(value) else {
            return try collector.refuse("a counter of \(value) steps on \(day)")
        }
        if moment != self.moment || day != self.day { try finish(collector, track) }
        if day != self.day {
            self.day = day
            counts = [:]
            // What a counter has at its first reading was made since midnight.
            last = localTime.moment(day)
        }
        self.moment = moment
        let before = counts[type] ?? 0
        if value > before { grown += value - before }
        counts[type] = max(before, value)
    }

    /// Stores the growth up to the last reading.
    mutating func finish(_ collector: ForeignCollector, _ track: TrackBuilder) throws(ImportError) {
        guard let moment, let last else { return }
        if grown > 0 {
            // At midnight itself, and twice in one moment.
            let length = max(moment - last, StepSample.minimumLength(for: grown))
            let start = moment > last ? last : moment - length
            try collector.add(
                StepSample(start: start, length: length, steps: grown, utcOffset: localTime.utcOffset(start)), to: track
            )
        }
        self.last = max(last, moment)
        self.moment = nil
        grown = 0
    }
}
