import GRDB
import StepDomain

/// Keeps implausible samples of one pedometer apart, so that a silly value never takes the place of a good one.
///
/// A slot that comes with a good value later is no longer implausible.
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
            // The first sight of it stays, unless it is another value now.
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
