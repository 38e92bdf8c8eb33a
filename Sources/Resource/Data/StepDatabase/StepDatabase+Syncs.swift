import GRDB
public import StepDomain

/// The records of syncs, and their raw frames.
extension StepDatabase {
    public func beginSync(of pedometer: Pedometer.ID, at start: Timestamp) throws(HistoryError) -> SyncRecord.ID {
        try write { database in
            try require(.pedometer, pedometer, database)
            try database.execute(
                sql: "INSERT INTO sync (pedometer, started_at) VALUES (?, ?)", arguments: [pedometer, start.seconds])
            return database.lastInsertedRowID
        }
    }

    public func endSync(
        _ id: SyncRecord.ID, at end: Timestamp, outcome: SyncRecord.Outcome, battery: Int?, failure: String?,
        cause: FailureCause?
    ) throws(HistoryError) {
        try write { database in
            try database.execute(
                sql: "UPDATE sync SET ended_at = ?, outcome = ?, battery = ?, failure = ?, cause = ? WHERE id = ?",
                arguments: [end.seconds, outcome.rawValue, battery, failure, cause?.rawValue, id])
            if database.changesCount == 0 { throw HistoryError.notFound(.sync, id: id) }
        }
    }

    public func syncs(of pedometer: Pedometer.ID, until moment: Timestamp?, limit: Int) throws(HistoryError)
        -> [SyncRecord]
    {
        try read { database in
            try Row.fetchAll(
                database,
                sql: SyncRecord.query
                    + " WHERE pedometer = ? AND started_at <= ? ORDER BY started_at DESC, id DESC LIMIT ?",
                arguments: [pedometer, moment?.seconds ?? .max, max(0, limit)]
            ).map(SyncRecord.init)
        }
    }

    public func lastCompleteSync(of pedometer: Pedometer.ID, until moment: Timestamp) throws(HistoryError)
        -> SyncRecord?
    {
        try read { database in
            try Row.fetchOne(
                database,
                sql: SyncRecord.query
                    + " WHERE pedometer = ? AND outcome = 'complete' AND ended_at <= ? ORDER BY ended_at DESC, id DESC LIMIT 1",
                arguments: [pedometer, moment.seconds]
            ).map(SyncRecord.init)
        }
    }
}

extension SyncRecord {
    static let query = """
        SELECT id, pedometer, started_at, ended_at, outcome, battery, failure,
            added, grown, unchanged, implausible, steps, frames, cause
        FROM sync
        """

    init(row: Row) throws {
        self.init(
            id: try row.get(0), pedometer: try row.get(1), start: try row.time(2), end: try row.timeIfPresent(3),
            outcome: Outcome(rawValue: try row.get(4)) ?? .failed, battery: try row.get(5),
            counts: MergeCounts(
                added: try row.get(7), grown: try row.get(8), unchanged: try row.get(9), implausible: try row.get(10),
                steps: try row.get(11),
                frames: try row.get(12)),
            failure: try row.get(6), cause: try (row.get(13) as String?).flatMap(FailureCause.init))
    }
}

extension StepDatabase {
    /// Deletes raw frames that are too old or too many; samples stay.
    ///
    /// The file does not shrink: free pages are reused for later data.
    ///
    /// - Returns: the number of syncs whose frames were deleted.
    @discardableResult
    func pruneFrames(_ retention: FrameRetention, at now: Timestamp) throws(HistoryError) -> Int {
        let surplus = try read { database in
            try retention.surplus(syncsWithFrames(retention, at: now, database), at: now)
        }
        for frames in surplus {
            // One transaction for each sync, so that a sync that starts meanwhile does not wait for all of them.
            try write { database in
                try database.cachedStatement(sql: "DELETE FROM frame WHERE sync = ?").execute(arguments: [frames.sync])
            }
        }
        return surplus.count
    }

    /// Bytes of a row of `frame` besides the frame: numbers, direction and the entry in the index.
    private static let overhead = 40
    /// The longest frame that the schema accepts.
    private static let longest = 1024

    private func syncsWithFrames(_ retention: FrameRetention, at now: Timestamp, _ database: Database) throws
        -> [SyncFrames]
    {
        // The index alone gives the counts; the frames themselves are read only if they can exceed the limit.
        let counts = try Row.fetchAll(database, sql: "SELECT sync, count(*) FROM frame GROUP BY sync")
        let mayBeTooMany =
            try counts.reduce(0) { $0 + (try $1.get(1) as Int) } * (Self.longest + Self.overhead) > retention.bytes
        var bytes: [SyncRecord.ID: Int] = [:]
        if mayBeTooMany {
            for row in try Row.fetchAll(
                database, sql: "SELECT sync, sum(length(bytes)) + count(*) * \(Self.overhead) FROM frame GROUP BY sync")
            {
                try bytes[row.get(0)] = row.get(1)
            }
        }
        let isTooMany = bytes.values.reduce(0, +) > retention.bytes
        return try counts.compactMap { row in
            let id: SyncRecord.ID = try row.get(0)
            let sync = try Row.fetchOne(
                database.cachedStatement(sql: "SELECT pedometer, started_at, outcome, cause FROM sync WHERE id = ?"),
                arguments: [id])
            guard let sync else { return nil }
            let start = try sync.time(1), outcome: String = try sync.get(2)
            // A running sync still adds frames.
            if outcome == "running", now - start < SyncRecord.longest { return nil }
            let isCandidate = isTooMany || retention.isTooOld(start, at: now)
            return SyncFrames(
                sync: id, pedometer: try sync.get(0), start: start, bytes: bytes[id] ?? 0,
                doubt: isCandidate ? try doubt(about: id, sync, database) : nil)
        }
    }

    private func doubt(about id: SyncRecord.ID, _ sync: Row, _ database: Database) throws -> SyncFrames.Doubt? {
        let pedometer: Pedometer.ID = try sync.get(0), start = try sync.time(1).seconds,
            outcome: String = try sync.get(2)
        let isImplausible = try Bool.fetchOne(
            database.cachedStatement(
                sql: "SELECT EXISTS (SELECT 1 FROM implausible_sample WHERE pedometer = ? AND sync = ?)"),
            arguments: [pedometer, id])
        if isImplausible == true { return .implausible }
        let cause = try (sync.get(3) as String?).flatMap(FailureCause.init) ?? .other
        if outcome == "failed", cause == .other {
            let isResolved = try Bool.fetchOne(
                database.cachedStatement(
                    sql:
                        "SELECT EXISTS (SELECT 1 FROM sync WHERE pedometer = ? AND outcome = 'complete' AND ended_at > ?)"
                ),
                arguments: [pedometer, start])
            if isResolved != true { return .undecoded }
        }
        // Nothing accounts for the time after the last reading of a counter, so its days are partial although its
        // readings are certain.
        let cursor = try Row.fetchOne(
            database.cachedStatement(sql: "SELECT cursor FROM pedometer WHERE id = ?"), arguments: [pedometer])
        if let cursor, try (value(cursor.get(0)) as PedometerCursor).counter != nil { return nil }
        return try isOnPartialDay(id, pedometer, start, database) ? .partialDay : nil
    }

    /// Whether samples of a sync belong to a day that its pedometer has not accounted for completely.
    private func isOnPartialDay(_ id: SyncRecord.ID, _ pedometer: Pedometer.ID, _ start: Int, _ database: Database)
        throws -> Bool
    {
        // No supported pedometer remembers more than a month.
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT DISTINCT (start + utc_offset) / 86400, utc_offset FROM sample
                    WHERE pedometer = ? AND start BETWEEN ? AND ? AND sync = ?
                    """),
            arguments: [pedometer, start - 31 * 86_400, start + 2 * 86_400, id])
        for row in rows {
            let day: Int = try row.get(0), offset: Int = try row.get(1)
            guard StepSample.utcOffsets.contains(offset) else { throw notWritten("a sample with the offset \(offset)") }
            let midnight = Timestamp(day * 86_400 - offset)
            let span = TimeSpan(midnight, midnight + 86_400)
            let covered = try CoverageMerge.spans(of: pedometer, touching: span, database).map(\.span)
            if !Coverage(covered).gaps(in: span).isEmpty { return true }
        }
        return false
    }
}
