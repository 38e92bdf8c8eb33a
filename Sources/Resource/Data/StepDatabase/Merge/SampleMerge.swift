import GRDB
public import StepDomain

extension StepDatabase {
    public func merge(
        _ batch: SampleBatch, sync: SyncRecord.ID, place: LocalTime
    ) throws(HistoryError) -> MergeCounts {
        try writeManyRows { database in
            let row = try Row.fetchOne(
                database.cachedStatement(
                    sql: """
                        SELECT pedometer, person, EXISTS (
                            SELECT 1 FROM pedometer AS other WHERE other.address = pedometer.address AND other.person <> pedometer.person)
                        FROM sync JOIN pedometer ON pedometer.id = pedometer WHERE sync.id = ?
                        """),
                arguments: [sync])
            guard let row else { throw HistoryError.notFound(.sync, id: sync) }
            let (pedometer, person, hadOtherOwner): (Pedometer.ID, User.ID, Bool) = (row[0], row[1], row[2])
            let own = try hadOtherOwner ? PassedOn(pedometer, database).own(batch) : batch

            var changed = ChangedDays()
            var counts = try SampleMerge(database, pedometer: pedometer, sync: sync).merge(own.samples, &changed)
            try CoverageMerge(database, pedometer: pedometer).merge(own.coverage, place: place, &changed)
            try changed.store(of: person, database)
            if let total = batch.deviceTotal { try keep(total, of: pedometer, database) }
            counts.frames = batch.frames.count
            try keep(batch.frames, of: sync, database)
            if let cursor = batch.cursor {
                try database.cachedStatement(sql: "UPDATE pedometer SET cursor = ? WHERE id = ?")
                    .execute(arguments: [try json(cursor), pedometer])
            }
            try sum(counts, in: sync, database)
            return counts
        }
    }

    private func keep(_ frames: [RawFrame], of sync: SyncRecord.ID, _ database: Database) throws {
        let insert = try RawInsert(database, "INSERT INTO frame (sync, at, direction, bytes) VALUES (?, ?, ?, ?)")
        try insert.bind(1, sync)
        for frame in frames {
            try insert.bind(2, Int64(frame.at.seconds))
            try insert.bind(3, frame.direction.rawValue)
            try insert.bind(4, frame.bytes)
            _ = try insert.run()
        }
    }

    /// The last of a day counts. One that no pedometer can have sent is left out: the frames have it.
    private func keep(_ total: DeviceTotal, of pedometer: Pedometer.ID, _ database: Database) throws {
        guard DeviceTotal.range.contains(total.total), DeviceTotal.range.contains(total.slots), total.day == total.day.inCalendar else {
            return
        }
        try database.cachedStatement(
            sql: """
                INSERT INTO device_total VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET at = excluded.at, total = excluded.total, slots = excluded.slots
                """
        ).execute(arguments: [pedometer, total.day.description, total.at.seconds, total.total, total.slots])
    }

    private func sum(_ counts: MergeCounts, in sync: SyncRecord.ID, _ database: Database) throws {
        try database.cachedStatement(
            sql: """
                UPDATE sync SET added = added + ?, grown = grown + ?, unchanged = unchanged + ?,
                implausible = implausible + ?, steps = steps + ?, frames = frames + ? WHERE id = ?
                """
        ).execute(arguments: [
            counts.added, counts.grown, counts.unchanged, counts.implausible, counts.steps, counts.frames, sync,
        ])
    }
}

/// Merges samples of one pedometer, slot by slot.
///
/// A new slot is inserted, and a slot with more steps replaces the stored one. If the steps are equal, the latest length, distance and
/// energy are kept, but a missing figure never replaces a known one. If nothing would change, nothing is written. The UTC offset stays as
/// it was first recorded: another one would move past steps to another day.
struct SampleMerge {
    private let pedometer: Pedometer.ID
    private let sync: SyncRecord.ID
    private let insert: SampleInsert
    private let select: Statement
    private let update: Statement
    private let database: Database

    init(_ database: Database, pedometer: Pedometer.ID, sync: SyncRecord.ID) throws {
        self.database = database
        self.pedometer = pedometer
        self.sync = sync
        // Most slots are new, so an insert is tried before a lookup.
        insert = try SampleInsert(database, pedometer: pedometer, sync: sync)
        select = try database.cachedStatement(
            sql: "SELECT steps, length, distance, energy, utc_offset FROM sample WHERE pedometer = ? AND start = ?")
        update = try database.cachedStatement(
            sql: """
                UPDATE sample SET steps = ?, length = ?, distance = ?, energy = ?, sync = ?
                WHERE pedometer = ? AND start = ?
                """)
    }

    /// - Parameter changed: receives the days of everything that is written.
    func merge(_ samples: [StepSample], _ changed: inout ChangedDays) throws -> MergeCounts {
        var counts = MergeCounts()
        for sample in samples where sample.countsInHistory { try merge(sample.withPlausibleFigures, &counts, &changed) }
        try ImplausibleSampleMerge(database, pedometer: pedometer, sync: sync).merge(samples)
        counts.implausible = samples.count { !$0.countsInHistory }
        return counts
    }

    private func merge(_ sample: StepSample, _ counts: inout MergeCounts, _ changed: inout ChangedDays) throws {
        if try insert.run(sample) {
            counts.added += 1
            counts.steps += sample.steps
            changed.insert(sample.day)
            return
        }
        guard let known = try Row.fetchOne(select, arguments: [pedometer, sample.start.seconds]) else { return }
        let (steps, length): (Int, Int) = (known[0], known[1])
        let (distance, energy): (Double?, Double?) = (known[2], known[3])
        let day = Day(of: sample.start, utcOffset: known[4])
        if sample.steps > steps {
            counts.grown += 1
            counts.steps += sample.steps - steps
            changed.insert(day)
            try replace(with: sample)
            return
        }
        counts.unchanged += 1
        guard sample.steps == steps else { return }
        var latest = sample
        latest.distance = sample.distance ?? distance
        latest.energy = sample.energy ?? energy
        if (latest.length, latest.distance, latest.energy) != (length, distance, energy) {
            changed.insert(day)
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
    /// Plausible, and of a time and length that a history can hold. Checked in this order: a length out of range would overflow the
    /// plausibility calculation.
    var countsInHistory: Bool {
        (0...Timestamp.last.seconds).contains(start.seconds) && (1...Self.mostSeconds).contains(length)
            && (-Self.mostUTCOffset...Self.mostUTCOffset).contains(utcOffset) && isPlausible
    }

    /// A year of 366 days: a counter may go unread for long, but not longer.
    static let mostSeconds = 366 * 86_400
    /// UTC offsets of clocks do not exceed 14 hours (Kiribati).
    static let mostUTCOffset = 14 * 3600

    /// The sample without a distance or energy that is not a valid number of metres or kilocalories.
    fileprivate var withPlausibleFigures: StepSample {
        var sample = self
        if let distance, !(distance >= 0 && distance.isFinite) { sample.distance = nil }
        if let energy, !(energy >= 0 && energy.isFinite) { sample.energy = nil }
        return sample
    }
}

extension Timestamp {
    /// The last second of the year 9999, the last that a `Day` can name.
    static let last = Timestamp(253_402_300_799)
}

/// Inserts samples of slots that the history does not have.
struct SampleInsert {
    private let insert: RawInsert

    init(_ database: Database, pedometer: Pedometer.ID, sync: SyncRecord.ID) throws {
        insert = try RawInsert(database, "INSERT INTO sample VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
        try insert.bind(1, pedometer)
        try insert.bind(8, sync)
    }

    /// - Returns: whether the slot was new.
    func run(_ sample: StepSample) throws -> Bool {
        try insert.bind(2, Int64(sample.start.seconds))
        try insert.bind(3, Int64(sample.length))
        try insert.bind(4, Int64(sample.steps))
        try insert.bind(5, sample.distance)
        try insert.bind(6, sample.energy)
        try insert.bind(7, Int64(sample.utcOffset))
        return try insert.run()
    }
}
