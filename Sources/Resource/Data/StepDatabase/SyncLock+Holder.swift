import Foundation

extension SyncLock {
    /// Who holds the lock at this moment; nil where nobody does, or it cannot be told. Nothing is made for it, and the lock is not taken.
    public static func holder(ofDatabase path: String, for work: Work = .syncing) -> Int32? {
        let file = open(realPath(path) + work.suffix, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // An empty file, as everybody leaves it who ends well, need not be tried: to try is to have it for a moment, and whoever
        // begins just then would be turned away.
        guard let process = LockFile.process(in: file) else { return nil }
        guard flock(file, LOCK_SH | LOCK_NB) != 0 else {
            flock(file, LOCK_UN)
            return nil      // left by one that was killed; its number is another's now
        }
        return errno == EWOULDBLOCK ? process : nil
    }
}
