import GRDB
public import StepDomain

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

    public func syncs(of pedometer: Pedometer.ID, limit: Int) throws(HistoryError) -> [SyncRecord] {
        try read { database in
            try Row.fetchAll(
                database, sql: SyncRecord.query + " WHERE pedometer = ? ORDER BY started_at DESC, id DESC LIMIT ?",
                arguments: [pedometer, max(0, limit)]
            ).map(SyncRecord.init)
        }
    }

    public func lastCompleteSync(of pedometer: Pedometer.ID, until moment: Timestamp) throws(HistoryError) -> SyncRecord? {
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
    fileprivate static let query = """
        SELECT id, pedometer, started_at, ended_at, outcome, battery, failure,
            added, grown, unchanged, implausible, steps, frames, cause
        FROM sync
        """

    fileprivate init(row: Row) throws {
        self.init(
            id: row[0], pedometer: row[1], start: Timestamp(row[2]), end: (row[3] as Int?).map(Timestamp.init),
            outcome: Outcome(rawValue: row[4]) ?? .failed, battery: row[5],
            counts: MergeCounts(
                added: row[7], grown: row[8], unchanged: row[9], implausible: row[10], steps: row[11], frames: row[12]),
            failure: row[6], cause: (row[13] as String?).flatMap(FailureCause.init))
    }
}
