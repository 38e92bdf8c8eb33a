import Foundation
import GRDB
import TextSafety
public import StepDomain

/// A copy of a history by SQLite's online backup: one consistent state of it, even while a sync writes.
///
/// It is written beside its destination under the name `.NAME.new-PID`, and locked by `flock(2)` as long as this object exists. A file of
/// such a name without a lock was left by a process that was killed; the next backup or repair removes it.
final class BackupFile {
    /// Where the copy is written, beside its destination.
    let path: String
    /// The final path.
    private let place: String
    /// The role of the file at `place`; nil for a history.
    private let role: HistoryError.Role?
    private let descriptor: Int32

    /// - Parameters:
    ///   - place: the final path of the copy.
    ///   - history: the history that is copied, restored or repaired. Files that killed processes have left beside it are removed.
    ///   - role: of the file at `place`, for errors; nil for a history.
    init(for place: String, ofHistory history: String, role: HistoryError.Role? = nil) throws {
        let directory = directoryName(place)
        let path = "\(directory)/.\(baseName(place)).new-\(getpid())"
        do throws(HistoryError) {
            try StepDatabase.createDirectory(of: place)
            AbandonedFiles.remove(ofHistory: history, at: place)
            while true {
                // The file of this process: two concurrent backups to one place are separated by the lock, and the second fails here.
                let file = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
                guard file >= 0 else { throw HistoryError(errno: errno, path: path) }
                // Between these two calls another process can mistake the file for an abandoned one.
                if flock(file, LOCK_EX | LOCK_NB) == 0, FileIdentity(path) == FileIdentity(of: file) {
                    descriptor = file
                    break
                }
                close(file)
            }
        } catch {
            throw error.naming(place).of(role)
        }
        self.path = path
        self.place = place
        self.role = role
    }

    deinit { close(descriptor) }

    /// Copies the history and reads the copy back.
    ///
    /// - Parameters:
    ///   - database: outside of a writing transaction.
    ///   - source: the path of `database`, and its role if it is not a history, for errors.
    ///   - isHistory: whether the copy is to be used as a history (a write-ahead log), or kept (one self-contained file).
    /// - Throws: `damaged` of `source` if the copy is not sound, because it is identical page by page. Errors name the source or the place,
    ///   never the temporary name of the copy.
    func copy(_ database: Database, of source: String, as sourceRole: HistoryError.Role? = nil, asHistory isHistory: Bool) throws(HistoryError)
        -> HistoryContents
    {
        func atSource<T>(_ body: () throws -> T) throws(HistoryError) -> T {
            do {
                return try body()
            } catch let error as TargetError {
                throw error.error
            } catch {
                throw HistoryError(error, path: source).of(sourceRole)
            }
        }
        let expected = try atSource {
            try writeCopy(asHistory: isHistory) { target in
                var expected: HistoryContents?
                // One step: a copy in several steps restarts with each commit of a sync.
                try database.inTransaction(.deferred) {
                    if let first = try Schema.current.differences(in: database).first {
                        throw HistoryError.damaged(path: source, reason: first)
                    }
                    expected = try HistoryContents(database, path: source)
                    do {
                        try database.backup(to: target)
                    } catch let error as DatabaseError where Self.isOfTarget(error) {
                        throw TargetError(error: at(error))
                    }
                    return .commit
                }
                return expected
            }
        }
        let found: HistoryContents
        do {
            if let first = try StepDatabase.check(path).allComplaints.first {
                throw HistoryError.damaged(path: source, reason: first).of(sourceRole)
            }
            let queue = try StepDatabase.openForReading(path, busyTimeout: StepDatabase.busyTimeout)
            found = try queue.read { try HistoryContents($0, path: path) }
            try queue.close()
        } catch let error as HistoryError where error.isDamage(of: source) {
            throw error
        } catch {
            throw at(error)
        }
        guard let expected, found.hasAsMuch(as: expected) else {
            throw HistoryError.failed(path: place, reason: "the copy does not hold what the original holds").of(role)
        }
        return found
    }

    /// Marks an error on the copy, among errors on the source.
    private struct TargetError: Error { let error: HistoryError }

    private func writeCopy(asHistory isHistory: Bool, _ body: (Database) throws -> HistoryContents?) throws -> HistoryContents? {
        let copy: DatabaseQueue
        do {
            copy = try DatabaseQueue(path: path, configuration: StepDatabase.configuration(busyTimeout: StepDatabase.busyTimeout))
        } catch {
            throw TargetError(error: at(error))
        }
        let contents = try copy.writeWithoutTransaction(body)
        do {
            try copy.writeWithoutTransaction { target in
                try target.execute(sql: "PRAGMA synchronous = FULL")
                _ = try String.fetchOne(target, sql: "PRAGMA journal_mode = \(isHistory ? "WAL" : "DELETE")")
            }
            try copy.close()
        } catch {
            throw TargetError(error: at(error))
        }
        return contents
    }

    /// SQLite's backup has one result code for reading the source and writing the target.
    private static func isOfTarget(_ error: DatabaseError) -> Bool {
        switch error.resultCode {
        case .SQLITE_FULL, .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM: true
        case .SQLITE_IOERR: ![.SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ].contains(error.extendedResultCode)
        default: false
        }
    }

    /// An error on the copy. Its cause is determined there, and it is reported by the name of the place.
    func at(_ error: any Error) -> HistoryError { HistoryError(error, path: path).naming(place).of(role) }

    /// Gives the copy its final name and replaces the file that has that name.
    func move() throws(HistoryError) {
        try synchronize()
        try rename()
        synchronizeDirectory(of: place)
    }

    /// Waits until the copy is on the disk, which can take seconds.
    func synchronize() throws(HistoryError) {
        guard fsync(descriptor) == 0 else { throw HistoryError(errno: errno, path: place).of(role) }
    }

    /// The part of `move` that takes no time. The copy was synchronized before.
    func rename() throws(HistoryError) {
        guard Foundation.rename(path, place) == 0 else { throw HistoryError(errno: errno, path: place).of(role) }
    }

    func remove() { for suffix in [""] + Self.logs { unlink(path + suffix) } }

    /// The files that SQLite creates beside a database.
    static let logs = ["-journal", "-wal", "-shm"]
}

/// A name in a directory survives a power failure only if the directory is written too.
func synchronizeDirectory(of path: String) {
    let directory = directoryName(path)
    let file = open(directory.isEmpty ? "/" : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { return }
    fsync(file)
    close(file)
}

extension StepDatabase {
    /// Copies a history to a file with access for its owner only. A sync may continue meanwhile.
    ///
    /// - Parameters:
    ///   - path: of the history; one of an earlier version is copied as it is.
    ///   - place: an earlier backup there is replaced; any other file is not.
    /// - Returns: the contents of the backup, read back from it.
    /// - Throws: `missing`, `empty`, `damaged` of the history; of the place `reserved`, `occupied`, or why it cannot be written.
    public static func backUp(_ path: String, to place: String) throws(HistoryError) -> HistoryContents {
        let path = absolute(path), place = absolute(place)
        do {
            guard try isThere(path) else { throw HistoryError.missing(path: path) }
            try requireFree(place)
            let queue = try openForReading(path, busyTimeout: busyTimeout)
            let contents = try queue.writeWithoutTransaction { try backUp($0, of: path, to: place) }
            try queue.close()
            return contents
        } catch {
            throw HistoryError(error, path: path)
        }
    }

    static func backUp(_ database: Database, of path: String, to place: String) throws -> HistoryContents {
        switch try Schema.current.state(of: database) {
        case .foreign: throw HistoryError.foreign(path: path)
        case .newer(let found): throw HistoryError.newerVersion(path: path, found: found, supported: Schema.current.version)
        case .inconsistent(let reason): throw HistoryError.damaged(path: path, reason: reason)
        case .older(0): throw HistoryError.empty(path: path)
        case .current, .older: break
        }
        let file = try BackupFile(for: place, ofHistory: path, role: .place)
        do {
            var contents = try file.copy(database, of: path, asHistory: false)
            // Another process may have created a file there meanwhile.
            try requireFree(place)
            try file.move()
            contents.path = place
            return contents
        } catch {
            file.remove()
            throw error
        }
    }

    /// - Throws: `reserved`, `occupied`, or why no file can be created there.
    private static func requireFree(_ place: String) throws(HistoryError) {
        if isReserved(baseName(place)) { throw .reserved(path: place) }
        let isOccupied: Bool
        do throws(HistoryError) { isOccupied = try isThere(place) } catch { throw error.of(.place) }
        if isOccupied, !isBackup(place) { throw .occupied(path: place) }
        // An existing journal or log belongs to another database, and SQLite would replay it into the backup.
        for suffix in ["-journal", "-wal"] where !isEmptyOrMissing(HistoryLock.realPath(place) + suffix) {
            throw .occupied(path: place + suffix)
        }
    }

    /// Whether a file is a backup that istep made and not a history in use: it is istep's, it has no log of its own (bytes 18 and 19 of the
    /// header, https://www.sqlite.org/fileformat.html#file_format_version_numbers), and it was never used for a sync.
    static func isBackup(_ path: String) -> Bool {
        guard let handle = FileHandle(forReadingAtPath: path), let header = try? handle.read(upToCount: 100), header.count == 100 else {
            return false
        }
        let application = header[68..<72].reduce(0) { $0 << 8 | Int($1) }
        return header.starts(with: Array("SQLite format 3\0".utf8)) && application == Schema.applicationID && header[18] == 1
            && header[19] == 1 && HistoryWork.allCases.allSatisfy { access(HistoryLock.path(ofDatabase: path, for: $0), F_OK) != 0 }
    }
}

/// The automatic backups of istep: before a migration and once a week, in a directory `backups` beside the history.
public struct AutomaticBackups: Sendable {
    public var schedule: BackupSchedule
    private let now: @Sendable () -> Timestamp
    private let localTime: LocalTime

    public init(_ schedule: BackupSchedule, now: @escaping @Sendable () -> Timestamp, localTime: LocalTime) {
        self.schedule = schedule
        self.now = now
        self.localTime = localTime
    }

    /// The directory of a history's backups.
    public static func directory(of path: String) -> String {
        directoryName(HistoryLock.realPath(absolute(path))) + "/backups"
    }

    /// The existing backups, newest first, both automatic and manual.
    public static func list(of path: String) -> [BackupName] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: directory(of: path))) ?? []
        let history = HistoryLock.realPath(absolute(path))
        return files.compactMap { BackupName(file: $0, of: history) }.sorted(by: >)
    }

    /// A path for a backup made now.
    public func place(for path: String, isAutomatic: Bool) -> String {
        let directory = Self.directory(of: path)
        var name = BackupName(of: HistoryLock.realPath(absolute(path)), at: now(), localTime, isAutomatic: isAutomatic)
        while access(directory + "/" + name.file, F_OK) == 0 { name = name.next }
        return directory + "/" + name.file
    }

    /// Whether a backup is due this week.
    public func isDue(for path: String) -> Bool {
        schedule.isDue(Self.list(of: path), today: localTime.day(of: now()))
    }

    /// Makes a backup, reads it back, and deletes earlier backups in excess of the limit.
    ///
    /// - Returns: the contents of the backup.
    @discardableResult
    public func make(of path: String) throws(HistoryError) -> HistoryContents {
        let contents: HistoryContents
        do throws(HistoryError) {
            contents = try StepDatabase.backUp(path, to: place(for: path, isAutomatic: true))
        } catch {
            if case .damaged(_, let reason) = error { CheckRecord(of: path, at: now(), complaints: [reason])?.store(ofDatabase: path) }
            throw error
        }
        // The backup is identical to the history page by page: if the backup is sound, the history is too.
        CheckRecord(of: path, at: now(), complaints: [])?.store(ofDatabase: path)
        prune(path)
        return contents
    }

    /// The same over an open connection, before a migration.
    func make(of path: String, _ database: Database) throws {
        _ = try StepDatabase.backUp(database, of: path, to: place(for: path, isAutomatic: true))
        prune(path)
    }

    private func prune(_ path: String) {
        let directory = Self.directory(of: path)
        for name in schedule.surplus(Self.list(of: path)) { unlink(directory + "/" + name.file) }
    }
}
