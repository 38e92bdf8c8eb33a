import Foundation
import GRDB
import StepDomain

/// Stores an import in the caller's transaction.
struct ImportMerge {
    let database: Database
    let user: User
    let now: Timestamp

    func store(_ history: ForeignHistory) throws -> ImportChanges {
        let content: Content
        switch try examine(history) {
        case .nothing(let changes): return changes
        case .stored(let found): content = found
        }
        let (history, changed) = (content.history, content.changedDays)
        var changes = content.changes
        let sources = try history.tracks.map { try source(of: $0, history.format) }
        changes.sources = try sources.map(name)
        changes.overlaps = try overlaps(history, except: sources)
        let all = changed.union(content.decisions.days)
        let before = try ofDays.shown(all)
        let id = try insertRecord(content)
        for (track, pedometer) in zip(history.tracks, sources) { try store(track, of: pedometer, import: id) }
        try decisions.store(content.decisions, of: id)
        changes.days = ofDays.changes(all, before: before, after: try ofDays.shown(all))
        try database.execute(
            sql: "UPDATE import SET changed_days = ? WHERE id = ?", arguments: [changes.days.count, id])
        try ofDays.note(changed)
        try noteChange(of: content.decisions.days, person: user.id, isCounted: false, database)
        changes.id = id
        return changes
    }

    /// What of a file is stored.
    struct Content {
        /// Without what is left out.
        var history: ForeignHistory
        /// Of the whole file.
        var digest: String
        /// The local days on which anything becomes different in what is counted.
        var changedDays: Set<Day>
        var decisions: ImportDecisions.Content
        var changes: ImportChanges
    }

    /// What is stored of a file, or why nothing is. It writes nothing.
    enum Examination {
        case nothing(ImportChanges)
        case stored(Content)
    }

    func examine(_ history: ForeignHistory) throws -> Examination {
        var changes = ImportChanges()
        let digest = history.digest
        let closed = try DeletedDays(of: user.id, database)
        let (admitted, left) = closed.admitted(history)
        let decided = try decisions.examine(history.decisions, without: closed.days, at: now)
        changes.deletedDays = left
        (changes.corrections, changes.exclusions) = (decided.corrections.counts, decided.blocks.counts)
        if admitted.tracks.isEmpty, decided.isEmpty, left > 0 { return .nothing(changes) }
        let (history, own) = try withoutOwn(admitted)
        if history.tracks.isEmpty, decided.isEmpty {
            changes.sources = try own.map(name)
            changes.isOwn = !own.isEmpty
            changes.isOfKnownDecisions = own.isEmpty && !history.decisions.isEmpty
            if changes.isNothingNew { return .nothing(changes) }
        }
        let (counted, isNew) = try changedDays(history, history.zone.stored, &changes)
        if changes.otherZone != nil { return .nothing(changes) }
        let changed = try counted.union(decisions.days(of: decided))
        if !isNew, !decided.isNew {
            changes.sameAs = try Int64.fetchOne(
                database, sql: "SELECT max(id) FROM import WHERE person = ? AND digest = ?",
                arguments: [user.id, digest])
        }
        if changes.sameAs != nil {
            let sources = try history.tracks.compactMap { try knownSource($0.source) }
            changes.sources = try sources.map(name)
            changes.overlaps = try overlaps(history, except: sources)
            return .nothing(changes)
        }
        return .stored(
            Content(history: history, digest: digest, changedDays: changed, decisions: decided, changes: changes))
    }

    /// The local days on which anything becomes different, and whether the import says anything that is not stored.
    private func changedDays(_ history: ForeignHistory, _ zone: String, _ changes: inout ImportChanges) throws -> (
        Set<Day>, isNew: Bool
    ) {
        var changed: Set<Day> = []
        var isNew = false
        for track in history.tracks {
            guard let known = try knownSource(track.source) else {
                isNew = true
                for part in track.parts {
                    if let content = PackedDay(part.content, of: part.day) {
                        changed.formUnion(content.days(differingFrom: PackedDay()))
                    }
                }
                continue
            }
            changes.otherZone =
                try changes.otherZone
                ?? Int64.fetchOne(
                    database,
                    sql:
                        "SELECT max(id) FROM import JOIN import_track ON import = id WHERE pedometer = ? AND zone <> ?",
                    arguments: [known, zone])
            var outdone: [ImportRecord.ID: Set<Day>] = [:]
            for part in track.parts {
                var layers = try ImportLayers(of: known, on: part.day, database)
                if layers.known(part.content) == nil { isNew = true }
                // By far the most days of a newer export: only this was said of it.
                if layers.layers.count == 1, layers.known(part.content) != nil { continue }
                let before = try layers.merged()
                layers.add(.init(id: 0, bytes: part.content, rank: [Int64(track.until.seconds), .max]))
                let after = try layers.merged()
                changed.formUnion(after.days(differingFrom: before))
                if let counting = layers.layers.last, counting.bytes != part.content,
                    let by = try furthest(counting.id, of: known)
                {
                    outdone[by, default: []].formUnion(
                        try layers.wished(part.content).days(differingFrom: after))
                }
            }
            for (by, days) in outdone.sorted(by: { $0.key < $1.key }) where !days.isEmpty {
                changes.superseded.append(.init(source: try name(known), by: by, days: days.count))
            }
        }
        return (changed, isNew)
    }

    /// Of the imports of a source that say this of a day, the one that counts before the others.
    private func furthest(_ content: Int64, of pedometer: Pedometer.ID) throws -> ImportRecord.ID? {
        try Int64.fetchOne(
            database,
            sql: """
                SELECT import FROM import_part JOIN import_track USING (import)
                WHERE content = ? AND pedometer = ? ORDER BY until DESC, import DESC LIMIT 1
                """,
            arguments: [content, pedometer])
    }

    private func store(_ track: ForeignTrack, of pedometer: Pedometer.ID, import id: ImportRecord.ID) throws {
        try database.execute(
            sql: "INSERT INTO sync (pedometer, started_at, ended_at, outcome) VALUES (?, ?, ?, 'complete')",
            arguments: [pedometer, now.seconds, now.seconds])
        let sync = database.lastInsertedRowID
        try database.execute(
            sql: "INSERT INTO import_track VALUES (?, ?, ?, ?)", arguments: [id, pedometer, sync, track.until.seconds])
        var imported = try ImportedTrack(pedometer: pedometer, sync: sync, database: database)
        var counts = (added: 0, corrected: 0)
        var contents: [Int64?] = []
        for part in track.parts {
            var layers = try ImportLayers(of: pedometer, on: part.day, database)
            let content = layers.known(part.content)
            contents.append(content)
            if layers.layers.count == 1, content != nil { continue }
            layers.add(.init(id: content ?? 0, bytes: part.content, rank: [Int64(track.until.seconds), id]))
            let written = try imported.write(try layers.merged(), on: part.day)
            counts.added += written.added
            counts.corrected += written.corrected
        }
        try imported.endSamples()
        let insert = try RawInsert(database, "INSERT INTO import_content (pedometer, day, content) VALUES (?, ?, ?)")
        try insert.bind(1, pedometer)
        let link = try RawInsert(database, "INSERT INTO import_part VALUES (?, ?) ON CONFLICT DO NOTHING")
        try link.bind(1, id)
        for (part, known) in zip(track.parts, contents) {
            if known == nil {
                try insert.bind(2, Int64(part.day.daysSince1970))
                try insert.bind(3, part.content)
                _ = try insert.run()
            }
            try link.bind(2, known ?? database.lastInsertedRowID)
            _ = try link.run()
        }
        try imported.writeCoverage()
        try database.execute(
            sql: "UPDATE sync SET added = ?, grown = ?, steps = ? WHERE id = ?",
            arguments: [counts.added, counts.corrected, track.steps, sync])
    }

    private func insertRecord(_ content: Content) throws -> ImportRecord.ID {
        let history = content.history
        let days = Set(history.tracks.flatMap { $0.days.map(\.day) })
        try database.execute(
            sql: """
                INSERT INTO import
                    (id, person, at, path, format, digest, zone, days, steps, first_day, last_day, changed_days)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
                """,
            arguments: [
                try ImportNumbers(database: database).next(), user.id, now.seconds, String(history.path.prefix(4096)),
                history.format.key, content.digest,
                history.zone.stored,
                days.count,
                history.tracks.reduce(0) { $0 + $1.steps }, days.min()?.description, days.max()?.description,
            ])
        return database.lastInsertedRowID
    }

    // MARK: Days

    var ofDays: StepsOfDays { StepsOfDays(database: database, user: user) }
    var decisions: ImportDecisions { ImportDecisions(database: database, user: user.id) }

    /// Other pedometers of the user with steps on days of a file.
    private func overlaps(
        _ history: ForeignHistory, except sources: [Pedometer.ID]
    ) throws -> [ImportChanges.Overlap] {
        let days = Set(history.tracks.flatMap { $0.days.lazy.filter { $0.steps > 0 }.map(\.day) })
        guard let first = days.min(), let last = days.max() else { return [] }
        let others = try Row.fetchAll(
            database, sql: "SELECT id, name FROM pedometer WHERE person = ? ORDER BY id", arguments: [user.id])
        return try others.compactMap { row in
            let id: Pedometer.ID = try row.get(0)
            if sources.contains(id) { return nil }
            let found = try Int.fetchAll(
                database,
                sql: """
                    SELECT DISTINCT (start + utc_offset) / 86400 FROM sample
                    WHERE pedometer = ? AND start BETWEEN ? AND ? AND steps > 0
                    """,
                arguments: [
                    id, first.daysSince1970 * 86_400 - StepSample.maximumUTCOffset,
                    (last.daysSince1970 + 1) * 86_400 + StepSample.maximumUTCOffset,
                ])
            let count = found.count { days.contains(Day(daysSince1970: $0)) }
            return count == 0 ? nil : ImportChanges.Overlap(name: try row.get(1), days: count)
        }
    }
}

extension ZoneKnowledge {
    /// As the table `import` has it.
    fileprivate var stored: String {
        switch self {
        case .records: "records"
        case .named(let name): String(name.prefix(256))
        case .machine(let name): String((name ?? "").prefix(256))
        }
    }
}
