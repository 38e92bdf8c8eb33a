import GRDB
import StepDomain

/// Recreates lost rows of people, pedometers and syncs that other rows refer to, from index entries and from the other
/// rows.
///
/// Without these rows, the loss of one page of three rows would lose the steps of years.
struct LostParents {
    struct Change {
        var rebuilt = 0
        var removed = 0
        /// By column, references that were wrong.
        var corrected: [String: Int] = [:]
        /// The groups of these rows.
        var groups: Set<SealedGroup> = []
    }

    private let shapes: [TableShape]
    private let fragments: [String: [Int64: [String: DatabaseValue]]]
    private let isBroken: (String) -> Bool

    /// About 27 years at a hundred syncs a day; a damaged number cannot demand more rows.
    private static let most = 1_000_000

    /// - Parameter isBroken: whether a table has lost rows.
    init(
        _ shapes: [TableShape], fragments: [String: [Int64: [String: DatabaseValue]]],
        isBroken: @escaping (String) -> Bool
    ) {
        self.shapes = shapes
        self.fragments = fragments
        self.isBroken = isBroken
    }

    /// - Returns: by table, the number of rows that were created or corrected.
    func rebuild(in database: Database) throws -> [String: Change] {
        var changes: [String: Change] = [:]
        // A sync refers to a pedometer, and a pedometer to a person.
        for table in ["sync", "pedometer", "person"] where isBroken(table) {
            var count = 0
            for number in try missing(table, database).sorted().prefix(Self.most)
            where try make(table, number, database) { count += 1 }
            changes[table, default: Change()].rebuilt += count
        }
        for (table, correction) in try SyncReferences.correct(in: database) where correction.rows > 0 {
            let column = table == "sync" ? "pedometer" : "sync"
            changes[table, default: Change()].corrected[column, default: 0] += correction.rows
            changes[table, default: Change()].groups = correction.groups
        }
        return changes
    }

    /// - Returns: by table, the number of rows that were removed because they refer to missing rows.
    func removeOrphans(in database: Database) throws -> [String: Change] {
        var changes: [String: Change] = [:]
        // Removing the row of a pedometer can leave other rows with dangling references.
        var isChanged = true
        while isChanged {
            isChanged = false
            for shape in shapes {
                for reference in shape.references {
                    try database.execute(
                        sql: """
                            DELETE FROM \(shape.name) WHERE \(reference.column) IS NOT NULL
                                AND \(reference.column) NOT IN (SELECT id FROM \(reference.parent))
                            """)
                    if database.changesCount > 0 {
                        changes[shape.name, default: Change()].removed += database.changesCount
                        isChanged = true
                    }
                }
            }
        }
        // A number that was changed by damage can be the number of another pedometer's sync.
        for table in ["sample", "implausible_sample"] {
            try database.execute(
                sql: "DELETE FROM \(table) WHERE pedometer <> (SELECT pedometer FROM sync WHERE id = sync)")
            changes[table, default: Change()].removed += database.changesCount
        }
        return changes
    }

    private func missing(_ table: String, _ database: Database) throws -> Set<Int64> {
        let known = try Set(Int64.fetchAll(database, sql: "SELECT id FROM \(table)"))
        var wanted = Set(fragments[table, default: [:]].keys)
        for shape in shapes {
            for reference in shape.references where reference.parent == table {
                wanted.formUnion(
                    try Int64.fetchAll(
                        database,
                        sql:
                            "SELECT DISTINCT \(reference.column) FROM \(shape.name) WHERE \(reference.column) IS NOT NULL"
                    ))
            }
        }
        return wanted.subtracting(known).filter { $0 > 0 }
    }

    /// - Returns: false if the schema does not accept the known values.
    private func make(_ table: String, _ number: Int64, _ database: Database) throws -> Bool {
        let known = fragments[table]?[number] ?? [:]
        do {
            switch table {
            case "sync": try makeSync(number, known, database)
            case "pedometer": try makePedometer(number, known, database)
            default:
                let key = String.fromDatabaseValue(known["name_key"] ?? .null) ?? "user \(number)"
                try database.execute(
                    sql: "INSERT INTO person (id, name, name_key) VALUES (?, ?, ?)", arguments: [number, key, key])
            }
            return true
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            return false
        }
    }

    private func makeSync(_ number: Int64, _ known: [String: DatabaseValue], _ database: Database) throws {
        let row = try Row.fetchOne(
            database, sql: "SELECT pedometer, start + length FROM sample WHERE sync = ? LIMIT 1", arguments: [number])
        let sample: (pedometer: DatabaseValue, end: DatabaseValue)? = try row.map { (try $0.get(0), try $0.get(1)) }
        let pedometers = try Int64.fetchAll(database, sql: "SELECT id FROM pedometer LIMIT 2")
        // Frames do not contain their pedometer.
        let pedometer =
            known["pedometer"] ?? sample?.pedometer ?? (pedometers.count == 1 ? pedometers[0].databaseValue : .null)
        let start = known["started_at"] ?? sample?.end ?? 0.databaseValue
        let outcome = String.fromDatabaseValue(known["outcome"] ?? .null)
        let end = outcome == "running" ? nil : known["ended_at"] ?? start
        try database.execute(
            sql: "INSERT INTO sync (id, pedometer, started_at, ended_at, outcome, failure) VALUES (?, ?, ?, ?, ?, ?)",
            arguments: [
                number, pedometer, start, end, outcome ?? "failed",
                outcome == nil ? "the record of this sync was lost by damage" : nil,
            ])
    }

    private func makePedometer(_ number: Int64, _ known: [String: DatabaseValue], _ database: Database) throws {
        let people = try Int64.fetchAll(database, sql: "SELECT id FROM person LIMIT 2")
        let person = known["person"] ?? (people.count == 1 ? people[0] : 1).databaseValue
        let name = String.fromDatabaseValue(known["name_key"] ?? .null) ?? "pedometer \(number)"
        let pairs = [number >> 16, number >> 8, number].map { byte in
            let digits = String(byte & 0xff, radix: 16, uppercase: true)
            return digits.count == 1 ? "0" + digits : digits
        }
        let address = known["address"] ?? "00:00:00:\(pairs.joined(separator: ":"))".databaseValue
        // Marked as out of use, because its model is unknown. If the user adds it again, it continues as a separate
        // pedometer.
        try database.execute(
            sql: """
                INSERT INTO pedometer (id, person, model, address, address_type, name, name_key, options, clock, cursor, forgotten)
                VALUES (?, ?, 'unknown', ?, 'public', ?, ?, '{}', ?, ?, 1)
                """,
            arguments: [number, person, address, name, name, try json(ClockState()), try json(PedometerCursor())])
    }
}

/// Removes time without samples from what a pedometer has accounted for: a day that lacks some is partial, and not a
/// day without steps.
struct LostTime {
    private let spans: (Pedometer.ID) -> [TimeSpan]

    /// - Parameter spans: the time in which samples are missing, by pedometer.
    init(_ spans: [Pedometer.ID: [TimeSpan]]) { self.spans = { spans[$0] ?? [] } }

    /// - Parameters:
    ///   - gaps: where samples are missing, by the key of the table: pedometer and start.
    ///   - complete: pedometers that lack none.
    init(_ gaps: [(before: Salvage.SampleKey?, after: Salvage.SampleKey?)], except complete: Set<Pedometer.ID>) {
        spans = { pedometer in
            complete.contains(pedometer) ? [] : gaps.compactMap { Self.span(of: $0, for: pedometer) }
        }
    }

    /// How long a pedometer may remember, in seconds: no supported model remembers more than a month.
    private static let maximumMemory = 31 * 86_400

    /// - Returns: the time that each pedometer lacks now.
    func mark(in database: Database) throws -> [Pedometer.ID: [CoveredSpan]] {
        try removeOverlaps(database)
        var lost: [Pedometer.ID: [CoveredSpan]] = [:]
        for pedometer in try Int64.fetchAll(database, sql: "SELECT id FROM pedometer ORDER BY id") {
            let pieces = try spans(pedometer).flatMap { try remove($0, of: pedometer, database) }
            guard let latest = pieces.map(\.span.end.seconds).max() else { continue }
            lost[pedometer] = pieces
            try readAgain(pedometer, since: latest, database)
        }
        return lost
    }

    /// The part of a gap that belongs to one pedometer; nil if there is none.
    private static func span(
        of gap: (before: Salvage.SampleKey?, after: Salvage.SampleKey?), for pedometer: Pedometer.ID
    ) -> TimeSpan? {
        let before = gap.before?.pedometer ?? .min, after = gap.after?.pedometer ?? .max
        guard before <= pedometer, pedometer <= after else { return nil }
        let start = before == pedometer ? gap.before?.end ?? 0 : 0
        let end = after == pedometer ? gap.after?.start ?? 0 : Timestamp.last.seconds + 1
        return start < end ? TimeSpan(Timestamp(start), Timestamp(end)) : nil
    }

    /// - Returns: the pieces that are no longer accounted for: the parts of the gap without samples.
    private func remove(_ gap: TimeSpan, of pedometer: Int64, _ database: Database) throws -> [CoveredSpan] {
        let touched = try CoverageMerge.spans(of: pedometer, touching: gap, database).filter { $0.span.overlaps(gap) }
        if touched.isEmpty { return [] }
        let rows = try Row.fetchAll(
            database,
            sql:
                "SELECT start, start + length FROM sample WHERE pedometer = ? AND start >= ? AND start < ? ORDER BY start",
            arguments: [pedometer, gap.start.seconds - 86_400, gap.end.seconds])
        let samples = Coverage(try rows.map { TimeSpan(try $0.time(0), try $0.time(1)) })
        var removed: [CoveredSpan] = []
        for old in touched {
            guard let inside = old.span.intersection(gap) else { continue }
            let missing = samples.gaps(in: inside)
            if missing.isEmpty { continue }
            removed += missing.map { CoveredSpan($0, utcOffset: old.utcOffset) }
            try database.execute(
                sql: "DELETE FROM coverage WHERE pedometer = ? AND start = ?",
                arguments: [pedometer, old.span.start.seconds])
            for kept in Coverage(missing).gaps(in: old.span) {
                try database.execute(
                    sql: "INSERT INTO coverage VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                    arguments: [pedometer, kept.start.seconds, kept.end.seconds, old.utcOffset])
            }
        }
        return removed
    }

    /// Overlapping spans cannot both be correct: the end of a span is damaged, or one is from a page that no tree leads
    /// to, which can be very old. The earlier one ends where the later one begins.
    private func removeOverlaps(_ database: Database) throws {
        try database.execute(
            sql: """
                UPDATE coverage SET until = later.start
                FROM (SELECT pedometer, start, lead(start) OVER (PARTITION BY pedometer ORDER BY start) AS next FROM coverage) AS span
                JOIN coverage AS later ON later.pedometer = span.pedometer AND later.start = span.next
                WHERE coverage.pedometer = span.pedometer AND coverage.start = span.start AND coverage.until > later.start
                """)
    }

    /// Makes the next sync request everything that the pedometer still holds, if that can include missing data.
    private func readAgain(_ pedometer: Int64, since latest: Int, _ database: Database) throws {
        let end =
            try Int.fetchOne(
                database, sql: "SELECT max(until) FROM coverage WHERE pedometer = ?", arguments: [pedometer]) ?? latest
        guard latest > end - Self.maximumMemory,
            let text = try String.fetchOne(
                database, sql: "SELECT cursor FROM pedometer WHERE id = ?", arguments: [pedometer]),
            var cursor: PedometerCursor = try? value(text)
        else { return }
        cursor.readThrough = nil
        cursor.tail = nil
        try database.execute(
            sql: "UPDATE pedometer SET cursor = ? WHERE id = ?", arguments: [try json(cursor), pedometer])
    }
}
