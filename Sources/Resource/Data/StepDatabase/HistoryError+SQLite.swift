import Foundation
import GRDB

extension HistoryError {
    /// The error in terms of the history, whatever of GRDB, SQLite or decoding threw it.
    init(_ error: any Error, path: String) {
        switch error {
        case let error as HistoryError: self = error
        case let error as DatabaseError: self.init(sqlite: error, path: path)
        // Rows are written by this module alone and under constraints, so what does not decode was altered.
        case is RowDecodingError, is DecodingError:
            self = .damaged(path: path, reason: "a row has a form that istep never writes")
        default: self = .failed(path: path, reason: "\(error)")
        }
    }

    private init(sqlite error: DatabaseError, path: String) {
        let reason = error.message ?? error.resultCode.description
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .locked(path: path)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
            self = .closedLog(ofDatabase: path) ?? .readOnly(path: path, reason: reason)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(path: path, reason: reason)
        case .SQLITE_FULL: self = .noSpace(path: path)
        case .SQLITE_CANTOPEN: self = .unopened(path: path, reason: reason)
        case .SQLITE_IOERR: self = .inputOutput(path: path, reason: reason)
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

    /// SQLite says only that it could not open; the file system knows more.
    private static func unopened(path: String, reason: String) -> HistoryError {
        var status = stat()
        guard stat(path, &status) == 0 else { return HistoryError(errno: errno, path: path) }
        if access(path, R_OK) != 0 { return HistoryError(errno: errno, path: path) }
        let directory = (path as NSString).deletingLastPathComponent
        if access(directory, W_OK) != 0 {
            // SQLite needs the directory for the write-ahead log beside the file.
            return .readOnly(path: path, reason: "its directory: " + String(cString: strerror(errno)))
        }
        return .closedLog(ofDatabase: path) ?? .cannotOpen(path: path, reason: reason)
    }

    /// The history is ours, and a file of its log is another's, as one is that was copied back from a backup: SQLite takes neither then.
    private static func closedLog(ofDatabase path: String) -> HistoryError? {
        guard access(path, R_OK | W_OK) == 0 else { return nil }
        for file in StepDatabase.logs(ofDatabase: path) where access(file, R_OK | W_OK) != 0 && errno != ENOENT {
            return .closedLog(path: path, file: file, reason: String(cString: strerror(errno)))
        }
        return nil
    }
}
