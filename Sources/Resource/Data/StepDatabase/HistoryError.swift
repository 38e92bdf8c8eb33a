import Foundation
import GRDB
import Support

/// Why the history could not be read or written. Everything that `StepDatabase` throws is one of these.
public enum HistoryError: Error, Hashable, Sendable {
    /// There is no database yet: nothing was ever added.
    case missing(path: String)
    /// Another program kept the database locked for longer than the busy timeout.
    case locked(path: String)
    /// The file, its directory or the file system may not be written (or not even be read).
    case readOnly(path: String, reason: String)
    /// A file that SQLite keeps beside the history (its log or the log's index) may not be read and written, such as
    /// one of another user.
    case closedLog(path: String, file: String, reason: String)
    /// The file is malformed, or is not a database.
    case damaged(path: String, reason: String)
    /// A file of 0 bytes, or a database without tables: there is no history to read, and reading does not create one.
    case empty(path: String)
    /// A repair found nothing to save, or could not make a sound history of it. The file is as it was.
    case irreparable(path: String, reason: String)
    /// The file would be overwritten, and it is not a backup of istep.
    case occupied(path: String)
    /// A backup was to be written into a directory that does not exist. It may be that of a disk that is not mounted.
    case noDirectory(path: String, directory: String)
    /// A name that istep or SQLite uses for files beside a history, such as locks: a backup of that name would be
    /// emptied or deleted.
    case reserved(path: String)
    /// The file at the history's path is not the one that was opened.
    case replaced(path: String)
    /// A database of another program.
    case foreign(path: String)
    /// A newer istep wrote the database: versions of the schema.
    case newerVersion(path: String, found: Int, supported: Int)
    /// The disk, or the quota on it, is full.
    case noSpace(path: String)
    /// The file could not be opened or created: the path is a directory, a device or a dangling link.
    case cannotOpen(path: String, reason: String)
    /// The disk failed to read or write.
    case inputOutput(path: String, reason: String)
    /// The file system has no locks, or cannot share memory between processes.
    case unsupported(path: String, MissingSupport)
    /// Another pedometer in use has that name.
    case nameTaken(String)
    /// A pedometer in use has that address; `name` is the name of that pedometer.
    case addressTaken(String, name: String)
    /// Not a valid name for a user or pedometer: too long, empty, or with control characters for terminals.
    case invalidName(String, reason: String)
    /// A value that a constraint of the schema refuses, such as a height of 20 m; the text is SQLite's message for the
    /// constraint.
    case invalidValue(String)
    /// No user, pedometer or sync has this number.
    case notFound(Subject, id: Int64)
    /// SQLite failed for a reason that the user cannot correct: a bug in istep.
    case failed(path: String, reason: String)
    /// The same error on a file that is not a history in use.
    indirect case of(Role, HistoryError)

    public enum Subject: String, Sendable { case user, pedometer, sync }

    /// The role of a file in the command that failed on it.
    public enum Role: Sendable {
        /// A backup that is read, to be restored.
        case backup
        /// The file that a backup is written to.
        case target
        /// The directory of a history's backups.
        case directory
    }

    /// - Parameter role: nil for a history.
    func of(_ role: Role?) -> HistoryError {
        if case .of = self { return self }
        return role.map { .of($0, self) } ?? self
    }

    /// The same error on the file at `path`, for a file that has a temporary name.
    func naming(_ path: String) -> HistoryError {
        switch self {
        case .missing: .missing(path: path)
        case .locked: .locked(path: path)
        case .readOnly(_, let reason): .readOnly(path: path, reason: reason)
        case .closedLog(_, let file, let reason): .closedLog(path: path, file: file, reason: reason)
        case .damaged(_, let reason): .damaged(path: path, reason: reason)
        case .empty: .empty(path: path)
        case .foreign: .foreign(path: path)
        case .newerVersion(_, let found, let supported): .newerVersion(path: path, found: found, supported: supported)
        case .noSpace: .noSpace(path: path)
        case .cannotOpen(_, let reason): .cannotOpen(path: path, reason: reason)
        case .inputOutput(_, let reason): .inputOutput(path: path, reason: reason)
        case .unsupported(_, let missing): .unsupported(path: path, missing)
        case .failed(_, let reason): .failed(path: path, reason: reason)
        case .of(let role, let error): .of(role, error.naming(path))
        case .noDirectory(_, let directory): .noDirectory(path: path, directory: directory)
        case .irreparable, .occupied, .reserved, .replaced, .nameTaken, .addressTaken, .invalidName, .invalidValue,
            .notFound:
            self
        }
    }

    func isDamage(of path: String) -> Bool {
        switch self {
        case .damaged(path, _): true
        case .of(_, let error): error.isDamage(of: path)
        default: false
        }
    }
}

extension HistoryError {
    /// Converts an error of GRDB, SQLite or decoding to an error on the history.
    init(_ error: any Error, path: String) {
        switch error {
        case let error as HistoryError: self = error
        case let error as DatabaseError: self.init(sqlite: error, path: path)
        // Only this module writes rows, and constraints check them. A row that cannot be decoded was therefore altered.
        case is RowDecodingError, is DecodingError:
            self = .damaged(path: path, reason: "a row is invalid")
        default: self = .failed(path: path, reason: "\(error)")
        }
    }

    private init(sqlite error: DatabaseError, path: String) {
        let reason = error.message ?? error.resultCode.description
        switch error.resultCode {
        // SQLite reports a file system without record locks (ENOLCK) as a lock of another program.
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .unsupported(path) ?? .locked(path: path)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
            self = .closedLog(ofDatabase: path) ?? .readOnly(path: path, reason: reason)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(path: path, reason: reason)
        case .SQLITE_FULL: self = .noSpace(path: path)
        case .SQLITE_CANTOPEN: self = .unopened(path: path, reason: reason)
        // SQLite also reports this error if the index of its log cannot grow by one page (SQLITE_IOERR_SHMSIZE).
        case .SQLITE_IOERR:
            self =
                Self.isFull(besides: path)
                ? .noSpace(path: path) : .unsupported(path) ?? .inputOutput(path: path, reason: reason)
        // istep's statements name only tables, columns and functions that exist, unless the schema of the file is
        // damaged.
        case .SQLITE_ERROR
        where ["no such table", "no such column", "unknown function", "unsupported file format"].contains(
            where: reason.hasPrefix):
            self = .damaged(path: path, reason: reason)
        case .SQLITE_CONSTRAINT: self = .invalidValue(reason)
        default: self = .failed(path: path, reason: "\(reason) (SQLite \(error.extendedResultCode.rawValue))")
        }
    }

    /// A failed system call on `path`.
    init(errno code: Int32, path: String) {
        let reason = String(cString: strerror(code))
        switch code {
        case EACCES, EPERM, EROFS: self = .readOnly(path: path, reason: reason)
        case ENOSPC, EDQUOT: self = .noSpace(path: path)
        case EIO: self = .inputOutput(path: path, reason: reason)
        default: self = .cannotOpen(path: path, reason: reason)
        }
    }

    /// SQLite reports only that it could not open the file; the file system gives the reason.
    private static func unopened(path: String, reason: String) -> HistoryError {
        var status = stat()
        guard stat(path, &status) == 0 else { return HistoryError(errno: errno, path: path) }
        if isFull(besides: path) { return .noSpace(path: path) }
        if access(path, R_OK) != 0 { return HistoryError(errno: errno, path: path) }
        let directory = directoryName(path)
        if access(directory, W_OK) != 0 {
            // SQLite needs the directory for the write-ahead log beside the file.
            return .readOnly(path: path, reason: "its directory: " + String(cString: strerror(errno)))
        }
        return .closedLog(ofDatabase: path) ?? .cannotOpen(path: path, reason: reason)
    }

    /// Nil if the file system has all that a history needs.
    static func unsupported(_ path: String) -> HistoryError? {
        FileSystemSupport.missing(besides: path).map { .unsupported(path: path, $0) }
    }

    /// Whether not even one page can be written beside the history. This is tried, because `statvfs` does not report
    /// quotas.
    ///
    /// The log's index grows by 32 KiB (https://www.sqlite.org/walformat.html).
    static func isFull(besides path: String) -> Bool {
        guard let file = FileSystemSupport.temporaryFile(besides: path) else {
            return errno == ENOSPC || errno == EDQUOT
        }
        defer { close(file) }
        let code = posix_fallocate(file, 0, 32 * 1024)
        return code == ENOSPC || code == EDQUOT
    }

    /// The user may write the history but not a file of its log, for example after a copy from a backup. SQLite then
    /// opens neither.
    private static func closedLog(ofDatabase path: String) -> HistoryError? {
        guard access(path, R_OK | W_OK) == 0 else { return nil }
        for file in StepDatabase.logs(ofDatabase: path) where access(file, R_OK | W_OK) != 0 && errno != ENOENT {
            return .closedLog(path: path, file: file, reason: String(cString: strerror(errno)))
        }
        return nil
    }
}
