import Foundation
import GRDB
import Support
import Synchronization

/// The history in a SQLite file that the user owns.
///
/// Every call is one transaction on one connection, and calls from several tasks are serialized. Several processes may
/// have the file open: writers wait for each other up to the busy timeout. A commit survives a kill of the process, and
/// with `synchronous = FULL` a power failure too. All errors are `HistoryError`.
public final class StepDatabase: Sendable {
    /// The purpose of opening a database.
    public enum Access: Sendable {
        /// Only reads: never creates the file, and also opens a file that may not be written. The one exception: a file
        /// of an older version is migrated.
        case reading
        /// Creates the file if it does not exist (mode 0600, its directories 0700).
        case writing
    }

    /// The absolute path of the file.
    public let path: String
    let queue: DatabaseQueue
    /// Declared after `queue`: properties are released in this order, so the file is closed before the count falls.
    private let mark = OpenMark()
    private let access: Access
    private let isUsedByTasks: Bool
    let schema: Schema
    /// The busy timeout in seconds.
    let busyTimeout: Double
    /// The file that was opened.
    private let file: FileIdentity?
    /// The connection's `PRAGMA foreign_keys`; used only on its queue.
    private let checksForeignKeys = Atomic(true)
    /// Whether the file was found with another version than `schema`.
    private let hasOtherVersion = Atomic(false)

    var isForReading: Bool { access == .reading }

    /// Whether the path still leads to the file that was opened: after a restore or a repair by another process it does
    /// not.
    var isFileInPlace: Bool { file == FileIdentity(path) }

    /// Whether a process that runs for long can go on with this object. Otherwise it opens the history again.
    var isUsable: Bool { isFileInPlace && !hasOtherVersion.load(ordering: .relaxed) }

    /// Seconds to wait for another program that has the database locked.
    public static let busyTimeout = 5.0

    /// Opens the database at `path`, and creates or migrates it if necessary.
    ///
    /// - Parameters:
    ///   - path: the path of the database file; a relative path refers to the working directory.
    ///   - busyTimeout: how many seconds each call waits for another program's lock.
    ///   - backups: where a history of an older version is copied before its migration; nil makes no copy.
    ///   - isUsedByTasks: whether a task may release the last reference: the file is then closed on a thread of its
    ///     own, and may still be open for a moment. Otherwise it is closed at once.
    /// - Throws: `empty` for a file without content that is opened for reading; `damaged` also for a history that is
    ///   opened for writing and that a check has found to be damaged.
    public convenience init(
        path: String, for access: Access = .writing, busyTimeout: Double = StepDatabase.busyTimeout,
        backups: AutomaticBackups? = nil,
        isUsedByTasks: Bool = false
    ) throws(HistoryError) {
        try self.init(
            path: path, for: access, busyTimeout: busyTimeout, schema: .current, backups: backups,
            isUsedByTasks: isUsedByTasks)
    }

    init(
        path: String, for access: Access, busyTimeout: Double, schema: Schema, backups: AutomaticBackups? = nil,
        isUsedByTasks: Bool = false
    ) throws(HistoryError) {
        self.path = try absolute(path)
        self.access = access
        self.isUsedByTasks = isUsedByTasks
        self.schema = schema
        self.busyTimeout = busyTimeout
        do {
            (queue, file) = try Self.open(
                self.path, for: access, busyTimeout: busyTimeout, schema: schema, backups: backups)
        } catch {
            throw HistoryError(error, path: self.path)
        }
        // SQLite has created its log's files by now, with the mode of the history.
        Self.makeLogsWritable(self.path)
    }

    /// The last connection that is closed copies SQLite's log into the history, which can wait long for the disk: the
    /// threads of Swift's tasks, of which there are only as many as processors, must not wait for that.
    deinit {
        guard isUsedByTasks, withUnsafeCurrentTask(body: { $0 != nil }) else { return }
        Task.detached { [queue, mark] in
            try? await blocking { try queue.close() }
            withExtendedLifetime(mark) {}
        }
    }

    /// Closes the file. Otherwise the file is closed with the last reference. Calls after it fail.
    public func close() throws(HistoryError) {
        do { try queue.close() } catch { throw HistoryError(error, path: path) }
    }

    /// Waits until no history of this process is open, but not longer than `limit`.
    ///
    /// Called at the end of a program, and before a history is removed. A task or a thread that is ending may still
    /// have a reference for a moment, and a file may just be being closed; SQLite's log would then be left beside the
    /// history.
    public static func untilClosed(limit: Duration = .seconds(10)) async {
        // A task that is cancelled does not sleep, and would keep the tasks that close a file from running.
        await uncancelled {
            let deadline = ContinuousClock.now + limit
            while OpenMark.count.load(ordering: .acquiring) > 0, ContinuousClock.now < deadline {
                try? await Task.sleep(for: .milliseconds(1))
            }
        }
    }

    /// One transaction that only reads.
    ///
    /// Not by GRDB's `read`, which sets `PRAGMA query_only` and resets it. Each pragma that changes a flag makes SQLite
    /// prepare all statements of the connection again, and that takes longer than to store a day with them.
    func read<T>(_ body: (Database) throws -> T) throws(HistoryError) -> T {
        do {
            return try queue.unsafeRead { try transaction($0, .deferred, body) }
        } catch { throw failure(error) }
    }

    /// One transaction, which takes the write lock at its start: two transactions that read first and then write could
    /// deadlock.
    func write<T>(_ body: (Database) throws -> T) throws(HistoryError) -> T {
        try write(checkingForeignKeys: true, body)
    }

    /// The same without checks of foreign keys, for thousands of rows that refer to rows which the transaction has
    /// looked up.
    ///
    /// Together with a trigger on the table, these checks make SQLite copy each changed page for each statement, to be
    /// able to undo the statement alone: a merge would take four times as long (https://www.sqlite.org/tempfiles.html,
    /// "Statement Journal Files").
    func writeManyRows<T>(_ body: (Database) throws -> T) throws(HistoryError) -> T {
        try write(checkingForeignKeys: false, body)
    }

    private func write<T>(checkingForeignKeys: Bool, _ body: (Database) throws -> T) throws(HistoryError) -> T {
        try written {
            try queue.writeWithoutTransaction { database in
                // Has no effect within a transaction. The days of a sync are merged one after the other: the setting
                // remains until another one is needed.
                if checksForeignKeys.load(ordering: .relaxed) != checkingForeignKeys {
                    try database.execute(sql: "PRAGMA foreign_keys = \(checkingForeignKeys ? "ON" : "OFF")")
                    checksForeignKeys.store(checkingForeignKeys, ordering: .relaxed)
                }
                do {
                    return try transaction(database, .immediate) { database in
                        // The process that this has waited for may have replaced the file.
                        if !isFileInPlace { throw HistoryError.replaced(path: path) }
                        let result = try body(database)
                        if schema.hasSeals { try Seals(database).complete() }
                        return result
                    }
                } catch {
                    // It may have failed where they are off (`SampleInsert`).
                    database.setTriggers(true)
                    throw error
                }
            }
        }
    }

    private func transaction<T>(
        _ database: Database, _ kind: Database.TransactionKind, _ body: (Database) throws -> T
    ) throws -> T {
        var result: T?
        try database.inTransaction(kind) {
            try requireVersion(database)
            result = try body(database)
            return .commit
        }
        guard let result else { preconditionFailure("a transaction that was committed has run") }
        return result
    }

    /// Called in each transaction: this process may run across an upgrade, and a newer istep may have migrated the file
    /// since it was opened.
    ///
    /// - Throws: `newerVersion`; `replaced` for an earlier version, such as that of a backup that was copied over the
    ///   file.
    func requireVersion(_ database: Database) throws {
        let found = try Int.fetchOne(database.cachedStatement(sql: "PRAGMA user_version"))
        if found == schema.version { return }
        hasOtherVersion.store(true, ordering: .relaxed)
        throw schema.refusal(of: path, in: try schema.state(of: database)) ?? .replaced(path: path)
    }

    private func written<T>(_ body: () throws -> T) throws(HistoryError) -> T {
        if access == .reading { throw .readOnly(path: path, reason: "it was opened for reading") }
        // After a restore or a repair by another process, this would be written to the file that was moved aside.
        if !isFileInPlace { throw .replaced(path: path) }
        do { return try body() } catch { throw failure(error) }
    }

    /// Stores damage that a read or a write has met, so that nothing more is written. SQLite uses one code for a wrong
    /// statement and for a schema that does not match it.
    private func failure(_ error: any Error) -> HistoryError {
        if let error = error as? DatabaseError, [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
            CheckRecord.note(error.message ?? "\(error.resultCode)", of: path)
        }
        if let error = error as? DatabaseError, error.resultCode == .SQLITE_ERROR,
            let difference = (try? queue.read(schema.differences))?.first
        {
            return .damaged(path: path, reason: "\(error.message ?? "a statement failed"): \(difference)")
        }
        return HistoryError(error, path: path)
    }
}

extension StepDatabase {
    /// Whether two paths lead to the same existing file.
    static func isSameFile(_ a: String, _ b: String) -> Bool {
        FileIdentity(a).map { $0 == FileIdentity(b) } ?? false
    }

    /// Creates the directories of a history (mode 0700) if they do not exist.
    public static func prepareDirectory(of path: String) throws(HistoryError) {
        try createDirectory(of: try absolute(path))
    }
}

/// Counts the histories that are open.
private final class OpenMark: Sendable {
    static let count = Atomic(0)

    init() { Self.count.add(1, ordering: .relaxed) }

    deinit { Self.count.subtract(1, ordering: .releasing) }
}

/// The identity of the file that a path leads to.
struct FileIdentity: Equatable {
    private let device: dev_t
    private let number: ino_t

    /// Nil if there is no file.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, number) = (status.st_dev, status.st_ino)
    }

    init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        (device, number) = (status.st_dev, status.st_ino)
    }
}

/// A relative path refers to the working directory. What SQLite would interpret as a URI (`file:`) is a name here.
///
/// - Parameter role: the role of the file, for the error; nil for a history.
/// - Throws: an error if the working directory was deleted. It has no path then, and the file would be in `/`.
func absolute(_ path: String, as role: HistoryError.Role? = nil) throws(HistoryError) -> String {
    guard let absolute = absolutePath(path) else {
        throw HistoryError.cannotOpen(path: path, reason: "the working directory does not exist").of(role)
    }
    return absolute
}

extension StepDatabase {
    /// Opens an existing history for writing. Tasks may use it.
    ///
    /// - Throws: `missing` if there is none: opening for writing would create it.
    public static func existing(_ path: String, backups: AutomaticBackups?) throws(HistoryError) -> StepDatabase {
        // Opening for reading creates no file. It reports a missing file, an empty file, or a broken link.
        if isEmptyOrMissing(path) { _ = try StepDatabase(path: path, for: .reading, backups: backups) }
        return try StepDatabase(path: path, for: .writing, backups: backups, isUsedByTasks: true)
    }
}
