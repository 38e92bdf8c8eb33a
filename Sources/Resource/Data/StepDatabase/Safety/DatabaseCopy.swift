import Foundation
import GRDB
import StepDomain
import Support

/// A copy of a history by SQLite's online backup: one consistent state of it, even while a sync writes.
///
/// It is written beside its destination under the name `.NAME.new-PID`, and locked by `flock(2)` as long as this object
/// exists. A file of such a name without a lock was left by a process that was killed; the next backup or repair
/// removes it.
final class DatabaseCopy {
    /// Where the copy is written, beside its destination.
    let path: String
    /// The final path.
    private let target: String
    /// The role of the file at `target`; nil for a history.
    private let role: HistoryError.Role?
    private let descriptor: Int32

    /// - Parameters:
    ///   - target: the final path of the copy.
    ///   - history: the history that is copied, restored or repaired. Files that killed processes have left beside it
    ///     are removed.
    ///   - role: the role of the file at `target`, for errors; nil for a history.
    init(for target: String, ofHistory history: String, role: HistoryError.Role? = nil) throws {
        let directory = directoryName(target)
        let path = "\(directory)/.\(baseName(target)).new-\(getpid())"
        do throws(HistoryError) {
            // A directory that the user has named may be where a disk is not mounted: the backup would be on the disk
            // of the history.
            let own = try AutomaticBackups.directory(of: history) + "/"
            let isElsewhere = role == .target && !(directory + "/").hasPrefix(own)
            if isElsewhere, access(directory, F_OK) != 0 {
                throw .noDirectory(path: target, directory: directory)
            }
            let database = HistoryLock.realPath(history)
            try StepDatabase.createDirectory(of: target, ofDatabase: database)
            try AbandonedFiles.remove(ofHistory: history, at: target)
            while true {
                // The file of this process: two concurrent backups to one file are separated by the lock, and the
                // second fails here.
                let file =
                    isElsewhere
                    ? open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
                    : OwnerFiles.create(path, ofDatabase: database)
                guard file >= 0 else { throw HistoryError(errno: errno, path: path) }
                guard flock(file, LOCK_EX | LOCK_NB) == 0 || errno == EWOULDBLOCK else {
                    let code = errno
                    unlink(path)
                    close(file)
                    throw .unsupported(path) ?? HistoryError(errno: code, path: path)
                }
                // Before this, another process can mistake the file for an abandoned one. It then deletes it; create it
                // again.
                if FileIdentity(path) == FileIdentity(of: file) {
                    descriptor = file
                    break
                }
                close(file)
            }
        } catch {
            throw error.naming(target).of(role)
        }
        self.path = path
        self.target = target
        self.role = role
    }

    deinit { close(descriptor) }

    /// Copies the history and reads the copy back.
    ///
    /// - Parameters:
    ///   - database: outside of a writing transaction.
    ///   - source: the path of `database`, and its role if it is not a history, for errors.
    ///   - isHistory: whether the copy is to be used as a history (a write-ahead log), or kept (one self-contained
    ///     file).
    /// - Throws: `damaged` of `source` if the copy is not sound. A defect of the copy is a defect of the source: the
    ///   backup API copies pages. Errors name the source or the target, never the temporary name of the copy.
    func copy(
        _ database: Database, of source: String, as sourceRole: HistoryError.Role? = nil, asHistory isHistory: Bool
    ) throws(HistoryError)
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
            found = try StepDatabase.reading(path) { try $0.read { try HistoryContents($0, path: path) } }
        } catch let error as HistoryError where error.isDamage(of: source) {
            throw error
        } catch {
            throw at(error)
        }
        guard let expected, found.hasAsMuch(as: expected) else {
            throw HistoryError.failed(path: target, reason: "the copy differs from the original").of(role)
        }
        return found
    }

    /// Marks an error on the copy, among errors on the source.
    private struct TargetError: Error { let error: HistoryError }

    private func writeCopy(asHistory isHistory: Bool, _ body: (Database) throws -> HistoryContents?) throws
        -> HistoryContents?
    {
        let copy: DatabaseQueue
        do {
            copy = try DatabaseQueue(
                path: path, configuration: StepDatabase.configuration(busyTimeout: StepDatabase.busyTimeout))
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

    /// An error on the copy. Its cause is determined there, and it is reported by the name of the target.
    func at(_ error: any Error) -> HistoryError { HistoryError(error, path: path).naming(target).of(role) }

    /// Gives the copy its final name and replaces the file that has that name.
    func move() throws(HistoryError) {
        try synchronize()
        try rename()
        synchronizeDirectory(of: target)
    }

    /// Waits until the copy is on the disk, which can take seconds.
    func synchronize() throws(HistoryError) {
        guard fsync(descriptor) == 0 else { throw HistoryError(errno: errno, path: target).of(role) }
    }

    /// The part of `move` that takes no time. The copy was synchronized before.
    func rename() throws(HistoryError) {
        guard Foundation.rename(path, target) == 0 else { throw HistoryError(errno: errno, path: target).of(role) }
    }

    /// Gives the copy to the group of the history that it replaces. It has the owner of that already.
    func setGroup(_ group: gid_t) { fchown(descriptor, uid_t.max, group) }

    func remove() { for suffix in [""] + FileSuffix.ofSQLite { unlink(path + suffix) } }
}

/// A name in a directory survives a power failure only if the directory is written too.
func synchronizeDirectory(of path: String) {
    let directory = directoryName(path)
    let file = open(directory.isEmpty ? "/" : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { return }
    fsync(file)
    close(file)
}
