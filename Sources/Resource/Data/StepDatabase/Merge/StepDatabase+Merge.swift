import GRDB
public import StepDomain

/// Merges what a sync has read into the history.
extension StepDatabase {
    public func merge(
        _ batch: SampleBatch, sync: SyncRecord.ID, localTime: LocalTime
    ) throws(HistoryError) -> MergeCounts {
        try writeManyRows { database in
            let isRegisteredLater = schema.hasDeletions ? " OR counts_from IS NOT NULL" : ""
            let row = try Row.fetchOne(
                database.cachedStatement(
                    sql: """
                        SELECT pedometer, person, EXISTS (
                            SELECT 1 FROM pedometer AS other WHERE other.address = pedometer.address AND other.person <> pedometer.person)
                            \(isRegisteredLater)
                        FROM sync JOIN pedometer ON pedometer.id = pedometer WHERE sync.id = ?
                        """),
                arguments: [sync])
            guard let row else { throw HistoryError.notFound(.sync, id: sync) }
            let (pedometer, person, hadOtherOwner): (Pedometer.ID, User.ID, Bool) = (
                try row.get(0), try row.get(1), try row.get(2)
            )
            let deleted = try schema.hasDeletions ? DeletedDays(of: person, database) : nil
            let previous = try hadOtherOwner ? PreviousOwner(pedometer, of: person, database, schema) : nil
            let ofUser = previous?.own(batch) ?? batch
            let own = deleted?.admitted(ofUser) ?? ofUser

            var changed = ChangedDays()
            var merge = try SampleMerge(database, pedometer: pedometer, sync: sync, isSealed: schema.hasSeals)
            var counts = try merge.merge(own.samples, &changed)
            try CoverageMerge(database, pedometer: pedometer, except: deleted?.days).merge(
                own.coverage, localTime: localTime, &changed)
            try changed.store(of: person, database)
            if let total = own.deviceTotal { try keep(total, of: pedometer, database) }
            counts.frames = own.frames.count
            try keep(own.frames, of: sync, database)
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

    /// Stores a total; the last one of a day counts. A total that no pedometer can have sent is left out; the frames
    /// contain it.
    private func keep(_ total: DeviceTotal, of pedometer: Pedometer.ID, _ database: Database) throws {
        guard DeviceTotal.range.contains(total.total), DeviceTotal.range.contains(total.slots),
            total.day == total.day.inCalendar
        else {
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

/// Leaves out of a batch what belongs to the previous owner of the pedometer, which may still report it.
struct PreviousOwner {
    /// The end of what was stored for others; nil if nothing was.
    private let end: Timestamp?

    /// The end is that of the last sample or span, but not later than the last sync: a clock that was ahead can have
    /// stored future times, and those do not belong to anybody yet.
    ///
    /// Days that the user has given to somebody else (`DayMove`) are noted as deleted, also after they are readmitted:
    /// they say nothing about the days before them.
    init(_ pedometer: Pedometer.ID, of user: User.ID, _ database: Database, _ schema: Schema) throws {
        let closed = schema.hasDeletions ? "SELECT day FROM deleted_day WHERE person = \(user)" : nil
        let others = try Int.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT max(\(Self.end(of: "other", exceptDays: closed)))
                    FROM pedometer AS own JOIN pedometer AS other ON other.address = own.address AND other.person <> own.person
                    WHERE own.id = ?
                    """),
            arguments: [pedometer])
        let deleted =
            try schema.hasDeletions
            ? Int.fetchOne(
                database.cachedStatement(sql: "SELECT counts_from FROM pedometer WHERE id = ?"), arguments: [pedometer])
            : nil
        end = [others, deleted].compactMap(\.self).max().map { Timestamp($0) }
    }

    /// As SQL, the end of what was stored for a row of `pedometer`.
    ///
    /// - Parameter days: what was stored for these does not count: a query of days.
    static func end(of row: String, exceptDays days: String? = nil) -> String {
        func outside(_ moment: String) -> String {
            days.map { "AND date(\(moment) + utc_offset, 'unixepoch') NOT IN (\($0))" } ?? ""
        }
        return """
            min(max(
                ifnull((SELECT start + length FROM sample WHERE pedometer = \(row).id \(outside("start"))
                    ORDER BY start DESC LIMIT 1), 0),
                ifnull((SELECT until FROM coverage WHERE pedometer = \(row).id \(outside("until - 1"))
                    ORDER BY start DESC LIMIT 1), 0)),
                ifnull((SELECT ifnull(ended_at, started_at) FROM sync WHERE pedometer = \(row).id ORDER BY started_at DESC LIMIT 1), 0))
            """
    }

    /// Whether a sample that begins then is left out.
    func has(_ start: Timestamp) -> Bool { end.map { start < $0 } ?? false }

    /// The batch without what belongs to others. Its raw frames stay, because they are the record of what was received.
    func own(_ batch: SampleBatch) -> SampleBatch {
        guard let end else { return batch }
        var own = batch
        own.samples.removeAll { has($0.start) }
        own.coverage = batch.coverage.filter { $0.end > end }.map { TimeSpan(max($0.start, end), $0.end) }
        return own
    }
}
