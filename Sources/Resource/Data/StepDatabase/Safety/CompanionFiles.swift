import Foundation
import StepDomain
import Support

/// Ends of the names of files beside a history, after the name of the history.
enum FileSuffix {
    static let journal = "-journal"
    static let log = "-wal"
    static let logIndex = "-shm"
    /// Files that SQLite would replay into a database of the name.
    static let logs = [journal, log]
    /// SQLite's own files (https://www.sqlite.org/tempfiles.html).
    static let ofSQLite = logs + [logIndex]
    /// The result of the last check.
    static let check = ".check"
    /// Locks of all kinds of work; see `HistoryWork.suffix`.
    static let lock = ".lock"
}

extension StepDatabase {
    /// Paths of the files that are beside a history while it is in use, whether they exist or not: the locks, the
    /// result of the last check, the log and its index. Some of them remain after that.
    public static func companions(ofDatabase path: String) -> [String] {
        HistoryWork.allCases.map { HistoryLock.path(ofDatabase: path, for: $0) } + [CheckRecord.path(ofDatabase: path)]
            + logs(ofDatabase: path)
    }

    /// SQLite's own files, which are also named after the database's real path.
    static func logs(ofDatabase path: String) -> [String] {
        FileSuffix.ofSQLite.map { HistoryLock.realPath(path) + $0 }
    }

    /// Whether istep or SQLite creates, empties and deletes files of this name beside a history: a backup of that name
    /// would be lost.
    static func isReserved(_ name: String) -> Bool {
        let suffixes = [FileSuffix.lock, FileSuffix.check] + FileSuffix.ofSQLite
        return suffixes.contains { name.hasSuffix($0) } || AbandonedFiles.target(ofCopy: name) != nil
            || AbandonedFiles.isRecord(name)
    }
}
