import GRDB
import StepDomain

/// Merges samples of one pedometer, slot by slot.
///
/// A new slot is inserted, and a slot with more steps replaces the stored one. If the steps are equal, the latest
/// length, distance and energy are kept, but a missing figure never replaces a known one. If nothing would change,
/// nothing is written. The UTC offset stays as it was first recorded: another one would move past steps to another day.
struct SampleMerge {
    private let pedometer: Pedometer.ID
    private let sync: SyncRecord.ID
    private var insert: SampleInsert
    private let select: Statement
    private let update: Statement
    private let database: Database

    /// - Parameter isSealed: whether the history has checksums.
    init(_ database: Database, pedometer: Pedometer.ID, sync: SyncRecord.ID, isSealed: Bool) throws {
        self.database = database
        self.pedometer = pedometer
        self.sync = sync
        // Most slots are new, so an insert is tried before a lookup.
        insert = try SampleInsert(
            database, pedometer: pedometer, sync: sync, bypass: isSealed ? .mark : .none)
        select = try database.cachedStatement(
            sql: "SELECT steps, length, distance, energy, utc_offset FROM sample WHERE pedometer = ? AND start = ?")
        update = try database.cachedStatement(
            sql: """
                UPDATE sample SET steps = ?, length = ?, distance = ?, energy = ?, sync = ?
                WHERE pedometer = ? AND start = ?
                """)
    }

    /// - Parameter changed: receives the days of everything that is written.
    mutating func merge(_ samples: [StepSample], _ changed: inout ChangedDays) throws -> MergeCounts {
        var counts = MergeCounts()
        if !samples.isEmpty {
            let plausible = samples.lazy.filter(\.countsInHistory).map(\.withPlausibleFigures)
            for known in try added(plausible, &counts, &changed) { try update(known, &counts, &changed) }
        }
        try ImplausibleSampleMerge(database, pedometer: pedometer, sync: sync).merge(samples)
        counts.implausible = samples.count { !$0.countsInHistory }
        return counts
    }

    /// Inserts new slots.
    ///
    /// - Returns: the samples of the others.
    private mutating func added(
        _ samples: some Sequence<StepSample>, _ counts: inout MergeCounts, _ changed: inout ChangedDays
    ) throws -> [StepSample] {
        var known: [StepSample] = []
        try insert.begin()
        for sample in samples {
            if try insert.run(sample) {
                counts.added += 1
                counts.steps += sample.steps
                changed.insert(sample.day)
            } else {
                known.append(sample)
            }
        }
        try insert.end()
        return known
    }

    private func update(_ sample: StepSample, _ counts: inout MergeCounts, _ changed: inout ChangedDays) throws {
        guard let row = try Row.fetchOne(select, arguments: [pedometer, sample.start.seconds]) else { return }
        let known = StepSample(
            start: sample.start, length: try row.get(1), steps: try row.get(0), distance: try row.get(2),
            energy: try row.get(3),
            utcOffset: try row.get(4))
        guard known.countsInHistory else { throw notWritten("the sample \(known)") }
        if sample.steps > known.steps {
            counts.grown += 1
            counts.steps += sample.steps - known.steps
            changed.insert(known.day)
            try replace(with: sample)
            return
        }
        counts.unchanged += 1
        guard sample.steps == known.steps else { return }
        var latest = sample
        latest.distance = sample.distance ?? known.distance
        latest.energy = sample.energy ?? known.energy
        if (latest.length, latest.distance, latest.energy) != (known.length, known.distance, known.energy) {
            changed.insert(known.day)
            try replace(with: latest)
        }
    }

    private func replace(with sample: StepSample) throws {
        try update.execute(arguments: [
            sample.steps, sample.length, sample.distance, sample.energy, sync, pedometer, sample.start.seconds,
        ])
    }
}

extension StepSample {
    /// Plausible, and of a time and length that a history can hold. Checked in this order: a length out of range would
    /// overflow the plausibility calculation.
    var countsInHistory: Bool {
        Self.starts.contains(start.seconds) && (1...Self.maximumSeconds).contains(length)
            && Self.utcOffsets.contains(utcOffset) && isPlausible
    }

    /// A year of 366 days: a counter may go unread for long, but not longer.
    static let maximumSeconds = 366 * 86_400
    /// Seconds since 1970.
    static var starts: ClosedRange<Int> { 0...Timestamp.last.seconds }
    /// Days of UTC since 1970.
    static var startDays: ClosedRange<Int> { 0...Timestamp.last.seconds / 86_400 }

    /// Whether a row of `sample` is of a pedometer and on days: ?1 is the pedometer, ?2 the first local second of the
    /// days, and ?3 the last one. The limits of `start` keep SQLite from reading all samples of the pedometer.
    static let isOnDays = """
        pedometer = ?1 AND start BETWEEN ?2 - \(maximumUTCOffset) AND ?3 + \(maximumUTCOffset)
        AND start + utc_offset BETWEEN ?2 AND ?3
        """

    /// The sample without a distance or energy that is not a valid number of metres or kilocalories.
    fileprivate var withPlausibleFigures: StepSample {
        var sample = self
        if let distance, !(distance >= 0 && distance.isFinite) { sample.distance = nil }
        if let energy, !(energy >= 0 && energy.isFinite) { sample.energy = nil }
        return sample
    }
}

/// Stores implausible samples of one pedometer separately, so that an implausible value never replaces a good one.
///
/// A slot that later gets a good value is no longer implausible.
struct ImplausibleSampleMerge {
    private let database: Database
    private let pedometer: Pedometer.ID
    private let sync: SyncRecord.ID

    init(_ database: Database, pedometer: Pedometer.ID, sync: SyncRecord.ID) {
        self.database = database
        self.pedometer = pedometer
        self.sync = sync
    }

    func merge(_ samples: [StepSample]) throws {
        let starts = samples.lazy.map(\.start.seconds)
        guard let first = starts.min(), let last = starts.max() else { return }
        let kept = try Set(
            Int.fetchAll(
                database.cachedStatement(
                    sql: "SELECT start FROM implausible_sample WHERE pedometer = ? AND start BETWEEN ? AND ?"),
                arguments: [pedometer, first, last]))
        if !kept.isEmpty {
            for sample in samples where sample.countsInHistory && kept.contains(sample.start.seconds) {
                try database.execute(
                    sql: "DELETE FROM implausible_sample WHERE pedometer = ? AND start = ?",
                    arguments: [pedometer, sample.start.seconds])
            }
        }
        for sample in samples where !sample.countsInHistory {
            // The first occurrence is kept, unless the value has changed.
            try database.execute(
                sql: """
                    INSERT INTO implausible_sample VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
                    SET length = excluded.length, steps = excluded.steps, distance = excluded.distance,
                        energy = excluded.energy, utc_offset = excluded.utc_offset, sync = excluded.sync
                    WHERE (length, steps, utc_offset) <> (excluded.length, excluded.steps, excluded.utc_offset)
                    """,
                arguments: [
                    pedometer, sample.start.seconds, sample.length, sample.steps, sample.distance, sample.energy,
                    sample.utcOffset, sync,
                ])
        }
    }
}
