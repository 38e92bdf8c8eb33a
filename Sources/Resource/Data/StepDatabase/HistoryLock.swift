import Foundation
public import StepDomain
import Support

/// Prevents concurrent syncs of one history, and concurrent sharing of it, between processes and within one process. A
/// sync and a sharing may run at the same time.
///
/// The lock is `flock(2)` on a file beside the database, named after the database's real path. It is not in
/// `$XDG_RUNTIME_DIR`, because not every program that syncs has that directory (cron, a system service, `su`), and two
/// locks for one database would be useless. The kernel releases the lock when the process ends in any way, so a lock is
/// never stale. The file remains and belongs to the history's owner, whichever user created it.
public struct HistoryLock: WorkLock {
    private let path: String

    /// - Parameter path: the path of the history.
    public init(path: String) { self.path = path }

    /// - Throws: `HistoryLockError`.
    public func hold<R: Sendable>(for work: HistoryWork, _ body: () async throws -> R) async throws -> R {
        try await Self.hold(ofDatabase: path, for: work, body)
    }

    /// Creates the history's directory if there is none: the locks are files in it.
    public func holdExclusively<R: Sendable>(as activity: HistoryActivity, _ body: () async throws -> R) async throws
        -> R
    {
        try StepDatabase.prepareDirectory(of: path)
        return try await Self.hold(ofDatabase: path, as: activity) {
            try await Self.hold(ofDatabase: path, for: .sharing, as: activity, body)
        }
    }

    public func conflictingWork(in error: any Error) -> HistoryWork? {
        if case HistoryLockError.held(let work, _) = error { work } else { nil }
    }

    /// Runs `body` while holding the lock.
    ///
    /// - Parameters:
    ///   - path: the path of the database, whose directory must exist.
    ///   - activity: what `body` does; nil for what the lock is named after.
    ///   - removesFile: whether a file that was created for the lock is removed again, as for a read-only command.
    /// - Throws: `HistoryLockError` at once if the lock is not available, else what `body` throws.
    public static func hold<T>(
        ofDatabase path: String, for work: HistoryWork = .syncing, as activity: HistoryActivity? = nil,
        removesFile: Bool = false,
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> T
    ) async throws -> T {
        let file = try LockFile(ofDatabase: realPath(path), work, activity ?? work.activity, removesFile: removesFile)
        defer { file.release() }
        return try await body()
    }

    /// The process that holds the lock at this moment; nil if there is none, or if it cannot be determined. No file is
    /// created and the lock is not taken.
    static func holder(ofDatabase path: String, for work: HistoryWork = .syncing) -> HistoryHolder? {
        let file = open(realPath(path) + work.suffix, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // An empty file, which every process leaves after a normal end, is not tried: a trial takes the lock for a
        // moment, and a process that starts at that moment would be refused.
        guard let holder = LockFile.holder(in: file, work) else { return nil }
        guard flock(file, LOCK_SH | LOCK_NB) != 0 else {
            flock(file, LOCK_UN)
            return nil  // left by a process that was killed; its process number may be in use again
        }
        return errno == EWOULDBLOCK ? holder : nil
    }

    /// The path of the lock's file, whether it exists or not.
    public static func path(ofDatabase path: String, for work: HistoryWork) -> String { realPath(path) + work.suffix }

    /// The path without symbolic links and `..`, so that all names of a database have one lock. If the database does
    /// not exist yet, its directory does.
    static func realPath(_ path: String) -> String {
        if let real = realpath(path, nil) {
            defer { free(real) }
            return String(cString: real)
        }
        let directory = directoryName(path)
        guard let real = realpath(directory.isEmpty ? "." : directory, nil) else { return path }
        defer { free(real) }
        return String(cString: real) + "/" + baseName(path)
    }
}

/// The file of a lock that is held.
struct LockFile {
    private let path: String
    private let descriptor: Int32
    /// Whether the file is removed when the lock is released.
    private let removesFile: Bool

    /// - Parameters:
    ///   - database: its real path.
    ///   - activity: for the error message of the next process.
    ///   - removesFile: whether the file is removed at the end, if it was created here.
    init(ofDatabase database: String, _ work: HistoryWork, _ activity: HistoryActivity, removesFile: Bool)
        throws(HistoryLockError)
    {
        path = database + work.suffix
        while true {
            let (file, isNew) = try Self.open(path, ofDatabase: database)
            do throws(HistoryLockError) {
                if try Self.lock(file, at: path, work) {
                    descriptor = file
                    self.removesFile = removesFile && isNew
                    break
                }
            } catch {
                close(file)
                throw error
            }
            close(file)
        }
        // Only for the error message of the next process; the lock works without it.
        let text = "\(getpid())\n\(activity.rawValue)\n"
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.utf8.count, 0) }
    }

    func release() {
        _ = ftruncate(descriptor, 0)
        // While the lock is still held, so that the file of the next process is not removed.
        if removesFile { unlink(path) }
        // Closing alone is not enough: a child process shares the descriptor from its fork until its exec.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Opens the file, and creates it if it does not exist.
    static func open(_ path: String, ofDatabase database: String) throws(HistoryLockError) -> (file: Int32, isNew: Bool)
    {
        // Close-on-exec: a child that outlives the sync must not keep the lock.
        let options = O_RDWR | O_CLOEXEC | O_NOFOLLOW
        while true {
            let old = Foundation.open(path, options)
            if old >= 0 { return (old, false) }
            guard errno == ENOENT else { throw HistoryLockError(errno: errno, path: path) }
            let new = OwnerFiles.create(path, ofDatabase: database)
            if new >= 0 { return (new, true) }
            // Another process was faster.
            guard errno == EEXIST else { throw HistoryLockError(errno: errno, path: path) }
        }
    }

    /// - Returns: false if the previous holder has removed the file's name since it was opened: the lock then excludes
    ///   no other process.
    static func lock(_ file: Int32, at path: String, _ work: HistoryWork) throws(HistoryLockError) -> Bool {
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            throw code == EWOULDBLOCK
                ? .held(work, by: holder(in: file, work)) : HistoryLockError(errno: code, path: path)
        }
        var opened = stat(), named = stat()
        guard fstat(file, &opened) == 0 else { return true }
        return lstat(path, &named) == 0 && (named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino)
    }

    /// The holder of the lock. Nil if it has not written its number yet: the content is then that of a process that was
    /// killed. An earlier istep wrote only the number of its process.
    static func holder(in file: Int32, _ work: HistoryWork) -> HistoryHolder? {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = pread(file, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
        guard let first = lines.first, let process = Int32(first), process > 0, kill(process, 0) == 0 || errno == EPERM
        else { return nil }
        let activity = lines.dropFirst().first.flatMap { HistoryActivity(rawValue: String($0)) }
        return HistoryHolder(process: process, activity: activity ?? work.activity)
    }
}

/// Why a sync or a sharing may not start.
public enum HistoryLockError: Error, Hashable, Sendable {
    /// Another process holds it; `by` is that process, if it can be determined.
    case held(HistoryWork, by: HistoryHolder?)
    /// The lock's file may not be opened.
    case readOnly(path: String, reason: String)
    /// The lock's file does not exist, and its directory may not be written.
    case cannotCreate(path: String, reason: String)
    case readOnlyFileSystem(path: String)
    /// The file system has no locks.
    case unsupported(path: String, MissingSupport)
    case failed(path: String, reason: String)

    init(errno code: Int32, path: String) {
        let reason = String(cString: strerror(code))
        switch code {
        case EACCES, EPERM:
            var status = stat()
            self =
                lstat(path, &status) == 0
                ? .readOnly(path: path, reason: reason) : .cannotCreate(path: path, reason: reason)
        case EROFS: self = .readOnlyFileSystem(path: path)
        case ENOLCK, ENOSYS, EOPNOTSUPP, EINVAL:
            self = .unsupported(
                path: path, MissingSupport(feature: .fileLocks, fileSystem: FileSystemSupport.name(of: path)))
        default: self = .failed(path: path, reason: reason)
        }
    }
}

extension HistoryLockError: ReportableError {
    public var category: FailureCategory {
        switch self {
        case .held: .temporary
        case .readOnly, .cannotCreate, .readOnlyFileSystem: .permission
        case .unsupported: .configuration
        case .failed: .unforeseen
        }
    }

    public var problem: String { words.reported.problem }
    public var advice: String? { words.reported.advice }
    public var description: String { words.line }

    private var words: ErrorWords {
        switch self {
        case .held(let work, let holder):
            ErrorWords(
                "another \((holder?.activity ?? work.activity).rawValue) of this history is running\(holder.map { " (process \($0.process))" } ?? "")",
                "wait until it is done")
        case .readOnly(let path, let reason):
            ErrorWords(
                "no permission for the lock \(quoted(path)): \(reason)",
                "change the owner of the file and its directory (chown), and make them writable; to see whose they are: `ls -ld \(shellQuoted(path)) \(shellQuoted(directoryName(path)))`"
            )
        case .cannotCreate(let path, let reason):
            ErrorWords(
                "no permission to create the lock \(quoted(path)): \(reason)",
                "change the owner of its directory, and make it writable, or choose another history with --db; to see whose it is: `ls -ld \(shellQuoted(directoryName(path)))`"
            )
        case .readOnlyFileSystem(let path):
            ErrorWords(
                "cannot create the lock \(quoted(path)): the file system is read-only",
                "mount it writable, or choose another history with --db")
        case .unsupported(let path, let missing):
            ErrorWords("cannot lock \(quoted(path)): \(missing.problem)", MissingSupport.advice)
        case .failed(let path, let reason):
            ErrorWords("cannot lock \(quoted(path)): \(reason)")
        }
    }
}

extension HistoryWork {
    var activity: HistoryActivity { self == .syncing ? .sync : .share }
    var suffix: String { self == .syncing ? ".lock" : ".share.lock" }
}
