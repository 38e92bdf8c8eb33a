import Foundation
import GRDB
public import StepDomain

/// How sound a history is.
public struct HistoryHealth: Hashable, Sendable {
    /// The file has an earlier version: the next command that uses it migrates it.
    public var isOlder: Bool
    /// The differences between the schema and istep's; if there are none, the messages of `PRAGMA integrity_check`. Empty if the file is
    /// sound. A few lines at most.
    public var complaints: [String]
    /// Tables with rows that refer to missing rows (`PRAGMA foreign_key_check`), each once.
    public var orphans: [String]
    /// Rules of istep that rows violate, as text.
    public var broken: [String] = []

    public var isSound: Bool { allComplaints.isEmpty }

    /// All complaints, as text.
    public var allComplaints: [String] {
        complaints + (orphans.isEmpty ? [] : ["rows refer to missing rows, in \(orphans.joined(separator: ", "))"]) + broken
    }
}

extension StepDatabase {
    /// Checks the whole file and does not write to it: a file of an earlier version stays as it is. This takes a second or more for a
    /// million rows.
    ///
    /// - Throws: `missing`, `empty`, `foreign`, `newerVersion`, `damaged` or why it cannot be read; `CancellationError` if cancelled.
    public static func examine(_ path: String, busyTimeout: Double = busyTimeout) async throws -> HistoryHealth {
        let path = absolute(path)
        do {
            let queue = try opened(path, busyTimeout)
            // Explicitly: the reading thread may hold it a moment longer.
            defer { try? queue.close() }
            return try await queue.read { database in try examine(database, path) }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw HistoryError(error, path: path)
        }
    }

    /// The same, on the caller's thread. Content that SQLite cannot read is also reported as a complaint.
    static func check(_ path: String, busyTimeout: Double = busyTimeout) throws -> HistoryHealth {
        do {
            let queue = try opened(path, busyTimeout)
            let health = try queue.read { database in try examine(database, path) }
            try queue.close()
            return health
        } catch {
            guard case .damaged(_, let reason) = HistoryError(error, path: path) else { throw HistoryError(error, path: path) }
            return HistoryHealth(isOlder: false, complaints: [reason], orphans: [])
        }
    }

    /// Removes stored sums of days that differ from their samples. A history of an earlier version is not changed.
    ///
    /// - Returns: the number of days.
    public static func correctSums(_ path: String) throws(HistoryError) -> Int {
        let path = absolute(path)
        do {
            let queue = try opened(path, busyTimeout)
            let isCurrent = try queue.read { try Schema.current.state(of: $0) == .current }
            try queue.close()
            return isCurrent ? try StepDatabase(path: path, for: .writing).correctSums() : 0
        } catch {
            throw HistoryError(error, path: path)
        }
    }

    private static func opened(_ path: String, _ busyTimeout: Double) throws -> DatabaseQueue {
        guard try isThere(path) else { throw HistoryError.missing(path: path) }
        return try openForReading(path, busyTimeout: busyTimeout)
    }

    private static func examine(_ database: Database, _ path: String) throws -> HistoryHealth {
        do {
            return try health(database, path)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            // The statements below are correct for istep's schema. An error in one is therefore an error in the text of this file's schema.
            throw HistoryError.damaged(path: path, reason: error.message ?? "its schema cannot be read")
        }
    }

    private static func health(_ database: Database, _ path: String) throws -> HistoryHealth {
        let schema = Schema.current
        let state = try schema.state(of: database)
        switch state {
        case .foreign: throw HistoryError.foreign(path: path)
        case .newer(let found): throw HistoryError.newerVersion(path: path, found: found, supported: schema.version)
        case .inconsistent(let reason): throw HistoryError.damaged(path: path, reason: reason)
        case .older(0): throw HistoryError.empty(path: path)
        case .current, .older: break
        }
        // First, because the checks below run expressions of the schema.
        let differences = try schema.differences(in: database)
        if !differences.isEmpty {
            return HistoryHealth(isOlder: state != .current, complaints: Array(differences.prefix(mostComplaints)), orphans: [])
        }
        // quick_check would not find keys out of order, indexes that do not match their tables, and more (13 of 600 damaged files). It
        // takes as long, because most of the time is spent reading the file.
        let lines = try String.fetchAll(database, sql: "PRAGMA integrity_check(\(mostComplaints))")
        let tables = try Row.fetchAll(database, sql: "SELECT DISTINCT \"table\" FROM pragma_foreign_key_check")
        var health = HistoryHealth(
            isOlder: state != .current, complaints: lines == ["ok"] ? [] : lines, orphans: tables.map { $0[0] })
        // In a broken tree the results mean nothing.
        if health.isSound { health.broken = try brokenRules(database) }
        return health
    }

    private static let mostComplaints = 3

    /// Rules that no constraint of the schema can express.
    private static func brokenRules(_ database: Database) throws -> [String] {
        var broken: [String] = []
        for (words, sql) in rules where try Bool.fetchOne(database, sql: "SELECT EXISTS (\(sql))") ?? false { broken.append(words) }
        do {
            for row in try Row.fetchAll(database, sql: "SELECT options, clock, cursor FROM pedometer") {
                _ = try value(row[0]) as [String: String]
                _ = try value(row[1]) as ClockState
                _ = try value(row[2]) as PedometerCursor
            }
            for (table, column) in days {
                for text in try String.fetchAll(database, sql: "SELECT DISTINCT \(column) FROM \(table)") { _ = try Day(column: text) }
            }
        } catch is DecodingError {
            broken.append("a row has a form that istep never writes")
        }
        return broken
    }

    private static let rules = [
        (
            "spans of one pedometer's coverage overlap",
            """
            SELECT 1 FROM (SELECT start, lag(until) OVER (PARTITION BY pedometer ORDER BY start) AS before FROM coverage)
            WHERE start < before
            """
        ),
        (
            "samples name a sync of another pedometer",
            "SELECT 1 FROM sample JOIN sync ON sync.id = sample.sync WHERE sync.pedometer <> sample.pedometer"
        ),
    ]
    private static let days = [("profile", "valid_from"), ("plan", "valid_from"), ("correction", "day")]
}

extension StepDatabase {
    /// Checks for damage before a sync writes, within a limited cost, and stores the result.
    ///
    /// A history of up to 2 MB, more than a ring's year, is checked as a whole (20 ms). A larger one would take too long (5 million rows
    /// take 7 s): all tables but two are checked, and of those two only the part that a sync reads and writes, the newest samples and
    /// frames. The rest is checked once a week (`checkAndRemember`).
    ///
    /// - Throws: `damaged`, or why it cannot be read.
    public static func checkBeforeSync(_ path: String, at moment: Timestamp) throws(HistoryError) {
        try checkBeforeSync(path, at: moment, wholeUpTo: mostToCheck)
    }

    /// - Parameter size: bytes; a larger file is checked in parts.
    static func checkBeforeSync(_ path: String, at moment: Timestamp, wholeUpTo size: Int) throws(HistoryError) {
        let path = absolute(path)
        do {
            var status = stat()
            if stat(path, &status) == 0, status.st_size <= size {
                guard let first = try check(path).allComplaints.first else { return }
                throw HistoryError.damaged(path: path, reason: first)
            }
            let queue = try opened(path, busyTimeout)
            try queue.read { database in
                if let first = try Schema.current.differences(in: database).first { throw HistoryError.damaged(path: path, reason: first) }
                let tables = try String.fetchAll(
                    database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
                for table in tables where !largeTables.contains(table) {
                    let lines = try String.fetchAll(database, sql: "PRAGMA integrity_check('\(table)')")
                    if lines != ["ok"] { throw HistoryError.damaged(path: path, reason: lines.first ?? "\(table) cannot be read") }
                }
                try readNewest(database, path)
            }
            try queue.close()
        } catch {
            let error = HistoryError(error, path: path)
            if case .damaged(_, let reason) = error {
                CheckRecord(of: path, at: moment, complaints: [reason])?.store(ofDatabase: path)
            }
            throw error
        }
    }

    /// Bytes.
    private static let mostToCheck = 2_000_000
    /// All others grow by some rows a day at most.
    private static let largeTables: Set = ["sample", "frame"]

    /// The newest samples of each pedometer, in order and as the schema requires, and the end of the frames with their index.
    private static func readNewest(_ database: Database, _ path: String) throws {
        for pedometer in try Int64.fetchAll(database, sql: "SELECT id FROM pedometer") {
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT start, steps BETWEEN 0 AND length * 5 AND length BETWEEN 1 AND 31622400 AND utc_offset BETWEEN -50400 AND 50400
                    FROM sample WHERE pedometer = ? ORDER BY start DESC LIMIT 20000
                    """,
                arguments: [pedometer])
            var later = Int.max
            while let row = try rows.next() {
                guard let start = row[0] as Int?, start < later, row[1] as Bool? == true else {
                    throw HistoryError.damaged(path: path, reason: "samples are out of order, or of values that istep never writes")
                }
                later = start
            }
        }
        _ = try Row.fetchAll(database, sql: "SELECT * FROM frame ORDER BY id DESC LIMIT 100")
        let ends = try Row.fetchOne(
            database, sql: "SELECT (SELECT sync FROM frame ORDER BY sync DESC LIMIT 1), (SELECT max(id) FROM sync)")
        if let ends, let frame = ends[0] as Int64?, frame > ends[1] as Int64? ?? 0 {
            throw HistoryError.damaged(path: path, reason: "frames name a sync that is not there")
        }
    }

    /// Checks the whole history and stores the result beside it. A history that is known to be damaged is never written to.
    ///
    /// - Throws: `damaged`, or why it cannot be read.
    public static func checkAndRemember(_ path: String, at moment: Timestamp) async throws {
        let path = absolute(path)
        var complaints: [String] = []
        do {
            complaints = try await examine(path).allComplaints
        } catch HistoryError.damaged(_, let reason) {
            complaints = [reason]
        }
        CheckRecord(of: path, at: moment, complaints: complaints)?.store(ofDatabase: path)
        if let first = complaints.first { throw HistoryError.damaged(path: path, reason: first) }
    }
}

/// The result of the last check of a whole history, in a small file beside it: `history.sqlite.check`.
///
/// It is not stored in the history, because nothing is written to a damaged one. It is valid for the file as it was then, identified by
/// inode number, size and time of change: a file that was replaced or changed in any way is checked again.
public struct CheckRecord: Codable, Hashable, Sendable {
    /// When, in seconds since 1970.
    public var checkedAt: Timestamp
    /// Empty if the history was sound.
    public var complaints: [String]
    private var number: UInt64
    private var size: Int64
    private var changedAt: Int64
    private var changedAtNanoseconds: Int64

    init?(of path: String, at moment: Timestamp, complaints: [String]) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        checkedAt = moment
        self.complaints = complaints
        number = UInt64(status.st_ino)
        size = Int64(status.st_size)
        changedAt = Int64(status.st_mtim.tv_sec)
        changedAtNanoseconds = Int64(status.st_mtim.tv_nsec)
    }

    /// Whether the history is unchanged since the check.
    func holds(for path: String) -> Bool {
        guard let now = CheckRecord(of: path, at: checkedAt, complaints: complaints) else { return false }
        return now == self
    }

    static func path(ofDatabase path: String) -> String { HistoryLock.realPath(path) + ".check" }

    /// Nil if the history was never checked, or if the record cannot be read.
    public static func read(ofDatabase path: String) -> CheckRecord? {
        let file = Self.path(ofDatabase: path)
        // A record has a few lines; a longer file is not a record.
        guard let handle = FileHandle(forReadingAtPath: file), let bytes = try? handle.read(upToCount: 16_384) else { return nil }
        return try? JSONDecoder().decode(CheckRecord.self, from: bytes)
    }

    /// Written to a separate file and renamed, so that half a record is never read. If it cannot be written, as on a full disk, the next
    /// check finds the same damage again.
    @discardableResult
    func store(ofDatabase path: String) -> Bool {
        let file = Self.path(ofDatabase: path), new = file + ".\(getpid())"
        guard let text = try? json(self) else { return false }
        let descriptor = open(new, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return false }
        giveToOwner(descriptor, of: path)
        let isWritten = text.withCString { write(descriptor, $0, strlen($0)) } == text.utf8.count && fsync(descriptor) == 0
        close(descriptor)
        if isWritten, rename(new, file) == 0 { return true }
        unlink(new)
        return false
    }

    static func remove(ofDatabase path: String) { unlink(Self.path(ofDatabase: path)) }

    /// Stores that the history was found damaged during use.
    static func note(_ complaint: String, of path: String) {
        CheckRecord(of: path, at: Timestamp(Int(time(nil))), complaints: [complaint])?.store(ofDatabase: path)
    }

    /// - Throws: `damaged` for a history that a check found to be damaged, before anything is written to it. A history that has changed
    ///   since then is checked again.
    static func refuseDamaged(_ path: String, busyTimeout: Double) throws {
        guard let known = read(ofDatabase: path), let first = known.complaints.first else { return }
        if known.holds(for: path) { throw HistoryError.damaged(path: path, reason: first) }
        let health = try StepDatabase.check(path, busyTimeout: busyTimeout)
        let complaints = health.allComplaints
        CheckRecord(of: path, at: Timestamp(Int(time(nil))), complaints: complaints)?.store(ofDatabase: path)
        if let first = complaints.first { throw HistoryError.damaged(path: path, reason: first) }
    }
}

/// A file that root creates beside another user's history would lock out the owner of the history.
func giveToOwner(_ file: Int32, of database: String) {
    var status = stat()
    if geteuid() == 0, stat(database, &status) == 0 { _ = fchown(file, status.st_uid, status.st_gid) }
}
