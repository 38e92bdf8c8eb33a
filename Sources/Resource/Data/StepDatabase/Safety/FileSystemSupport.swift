import Foundation
import Support

/// Something that a history needs of a file system, and that this one does not have.
public struct MissingSupport: Hashable, Sendable {
    public enum Feature: String, Sendable {
        /// `HistoryLock` keeps two syncs apart by them.
        case fileLocks = "file locks (flock)"
        /// SQLite's locks.
        case recordLocks = "record locks (fcntl)"
        /// SQLite's write-ahead log.
        case sharedMemory = "shared memory (mmap)"
    }

    var feature: Feature
    /// The type of the file system, such as `nfs4`; nil if it is not known.
    var fileSystem: String?

    var problem: String { "the file system\(fileSystem.map { " (\($0))" } ?? "") has no \(feature.rawValue)" }
    static let advice =
        "keep the history on a local disk: name it with --db, with database in config.toml, or with ISTEP_DB"
}

/// Finds out whether a file system has what a history needs: locks, and memory that processes share.
///
/// Some network file systems, and some volumes of containers, lack one of them. The errors of SQLite do not show that:
/// it reports a record lock that fails with ENOLCK as a lock of another program, and shared memory that fails as a
/// failed disk. So each is tried on a file that is removed at once.
enum FileSystemSupport {
    /// What is missing for the history at `path`; nil if nothing is, or if no file can be created beside it.
    static func missing(besides path: String) -> MissingSupport? {
        guard let file = temporaryFile(besides: path) else { return nil }
        defer { close(file) }
        guard let feature = missing(on: file) else { return nil }
        return MissingSupport(feature: feature, fileSystem: name(of: path))
    }

    private static func missing(on file: Int32) -> MissingSupport.Feature? {
        // SQLite's own locks. The file is new and has no other name, so a lock that is refused is never held by another
        // process.
        var lock = flock()
        (lock.l_type, lock.l_whence, lock.l_start, lock.l_len) = (Int16(F_WRLCK), Int16(SEEK_SET), 0, 1)
        if fcntl(file, F_SETLK, &lock) != 0 { return .recordLocks }
        if ftruncate(file, 4096) == 0 {
            let memory = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
            if memory == MAP_FAILED { return .sharedMemory }
            munmap(memory, 4096)
        }
        // The locks of `HistoryLock` and `DatabaseCopy`.
        return flock(file, LOCK_EX | LOCK_NB) == 0 ? nil : .fileLocks
    }

    /// The type of the file system that a path is on, such as `nfs4`; nil if it is not known.
    static func name(of path: String) -> String? {
        let directory = directoryName(HistoryLock.realPath(path))
        guard let mounts = try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8) else { return nil }
        return name(of: directory.isEmpty ? "/" : directory, in: mounts)
    }

    /// - Parameter mounts: the content of `/proc/self/mountinfo`. A line of it (proc_pid_mountinfo(5)):
    ///   `36 35 98:0 / /mnt/steps rw,noatime master:1 - nfs4 server:/steps rw`
    static func name(of directory: String, in mounts: String) -> String? {
        var best: (point: String, type: String)?
        for mount in mounts.split(separator: "\n") {
            let fields = mount.split(separator: " ")
            guard fields.count > 5, let dash = fields.dropFirst(6).firstIndex(of: "-"), dash + 1 < fields.count else {
                continue
            }
            let point = fields[4].replacingOccurrences(of: "\\040", with: " ")
            let isAbove = point == "/" || directory == point || directory.hasPrefix(point + "/")
            // Of two on one directory, the later one covers the other.
            if isAbove, best.map({ point.utf8.count >= $0.point.utf8.count }) ?? true {
                best = (point, String(fields[dash + 1]))
            }
        }
        // A driver in user space names itself.
        return best.flatMap { $0.type.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f } ? $0.type : nil }
    }

    /// A file without a name in the directory of a path; nil if none can be created. `errno` then has the reason.
    static func temporaryFile(besides path: String) -> Int32? {
        let directory = directoryName(path)
        var name = Array("\(directory.isEmpty ? "." : directory)/.istep-room-XXXXXX".utf8CString)
        let file = mkstemp(&name)
        guard file >= 0 else { return nil }
        // Remove it at once, so that a process that is killed leaves no file.
        unlink(name)
        return file
    }
}
