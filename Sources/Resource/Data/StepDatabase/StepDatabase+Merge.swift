import Foundation
import GRDB
public import StepDomain

extension StepDatabase {
    public func merge(
        _ batch: SampleBatch, sync: SyncRecord.ID, place: LocalTime
    ) throws(HistoryError) -> MergeCounts {
        try write { database in
            let row = try Row.fetchOne(
                database.cachedStatement(
                    sql: "SELECT pedometer, person FROM sync JOIN pedometer ON pedometer.id = pedometer WHERE sync.id = ?"),
                arguments: [sync])
            guard let row else { throw HistoryError.notFound(.sync, id: sync) }
            let (pedometer, person): (Pedometer.ID, User.ID) = (row[0], row[1])

            var changed = ChangedDays()
            var counts = try SampleMerge(database, pedometer: pedometer, sync: sync).merge(batch.samples, &changed)
            try CoverageMerge(database, pedometer: pedometer).merge(batch.coverage, place: place, &changed)
            try changed.store(of: person, database)
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
        let insert = try database.cachedStatement(
            sql: "INSERT INTO frame (sync, at, direction, bytes) VALUES (?, ?, ?, ?)")
        for frame in frames {
            try insert.execute(arguments: [sync, frame.at.seconds, frame.direction.rawValue, Data(frame.bytes)])
        }
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
