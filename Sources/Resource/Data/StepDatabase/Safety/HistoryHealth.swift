import Foundation
import GRDB
import StepDomain
internal import Support

/// How sound a history is.
struct HistoryHealth: Hashable, Sendable {
    /// The file has an earlier version: the next command that uses it migrates it.
    var isOlder: Bool
    /// The differences between the schema and istep's; if there are none, the messages of `PRAGMA integrity_check`.
    /// Empty if the file is sound. A few lines at most.
    var complaints: [String]
    /// Tables of istep with rows that refer to missing rows (`PRAGMA foreign_key_check`).
    var orphans: [String]
    /// Rules of istep that rows violate, as text.
    var broken: [String] = []

    var isSound: Bool { allComplaints.isEmpty }

    /// All complaints, as text.
    var allComplaints: [String] {
        complaints + (orphans.isEmpty ? [] : ["rows refer to missing rows, in \(orphans.joined(separator: ", "))"])
            + broken
    }
}

extension StepDatabase {
    /// Checks the whole file and does not write to it: a file of an earlier version stays as it is. This takes a second
    /// or more for a million rows.
    ///
    /// - Throws: `missing`, `empty`, `foreign`, `newerVersion`, `damaged` or why it cannot be read; `CancellationError`
    ///   if cancelled.
    static func examine(_ path: String, busyTimeout: Double = busyTimeout) async throws -> HistoryHealth {
        let path = try absolute(path)
        do {
            let queue = try await blocking { try openForReading(path, busyTimeout: busyTimeout) }
            // Closed explicitly: GRDB's thread may keep the last reference for a moment.
            return try await cleaningUp({ try? await blocking { try queue.close() } }) {
                try await queue.read { try examine($0, path) }
            }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw HistoryError(error, path: path)
        }
    }

    /// The same, on the caller's thread. Content that SQLite cannot read is also reported as a complaint.
    static func check(_ path: String, busyTimeout: Double = busyTimeout) throws -> HistoryHealth {
        do {
            return try reading(path, busyTimeout: busyTimeout) {
                try $0.read { database in try examine(database, path) }
            }
        } catch {
            guard case .damaged(_, let reason) = HistoryError(error, path: path) else {
                throw HistoryError(error, path: path)
            }
            return HistoryHealth(isOlder: false, complaints: [reason], orphans: [])
        }
    }

    /// Removes stored sums of days that differ from their samples. A history of an earlier version is not changed.
    ///
    /// - Returns: the number of days.
    static func correctSums(_ path: String) throws(HistoryError) -> Int {
        let path = try absolute(path)
        do {
            let isCurrent = try reading(path) { try $0.read(Schema.current.state) == .current }
            return isCurrent ? try StepDatabase(path: path, for: .writing).correctSums() : 0
        } catch {
            throw HistoryError(error, path: path)
        }
    }

    private static func examine(_ database: Database, _ path: String) throws -> HistoryHealth {
        do {
            return try health(database, path)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            // The statements below are correct for istep's schema. An error in one is therefore an error in the text of
            // this file's schema.
            throw HistoryError.damaged(path: path, reason: error.message ?? "its schema cannot be read")
        }
    }

    private static func health(_ database: Database, _ path: String) throws -> HistoryHealth {
        let schema = Schema.current
        let state = try schema.state(of: database)
        if let refusal = schema.refusal(of: path, in: state) { throw refusal }
        // First, because the checks below run expressions of the schema.
        let differences = try schema.differences(in: database)
        if !differences.isEmpty {
            return HistoryHealth(
                isOlder: state != .current, complaints: Array(differences.prefix(maximumComplaints)), orphans: [])
        }
        // quick_check would not find keys out of order, indexes that do not match their tables, and more (13 of 600
        // damaged files). It takes as long, because most of the time is spent reading the file.
        let lines = try String.fetchAll(database, sql: "PRAGMA integrity_check(\(maximumComplaints))")
        let orphans = try schema.ownTables(in: database).filter { table in
            try Bool.fetchOne(
                database, sql: "SELECT EXISTS (SELECT 1 FROM pragma_foreign_key_check(?))", arguments: [table]) == true
        }
        var health = HistoryHealth(
            isOlder: state != .current, complaints: lines == ["ok"] ? [] : lines, orphans: orphans)
        // In a broken tree the results mean nothing.
        if health.isSound { health.broken = try brokenRules(database) }
        return health
    }

    private static let maximumComplaints = 3

    /// Rules that no constraint of the schema can express.
    static func brokenRules(_ database: Database) throws -> [String] {
        var broken: [String] = []
        let tables = Set(try Schema.current.ownTables(in: database))
        for (table, words, sql) in rules
        where try tables.contains(table) && Bool.fetchOne(database, sql: "SELECT EXISTS (\(sql))") ?? false {
            broken.append(words)
        }
        if tables.contains("seal") {
            let seals = Seals(database)
            broken += try seals.complaints(Array(seals.broken().prefix(maximumComplaints)))
        }
        // A history of an earlier version lacks columns.
        for rule in ColumnRule.all
        where try tables.contains(rule.table)
            && database.columns(in: rule.table).contains(where: { $0.name == rule.column })
            && rule.isViolated(in: database)
        {
            broken.append("a row of \(rule.table) has an invalid value in \(rule.column)")
        }
        return broken
    }

    private static let rules = [
        (
            "coverage", "spans of one pedometer's coverage overlap",
            """
            SELECT 1 FROM (SELECT start, lag(until) OVER (PARTITION BY pedometer ORDER BY start) AS before FROM coverage)
            WHERE start < before
            """
        ),
        (
            "excluded_time", "blocks of one user's excluded time overlap",
            """
            SELECT 1 FROM (
                SELECT start, lag(until) OVER (PARTITION BY person ORDER BY start) AS before FROM excluded_time)
            WHERE start < before
            """
        ),
        (
            "sample", "samples refer to a sync of another pedometer",
            "SELECT 1 FROM sample JOIN sync ON sync.id = sample.sync WHERE sync.pedometer <> sample.pedometer"
        ),
    ]
}

extension StepDatabase {
    /// Checks for damage before a sync writes, within a limited cost, and stores the result.
    ///
    /// A history of up to 2 MB, more than a ring's year, is checked as a whole (20 ms). A larger one would take too
    /// long (5 million rows take 7 s): all tables but two are checked, and of those two only the part that a sync reads
    /// and writes, the newest samples and frames. The rest is checked once a week (`checkAndRemember`).
    ///
    /// - Parameter size: bytes; a larger file is checked in parts.
    /// - Throws: `damaged`, or why it cannot be read.
    static func checkBeforeSync(
        _ path: String, at moment: Timestamp, wholeUpTo size: Int = maximumToCheck
    ) throws(HistoryError) {
        let path = try absolute(path)
        do {
            var status = stat()
            if stat(path, &status) == 0, status.st_size <= size {
                guard let first = try check(path).allComplaints.first else { return }
                throw HistoryError.damaged(path: path, reason: first)
            }
            try reading(path) { try $0.read { database in try checkInPart(database, path) } }
        } catch {
            let error = HistoryError(error, path: path)
            if case .damaged(_, let reason) = error {
                CheckRecord(of: path, at: moment, complaints: [reason])?.store(ofDatabase: path)
            }
            throw error
        }
    }

    private static func checkInPart(_ database: Database, _ path: String) throws {
        if let first = try Schema.current.differences(in: database).first {
            throw HistoryError.damaged(path: path, reason: first)
        }
        for table in try Schema.current.ownTables(in: database) where !largeTables.contains(table) {
            let lines = try String.fetchAll(database, sql: "PRAGMA integrity_check('\(table)')")
            if lines != ["ok"] {
                throw HistoryError.damaged(path: path, reason: lines.first ?? "\(table) cannot be read")
            }
        }
        try readNewest(database, path)
        guard try Schema.current.state(of: database) == .current else { return }
        // A sync writes to these, and calculates the sums of whole groups of them.
        let seals = Seals(database)
        let broken = try seals.broken(besides: ["sample", "implausible_sample"])
        if let first = try seals.complaints(Array(broken.prefix(1))).first {
            throw HistoryError.damaged(path: path, reason: first)
        }
    }

    /// Bytes of the largest file that is checked as a whole.
    private static let maximumToCheck = 2_000_000
    /// The other tables grow by some rows a day at most.
    private static let largeTables: Set = ["sample", "frame"]

    /// The newest samples of each pedometer, in order and as the schema requires, and the end of the frames with their
    /// index.
    private static func readNewest(_ database: Database, _ path: String) throws {
        for pedometer in try Int64.fetchAll(database, sql: "SELECT id FROM pedometer") {
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT start, steps BETWEEN 0 AND length * \(StepSample.maximumStepsPerSecond)
                        AND length BETWEEN 1 AND \(StepSample.maximumSeconds)
                        AND utc_offset BETWEEN -\(StepSample.maximumUTCOffset) AND \(StepSample.maximumUTCOffset)
                    FROM sample WHERE pedometer = ? ORDER BY start DESC LIMIT 20000
                    """,
                arguments: [pedometer])
            var later = Int.max
            while let row = try rows.next() {
                let start: Int? = try row.get(0), isValid: Bool? = try row.get(1)
                guard let start, start < later, isValid == true else {
                    throw HistoryError.damaged(
                        path: path, reason: "samples are out of order, or have values that istep never writes")
                }
                later = start
            }
        }
        _ = try Row.fetchAll(database, sql: "SELECT * FROM frame ORDER BY id DESC LIMIT 100")
        let ends = try Row.fetchOne(
            database, sql: "SELECT (SELECT sync FROM frame ORDER BY sync DESC LIMIT 1), (SELECT max(id) FROM sync)")
        if let ends, let frame = try ends.get(0) as Int64?, try frame > (ends.get(1) as Int64?) ?? 0 {
            throw HistoryError.damaged(path: path, reason: "frames refer to a missing sync")
        }
    }

    /// Checks the whole history and stores the result beside it. A history that is known to be damaged is never written
    /// to.
    ///
    /// - Throws: `damaged`, or why it cannot be read.
    static func checkAndRemember(_ path: String, at moment: Timestamp) async throws {
        let path = try absolute(path)
        var complaints: [String] = []
        do {
            complaints = try await examine(path).allComplaints
        } catch HistoryError.damaged(_, let reason) {
            complaints = [reason]
        }
        _ = try await blocking { [complaints] in
            CheckRecord(of: path, at: moment, complaints: complaints)?.store(ofDatabase: path)
        }
        if let first = complaints.first { throw HistoryError.damaged(path: path, reason: first) }
    }
}
