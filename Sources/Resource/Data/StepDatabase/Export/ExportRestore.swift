import Foundation
import GRDB
public import StepDomain

extension StepDatabase {
    /// Takes an export in, all that it has. Nothing of it is stored if anything is wrong.
    ///
    /// - Throws: `ImportError`; `HistoryError`, also for a history that has users.
    public func restore(_ export: any ExportedHistory, _ limits: ExportLimits) throws -> ExportCounts {
        // A transaction turns other errors into those of the history.
        var refusal: (any Error)?
        do {
            return try writeManyRows { database in
                let isUsed = try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM person)") ?? true
                if isUsed { throw HistoryError.invalidValue("the history is not empty") }
                do { return try ExportRestore(database, export, limits).run(export) } catch {
                    if !(error is DatabaseError) { refusal = error }
                    throw error
                }
            }
        } catch {
            throw refusal ?? error
        }
    }

    /// What `restore` would store, in a file that SQLite deletes by itself.
    ///
    /// - Throws: `ImportError`.
    public static func previewRestoring(_ export: any ExportedHistory, _ limits: ExportLimits) throws -> ExportCounts {
        let queue = try DatabaseQueue(path: "")
        return try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA foreign_keys = OFF")
            for migration in Schema.current.migrations { try database.execute(sql: migration.sql) }
            var counts = ExportCounts()
            try database.inTransaction {
                counts = try ExportRestore(database, export, limits).run(export)
                return .commit
            }
            return counts
        }
    }
}

/// Writes the rows of an export into an empty history, in the caller's transaction and without its checks of foreign
/// keys.
private final class ExportRestore {
    private let database: Database
    private let path: String
    private let missing: Set<ExportTable>
    private let converter: ExportedRows
    private let limits: ExportLimits
    private var counts = ExportCounts()
    private var declared: [String: Int] = [:]
    private var (table, statement): (StoredTable?, Statement?) = (nil, nil)

    init(_ database: Database, _ export: any ExportedHistory, _ limits: ExportLimits) {
        (self.database, path, missing, self.limits) = (database, export.path, Set(export.missing), limits)
        converter = ExportedRows(database, limits, addsUsers: missing.contains(.users))
    }

    func run(_ export: any ExportedHistory) throws -> ExportCounts {
        try export.rows { table, values in
            if table.name == "tables" {
                if let name = values[0], let rows = values[1].flatMap({ Int($0) }) { declared[name] = rows }
                return
            }
            func wrong(_ reason: String) -> ImportError {
                malformed("row \(counts.rows(of: table.name) + 1) of \(table.name) \(reason)")
            }
            do {
                try add(values, to: table)
            } catch let error as ExportedRows.Refusal {
                throw wrong(error.reason)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                throw wrong("is not valid: \(error.message ?? "a constraint failed")")
            } catch let error as HistoryError {
                throw wrong("is not valid: \(error.description)")
            }
        }
        database.setTriggers(true)
        try checkCounts()
        let checks = RestoredHistory(database)
        if !missing.isDisjoint(with: ExportTable.ofImports) { try checks.separateSources() }
        if missing.contains(.changedDays) { try checks.noteDays(of: converter.people.values.sorted()) }
        if let fault = try checks.fault() { throw malformed(fault) }
        counts.incompleteDays = try incompleteDays(export.steps())
        try database.execute(
            sql: "INSERT INTO seal SELECT DISTINCT 'sample', pedometer, start / 86400, NULL FROM sample")
        try Seals(database).complete(atMost: .max)
        return counts
    }

    /// Of an export of one user.
    private func incompleteDays(_ steps: [Day: Int]) throws -> [Day] {
        guard let (name, person) = converter.people.first, !steps.isEmpty else { return [] }
        let reader = try DayDataReader(User(id: person, name: name), database)
        return try steps.keys.sorted().runs(ofAtMost: DayDataReader.maximumDays).flatMap { run in
            try reader.dayData(from: run.first, count: run.count).filter { data in
                let known = DaySummary(data, localTime: .fixed(0), now: limits.now).steps ?? 0
                return known < steps[data.day] ?? 0
            }.map(\.day)
        }
    }

    private func malformed(_ reason: String) -> ImportError { .malformed(path: path, reason: reason) }

    private func add(_ values: [String?], to export: ExportTable) throws {
        if table?.export.name != export.name {
            guard let next = StoredTable.all.first(where: { $0.export == export }) else { return }
            // A trigger for each of a million samples would take longer than the rest.
            database.setTriggers(export != .samples)
            (table, statement) = (next, try database.makeStatement(sql: next.insertion))
            counts.begin(export)
        }
        guard let table, let statement else { return }
        if let reason = limits.impossible(values, of: export) {
            guard limits.leavesOutImpossible else { throw ImportError.impossible(reason) }
            counts.leaveOut()
            return
        }
        try statement.execute(arguments: StatementArguments(try converter.stored(values, in: table)))
        counts.count()
    }

    /// The table `tables` tells whether rows are missing.
    private func checkCounts() throws {
        for table in ExportTable.stored where table != .tables && missing.isDisjoint(with: [table, .tables]) {
            guard let rows = declared[table.name] else { throw malformed("it lacks the table \(table.name)") }
            guard rows == counts.rows(of: table.name) + counts.leftOut(of: table.name) else {
                throw malformed("\(table.name) has \(counts.rows(of: table.name)) rows of \(rows)")
            }
        }
    }
}
