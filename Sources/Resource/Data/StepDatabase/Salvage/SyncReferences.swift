import GRDB

/// Corrects the numbers of syncs in frames and samples, and of pedometers in syncs, that damage has changed: such a row
/// is better kept with the sync of its neighbours than lost.
enum SyncReferences {
    /// - Returns: by table, the number of corrected rows. Rows that cannot be corrected stay as they are.
    static func correct(in database: Database) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        // If all samples of a sync are of one other pedometer, the sync's own number is wrong.
        try database.execute(
            sql: """
                UPDATE sync SET pedometer = of.pedometer
                FROM (SELECT sync, min(pedometer) AS pedometer FROM sample WHERE pedometer IN (SELECT id FROM pedometer)
                    GROUP BY sync HAVING count(DISTINCT pedometer) = 1 AND count(*) > 1) AS of
                WHERE of.sync = sync.id AND of.pedometer <> sync.pedometer
                """)
        counts["sync"] = database.changesCount
        for table in ["sample", "implausible_sample"] {
            try database.execute(
                sql: """
                    UPDATE \(table) SET sync = found.sync
                    FROM (SELECT pedometer, start, coalesce(
                            (SELECT o.sync FROM sample AS o JOIN sync ON sync.id = o.sync AND sync.pedometer = o.pedometer
                                WHERE o.pedometer = w.pedometer AND o.start < w.start ORDER BY o.start DESC LIMIT 1),
                            (SELECT min(id) FROM sync WHERE sync.pedometer = w.pedometer)) AS sync
                        FROM \(table) AS w WHERE NOT EXISTS
                            (SELECT 1 FROM sync WHERE sync.id = w.sync AND sync.pedometer = w.pedometer)) AS found
                    WHERE \(table).pedometer = found.pedometer AND \(table).start = found.start AND found.sync IS NOT NULL
                    """)
            counts[table] = database.changesCount
        }
        try database.execute(
            sql: """
                UPDATE frame SET sync = coalesce(
                    (SELECT o.sync FROM frame AS o WHERE o.id < frame.id AND o.sync IN (SELECT id FROM sync) ORDER BY o.id DESC LIMIT 1),
                    (SELECT o.sync FROM frame AS o WHERE o.id > frame.id AND o.sync IN (SELECT id FROM sync) ORDER BY o.id LIMIT 1), sync)
                WHERE sync NOT IN (SELECT id FROM sync)
                """)
        counts["frame"] = database.changesCount
        return counts
    }
}
