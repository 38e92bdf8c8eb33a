import Foundation

/// Keeps two syncs of one history apart, and two that share of it: between processes, and within one.
///
/// The lock is `flock(2)` on a file beside the database, named after the database's real path. It stands there and not
/// in `$XDG_RUNTIME_DIR`, since not every program that syncs has one (cron, a system service, `su`): two locks for one
/// database would be none. The kernel lets it go with the process, however that ends, so that a lock is never stale; the
/// file stays, and belongs to the history's owner, whoever made it.
public enum SyncLock {
    /// What one does alone. A sync and a sharing may go on at the same time.
    public enum Work: String, Sendable, CaseIterable {
        case syncing = "sync"
        case sharing = "share"

        var suffix: String { self == .syncing ? ".lock" : ".share.lock" }
    }

    /// Runs `body` while holding the lock.
    ///
    /// - Parameters:
    ///   - path: of the database, whose directory has to exist.
    ///   - leavingNothing: whether a file that had to be made for it is taken away again, as whoever only looks does.
    /// - Throws: `SyncLockError` at once where the lock cannot be had, else what `body` throws.
    public static func hold<T>(
        ofDatabase path: String, for work: Work = .syncing, leavingNothing: Bool = false,
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> T
    ) async throws -> T {
        let file = try LockFile(ofDatabase: realPath(path), work, isPassing: leavingNothing)
        defer { file.release() }
        return try await body()
    }

    /// Where the lock's file is, or would be.
    public static func path(ofDatabase path: String, for work: Work) -> String { realPath(path) + work.suffix }

    /// Free of symbolic links and of `..`, so that all names of a database have one lock. A database that is not there
    /// yet has a directory that is.
    static func realPath(_ path: String) -> String {
        if let real = realpath(path, nil) {
            defer { free(real) }
            return String(cString: real)
        }
        let directory = (path as NSString).deletingLastPathComponent
        guard let real = realpath(directory.isEmpty ? "." : directory, nil) else { return path }
        defer { free(real) }
        return String(cString: real) + "/" + (path as NSString).lastPathComponent
    }
}
