import GRDB
import StepDomain

/// Takes an import back, in the caller's transaction.
extension ImportMerge {
    func remove(_ id: ImportRecord.ID) throws -> ImportChanges {
        let tracks = try Row.fetchAll(
            database, sql: "SELECT pedometer, sync FROM import_track WHERE import = ? ORDER BY pedometer",
            arguments: [id]
        ).map { (pedometer: try $0.get(0) as Pedometer.ID, sync: try $0.get(1) as SyncRecord.ID) }
        var changed: Set<Day> = []
        for track in tracks {
            for day in try days(of: track.pedometer, in: id) {
                let before = try ImportLayers(of: track.pedometer, on: day, database).merged()
                changed.formUnion(
                    try ImportLayers(of: track.pedometer, on: day, without: id, database).merged().days(
                        differingFrom: before))
            }
        }
        changed.formUnion(try decisions.days(of: id))
        let before = try ofDays.shown(changed)
        var changes = ImportChanges(id: id, sources: try tracks.map { try name($0.pedometer) })
        for track in tracks { try remove(track.pedometer, track.sync, of: id) }
        (changes.corrections.taken, changes.exclusions.taken) = try decisions.remove(id)
        try database.execute(sql: "DELETE FROM import WHERE id = ?", arguments: [id])
        changes.days = ofDays.changes(changed, before: before, after: try ofDays.shown(changed))
        try ofDays.note(changed)
        try ofDays.forgetUnknown(of: changed)
        changes.shared = try ofDays.markUnknown(changes.days, at: now)
        return changes
    }

    private func days(of pedometer: Pedometer.ID, in id: ImportRecord.ID) throws -> [Day] {
        try Int.fetchAll(
            database,
            sql: """
                SELECT DISTINCT day FROM import_part JOIN import_content ON import_content.id = import_part.content
                WHERE import = ? AND pedometer = ?
                """,
            arguments: [id, pedometer]
        ).map(Day.init(daysSince1970:))
    }

    private func remove(_ pedometer: Pedometer.ID, _ sync: SyncRecord.ID, of id: ImportRecord.ID) throws {
        let others = try Row.fetchOne(
            database, sql: "SELECT max(sync) FROM import_track WHERE pedometer = ? AND import <> ?",
            arguments: [pedometer, id]
        ).flatMap { try $0.get(0) as SyncRecord.ID? }
        var imported = try ImportedTrack(pedometer: pedometer, sync: others ?? sync, database: database)
        for day in try days(of: pedometer, in: id) {
            _ = try imported.write(
                try ImportLayers(of: pedometer, on: day, without: id, database).merged(), on: day)
        }
        try imported.endSamples()
        try database.execute(
            sql:
                "DELETE FROM import_part WHERE import = ? AND content IN (SELECT id FROM import_content WHERE pedometer = ?)",
            arguments: [id, pedometer])
        try database.execute(
            sql: """
                DELETE FROM import_content WHERE pedometer = ?
                AND NOT EXISTS (SELECT 1 FROM import_part WHERE import_part.content = import_content.id)
                """,
            arguments: [pedometer])
        try database.execute(
            sql: "DELETE FROM import_track WHERE import = ? AND pedometer = ?", arguments: [id, pedometer])
        try imported.writeCoverage()
        if let others {
            // Another import says the same of these slots.
            try database.execute(
                sql: "UPDATE sample SET sync = ? WHERE pedometer = ? AND sync = ?",
                arguments: [others, pedometer, sync])
        }
        try database.execute(sql: "DELETE FROM sync WHERE id = ?", arguments: [sync])
        // Syncs of imports of which nothing was left, after a deletion or a move of days, belong to it still.
        if others == nil { try SourceDeletion.deleteRows(of: pedometer, database) }
    }
}
