import GRDB
public import StepDomain

/// What became of the imports of the configuration.
extension StepDatabase {
    public func scheduledImports() throws(HistoryError) -> [ScheduledImportState] {
        try read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT name, file, size, modified, read_at, tried_at, settings, failure, damaged
                    FROM scheduled_import ORDER BY name
                    """
            ).map { row in
                let path: String? = try row.get(1)
                let file = try path.map {
                    ForeignFileMark(path: $0, size: try row.get(2), modified: try row.get(3))
                }
                let damaged: String? = try row.get(8)
                return ScheduledImportState(
                    name: try row.get(0), file: file, readAt: try row.timeIfPresent(4), triedAt: try row.time(5),
                    settings: try row.get(6), failure: try row.get(7), damaged: try damaged.map { try value($0) } ?? [])
            }
        }
    }

    public func store(_ state: ScheduledImportState) throws(HistoryError) {
        try write { database in
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO scheduled_import
                        (name, file, size, modified, read_at, tried_at, settings, failure, damaged)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    state.name, state.file?.path, state.file?.size, state.file?.modified, state.readAt?.seconds,
                    state.triedAt.seconds, state.settings, state.failure,
                    state.damaged.isEmpty ? nil : try json(state.damaged),
                ])
        }
    }
}
