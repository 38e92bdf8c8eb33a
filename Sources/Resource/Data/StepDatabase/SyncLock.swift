import Foundation

/// Keeps two syncs of one history apart, and two that share of it: between processes, and within one.
///
/// The lock is `flock(2)` on a file beside the database, named after the database's real path. It stands there and not
/// in `$XDG_RUNTIME_DIR`, since not every program that syncs has one (cron, a system service, `su`): two locks for one
/// database would be none. The kernel lets it go with the process, however that ends, so that a lock is never stale; the
/// file stays, for whoever removes it could remove the next one's lock.
public enum SyncLock {
    /// What one does alone. A sync and a sharing may go on at the same time.
    public enum Work: String, Sendable {
        case syncing = "sync"
        case sharing = "share"

        var suffix: String { self == .syncing ? ".lock" : ".share.lock" }
    }

    /// Runs `body` while holding the lock.
    ///
    /// - Parameter path: of the database, whose directory has to exist.
    /// - Throws: `SyncLockError` at once where the lock cannot be had, else what `body` throws.
    public static func hold<T>(
        ofDatabase path: String, for work: Work = .syncing, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> T
    ) async throws -> T {
        let file = try LockFile(realPath(path) + work.suffix, work)
        defer { file.release() }
        return try await body()
    }

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

struct LockFile {
    private let descriptor: Int32

    init(_ path: String, _ work: SyncLock.Work) throws(SyncLockError) {
        // Close-on-exec: a child that outlives the sync must not go on holding the lock.
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw SyncLockError(errno: errno, path: path) }
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            let holder = Self.process(in: file)
            close(file)
            throw code == EWOULDBLOCK ? .held(work, byProcess: holder) : SyncLockError(errno: code, path: path)
        }
        descriptor = file
        // Only for the message of who comes second; without it the lock holds as well.
        let text = "\(getpid())\n"
        if ftruncate(file, 0) == 0 { _ = pwrite(file, text, text.utf8.count, 0) }
    }

    func release() {
        _ = ftruncate(descriptor, 0)
        // Not only closed: a child that is just being spawned has the descriptor too until it becomes another program.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Who holds the lock, unless it has not said so yet: what then stands there is of one that was killed.
    static func process(in file: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(file, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        let text = String(decoding: bytes[..<count], as: UTF8.self)
        guard let process = Int32(text.prefix { $0 != "\n" }), process > 0 else { return nil }
        return kill(process, 0) == 0 || errno == EPERM ? process : nil
    }
}
