import GRDB

/// Corrects the numbers of syncs in frames and samples, and of pedometers in syncs, that damage has changed: such a row
/// is better kept with the sync of its neighbours than lost.
enum SyncReferences {
    /// - Returns: by table, the number of corrected rows, and their groups. Rows that cannot be corrected stay as they
    ///   are.
    static func correct(in database: Database) throws -> [String: (rows: Int, groups: Set<SealedGroup>)] {
        var corrected: [String: (rows: Int, groups: Set<SealedGroup>)] = [:]
        func update(_ table: String, _ sql: String) throws {
            guard let sealed = SealedTable.all.first(where: { $0.name == table }) else {
                try database.execute(sql: sql)
                corrected[table] = (database.changesCount, [])
                return
            }
            let rows = try Row.fetchAll(
                database, sql: "\(sql) RETURNING \(sealed.owner(table)), \(sealed.part(table))")
            let groups = try rows.map { SealedGroup(kind: table, owner: try $0.get(0), part: try $0.get(1)) }
            corrected[table] = (rows.count, Set(groups))
        }
        // If all samples of a sync are of one other pedometer, the sync's own number is wrong.
        try update(
            "sync",
            """
            UPDATE sync SET pedometer = of.pedometer
            FROM (SELECT sync, min(pedometer) AS pedometer FROM sample WHERE pedometer IN (SELECT id FROM pedometer)
                GROUP BY sync HAVING count(DISTINCT pedometer) = 1 AND count(*) > 1) AS of
            WHERE of.sync = sync.id AND of.pedometer <> sync.pedometer
            """)
        for table in ["sample", "implausible_sample"] {
            try update(
                table,
                """
                UPDATE \(table) SET sync = found.sync
                FROM (SELECT pedometer, start, coalesce(
                        (SELECT o.sync FROM sample AS o JOIN sync ON sync.id = o.sync AND sync.pedometer = o.pedometer
                            WHERE o.pedometer = w.pedometer AND o.start < w.start ORDER BY o.start DESC LIMIT 1),
                        (SELECT min(id) FROM sync WHERE sync.pedometer = w.pedometer)) AS sync
                    FROM \(table) AS w WHERE NOT EXISTS
                        (SELECT 1 FROM sync WHERE sync.id = w.sync AND sync.pedometer = w.pedometer)) AS found
                WHERE \(table).pedometer = found.pedometer AND \(table).start = found.start AND found.sync IS NOT NULL
                """)
        }
        try update(
            "frame",
            """
            UPDATE frame SET sync = coalesce(
                (SELECT o.sync FROM frame AS o WHERE o.id < frame.id AND o.sync IN (SELECT id FROM sync) ORDER BY o.id DESC LIMIT 1),
                (SELECT o.sync FROM frame AS o WHERE o.id > frame.id AND o.sync IN (SELECT id FROM sync) ORDER BY o.id LIMIT 1), sync)
            WHERE sync NOT IN (SELECT id FROM sync)
            """)
        return corrected
    }
}
