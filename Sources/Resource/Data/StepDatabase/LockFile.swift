import Foundation

/// The file of a lock that is held.
struct LockFile {
    private let path: String
    private let descriptor: Int32
    /// Whether it goes when the lock does.
    private let isPassing: Bool

    /// - Parameters:
    ///   - database: its real path.
    ///   - isPassing: whether the file is taken away in the end, if it was made here.
    init(ofDatabase database: String, _ work: SyncLock.Work, isPassing: Bool) throws(SyncLockError) {
        path = database + work.suffix
        while true {
            let (file, isNew) = try Self.open(path, ofDatabase: database)
            do throws(SyncLockError) {
                if try Self.lock(file, at: path, work) {
                    descriptor = file
                    self.isPassing = isPassing && isNew
                    break
                }
            } catch {
                close(file)
                throw error
            }
            close(file)
        }
        // Only for the message of who comes second; without it the lock holds as well.
        let text = "\(getpid())\n"
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.utf8.count, 0) }
    }

    func release() {
        _ = ftruncate(descriptor, 0)
        // While it is still held, lest it be the next one's that goes.
        if isPassing { unlink(path) }
        // Not only closed: a child that is just being spawned has the descriptor too until it becomes another program.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Opens it, and makes it where it is not there.
    static func open(_ path: String, ofDatabase database: String) throws(SyncLockError) -> (file: Int32, isNew: Bool) {
        // Close-on-exec: a child that outlives the sync must not go on holding the lock.
        let options = O_RDWR | O_CLOEXEC | O_NOFOLLOW
        while true {
            let old = Foundation.open(path, options)
            if old >= 0 { return (old, false) }
            guard errno == ENOENT else { throw SyncLockError(errno: errno, path: path) }
            let new = Foundation.open(path, options | O_CREAT | O_EXCL, 0o600)
            if new >= 0 {
                giveToOwner(new, ofDatabase: database)
                return (new, true)
            }
            // Another was quicker.
            guard errno == EEXIST else { throw SyncLockError(errno: errno, path: path) }
        }
    }

    /// What root makes beside another's history would keep its owner out. SQLite does the same with its log.
    private static func giveToOwner(_ file: Int32, ofDatabase database: String) {
        guard geteuid() == 0 else { return }
        var status = stat()
        let directory = (database as NSString).deletingLastPathComponent
        guard stat(database, &status) == 0 || stat(directory.isEmpty ? "." : directory, &status) == 0 else { return }
        // Where it fails, as on some network's file systems, the lock holds as well, and a doctor tells whose it is.
        _ = fchown(file, status.st_uid, status.st_gid)
    }

    /// - Returns: false where who held it has taken its name away since it was opened: then it keeps nobody out.
    static func lock(_ file: Int32, at path: String, _ work: SyncLock.Work) throws(SyncLockError) -> Bool {
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            throw code == EWOULDBLOCK ? .held(work, byProcess: process(in: file)) : SyncLockError(errno: code, path: path)
        }
        var opened = stat(), named = stat()
        guard fstat(file, &opened) == 0 else { return true }
        return lstat(path, &named) == 0 && (named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino)
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
