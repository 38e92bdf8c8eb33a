import Foundation
import GRDB
public import StepDomain

/// Samples that were decoded again.
extension StepDatabase {
    public func readings(of pedometer: Pedometer.ID, _ body: (StoredReading) throws -> Void) throws {
        let syncs = try read { database in
            try Row.fetchAll(
                database, sql: SyncRecord.query + " WHERE pedometer = ? ORDER BY started_at, id", arguments: [pedometer]
            ).map(SyncRecord.init)
        }
        for sync in syncs {
            let frames = try read { database in
                try Row.fetchAll(
                    database.cachedStatement(
                        sql: "SELECT direction, at, bytes FROM frame WHERE sync = ? ORDER BY id"),
                    arguments: [sync.id]
                ).map { row in
                    let direction: String = try row.get(0), bytes: Data = try row.get(2)
                    return RawFrame(
                        RawFrame.Direction(rawValue: direction) ?? .received, at: try row.time(1), bytes: Array(bytes))
                }
            }
            try body(StoredReading(sync: sync, frames: frames))
        }
    }

    public func replace(_ replays: [PedometerReplay], at now: Timestamp, isPreview: Bool) throws -> [ReplayChanges] {
        let body = { (database: Database) in
            try replays.map { try SampleReplacement($0, database, self.schema, now: now).run() }
        }
        return isPreview ? try undone(body) : try writeManyRows(body)
    }
}

/// Replaces what the syncs of a replay have stored, in the caller's transaction.
private struct SampleReplacement {
    private let replay: PedometerReplay
    private let database: Database
    private let schema: Schema
    private let now: Timestamp
    private let syncs: Set<SyncRecord.ID>

    init(_ replay: PedometerReplay, _ database: Database, _ schema: Schema, now: Timestamp) {
        (self.replay, self.database, self.schema, self.now) = (replay, database, schema, now)
        syncs = Set(replay.readings.map(\.sync))
    }

    private var pedometer: Pedometer.ID { replay.pedometer.id }

    func run() throws -> ReplayChanges {
        if replay.readings.isEmpty { return ReplayChanges(replay) }
        guard let user = try onlyOwner() else {
            // Which samples were left to others, by what was known then, cannot be told.
            var kept = replay
            (kept.kept, kept.readings) = (replay.kept + replay.readings.count, [])
            return ReplayChanges(kept)
        }
        let before = try rows()
        let days = days(of: before)
        let sums = StepsOfDays(database: database, user: user)
        let steps = try sums.counted(days), shown = try sums.shown(days)
        let previous = try PreviousOwner(pedometer, of: user.id, database, schema)
        try delete(before, except: previous)
        var changed = try merge(
            of: user.id, except: previous,
            offsets: Dictionary(before.map { ($0.sample.start, $0.sample.utcOffset) }) { $1 })
        let differing = Set(before.map(\.sample)).symmetricDifference(try rows().map(\.sample))
        for day in Set(differing.map(\.day)).sorted() { changed.insert(day) }
        try changed.store(of: user.id, database)
        let after = try sums.counted(days)
        try sums.forget(days.filter { (steps[$0] ?? nil) != nil && (after[$0] ?? nil) == nil })
        _ = try sums.markUnknown(sums.changes(days, before: shown, after: try sums.shown(days)), at: now)
        return ReplayChanges(
            replay, days: sums.changes(days, before: steps, after: after),
            samples: Set(differing.map(\.start)).count)
    }

    /// Nil if the pedometer was somebody else's, too.
    private func onlyOwner() throws -> User? {
        let others = try Bool.fetchOne(
            database, sql: "SELECT EXISTS (SELECT 1 FROM pedometer WHERE address = ? AND person <> ?)",
            arguments: [replay.pedometer.address, replay.pedometer.user])
        if others == true { return nil }
        return try Row.fetchOne(
            database, sql: "SELECT id, name FROM person WHERE id = ?", arguments: [replay.pedometer.user]
        ).map(User.init)
    }

    private func rows() throws -> [(sample: StepSample, sync: SyncRecord.ID)] {
        try Row.fetchAll(
            database,
            sql: "SELECT start, length, steps, distance, energy, utc_offset, sync FROM sample WHERE pedometer = ?",
            arguments: [pedometer]
        ).map { row in
            let sample = try StepSample(row: row)
            guard sample.countsInHistory else { throw notWritten("the sample \(sample)") }
            return (sample, try row.get(6))
        }
    }

    /// All days that can change.
    private func days(of rows: [(sample: StepSample, sync: SyncRecord.ID)]) -> Set<Day> {
        var days = Set(rows.lazy.filter { syncs.contains($0.sync) }.map(\.sample.day))
        for reading in replay.readings {
            for batch in reading.batches {
                days.formUnion(batch.samples.lazy.filter(\.countsInHistory).map(\.day))
                for span in batch.coverage where span.start >= Timestamp(0) && span.end <= Timestamp.last {
                    for piece in reading.localTime.covered(span) {
                        var changed = ChangedDays()
                        changed.insert(piece.span, utcOffset: piece.utcOffset, neighbours: [])
                        days.formUnion(changed.days)
                    }
                }
            }
        }
        return days
    }

    /// Of the time of which nothing is merged, what is stored is the user's own, from before it became somebody else's.
    private func delete(
        _ rows: [(sample: StepSample, sync: SyncRecord.ID)], except previous: PreviousOwner
    ) throws {
        let delete = try database.cachedStatement(sql: "DELETE FROM sample WHERE pedometer = ? AND start = ?")
        for row in rows where syncs.contains(row.sync) && !previous.has(row.sample.start) {
            try delete.execute(arguments: [pedometer, row.sample.start.seconds])
        }
        let implausible = try Row.fetchAll(
            database, sql: "SELECT start, sync FROM implausible_sample WHERE pedometer = ?", arguments: [pedometer])
        let other = try database.cachedStatement(
            sql: "DELETE FROM implausible_sample WHERE pedometer = ? AND start = ? AND sync = ?")
        for row in implausible {
            let start: Int = try row.get(0), sync: SyncRecord.ID = try row.get(1)
            if syncs.contains(sync), !previous.has(Timestamp(start)) {
                try other.execute(arguments: [pedometer, start, sync])
            }
        }
    }

    /// What syncs have left out stays out: deleted days, and what a user who was deleted had counted. Frames have it.
    ///
    /// - Parameter offsets: of the samples that there were. They stay, as in every merge: the zone of this machine can
    ///   be another one now.
    /// - Returns: the days that were not accounted for before.
    private func merge(
        of user: User.ID, except previous: PreviousOwner, offsets: [Timestamp: Int]
    ) throws -> ChangedDays {
        // What comes back as it was has not changed.
        var (unchanged, changed) = (ChangedDays(), ChangedDays())
        let deleted = try schema.hasDeletions ? DeletedDays(of: user, database) : nil
        let coverage = CoverageMerge(database, pedometer: pedometer, except: deleted?.days)
        for reading in replay.readings {
            var samples = try SampleMerge(database, pedometer: pedometer, sync: reading.sync, isSealed: schema.hasSeals)
            for batch in reading.batches {
                var batch = batch
                for index in batch.samples.indices {
                    if let offset = offsets[batch.samples[index].start] { batch.samples[index].utcOffset = offset }
                }
                let ofUser = previous.own(batch)
                let own = deleted?.admitted(ofUser) ?? ofUser
                _ = try samples.merge(own.samples, &unchanged)
                try coverage.merge(own.coverage, localTime: reading.localTime, &changed)
            }
        }
        return changed
    }
}
