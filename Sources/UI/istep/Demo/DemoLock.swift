import Foundation
import StepDomain

/// The lock of a demo's folder. Its file also has the names of what a start has created in the user's folder, until the
/// demo is complete: a start that was killed is undone by the next command that takes the lock.
extension DemoFolder {
    /// The file of a demo's lock, as others see it. It shows the process even after that has removed the file, until
    /// the lock is released.
    struct LockFile {
        private let file: Int32

        /// Nil if there is no such file of this user.
        init?(_ path: String) {
            file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            if file < 0 { return nil }
            if !DemoFolder.isOwnFile(file) {
                close()
                return nil
            }
        }

        /// The process that holds the lock; nil if none does.
        var holder: Int32? {
            var lock = flock()
            lock.l_type = Int16(F_WRLCK)
            return fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK) && lock.l_pid > 0
                ? lock.l_pid : nil
        }

        var started: [String] { DemoFolder.started(in: file) }

        func close() { _ = Foundation.close(file) }
    }

    /// Holds the lock of a demo's folder until the process ends. (Nothing else in the process may open the file: a
    /// POSIX lock ends when any descriptor of its file is closed.)
    struct Lock: Sendable {
        private let file: Int32
        private let path: String
        private let inode: ino_t

        /// - Parameter isStart: makes the folder. A command that ends another demo may remove it at any time before the
        ///   lock is held.
        /// - Returns: nil if another process holds it, and if there is no folder.
        /// - Throws: `CommandFailure` where the file or the folder cannot be used.
        static func take(_ folder: DemoFolder, isStart: Bool) throws(CommandFailure) -> Lock? {
            let path = folder.lockPath
            var made = 0
            // Once more where a demo that ended has removed the file in between.
            while true {
                if isStart { made = try max(made, folder.makeFolder()) }
                let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
                if file < 0, errno == ENOENT {
                    if isStart { continue }
                    return nil
                }
                guard file >= 0 else {
                    throw CommandFailure(.permission, "'\(path)' cannot be used: \(String(cString: strerror(errno))).")
                }
                guard DemoFolder.isOwnFile(file) else {
                    close(file)
                    throw CommandFailure(
                        .permission, "'\(path)' cannot be used: it is not a file of your own.", advice: "Remove it.")
                }
                var lock = flock()
                lock.l_type = Int16(F_WRLCK)
                guard fcntl(file, F_SETLK, &lock) == 0 else {
                    close(file)
                    return nil
                }
                var status = stat()
                if fstat(file, &status) == 0 {
                    let taken = Lock(file: file, path: path, inode: status.st_ino)
                    if taken.isInPlace {
                        if made > 0, !folder.isTemporary {
                            taken.setStarted(taken.started + DemoFolder.madeFolders.prefix(made))
                        }
                        return taken
                    }
                }
                close(file)
            }
        }

        /// Whether the file is still there; otherwise the folder was removed.
        var isInPlace: Bool {
            var status = stat()
            return lstat(path, &status) == 0 && status.st_ino == inode
        }

        /// What the start has created so far and a failure must remove, as paths in the folder; also the folder itself.
        var started: [String] { DemoFolder.started(in: file) }

        func setStarted(_ names: [String]) {
            let bytes = Array(names.map { $0 + "\n" }.joined().utf8)
            _ = ftruncate(file, 0)
            _ = bytes.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
        }

        private init(file: Int32, path: String, inode: ino_t) {
            self.file = file
            self.path = path
            self.inode = inode
        }

        func release() { close(file) }
    }

    private static func isOwnFile(_ file: Int32) -> Bool {
        var status = stat()
        return fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
    }

    private static func started(in file: Int32) -> [String] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = pread(file, &bytes, bytes.count, 0)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").map(String.init) : []
    }
}

/// What is done with the folder by the process that holds the lock.
extension DemoFolder {
    /// What a start creates: the configuration, where its destination writes, and the history with the files that
    /// SQLite and istep make beside one.
    static let startFiles: [String] =
        ["istep/config.toml", "diary.csv", "Gadgetbridge.db", "Gadgetbridge.db-journal"]
        + ["", "-wal", "-shm", "-journal", ".lock", ".share.lock", ".check"].map { "history.sqlite" + $0 }

    /// The relative names of the folder and of its parents, which a start may have created.
    fileprivate static let madeFolders: [String] =
        [".", ".."] + (2...32).map { Array(repeating: "..", count: $0).joined(separator: "/") }

    /// The files that a start will create in the user's folder; empty if an existing history is continued.
    var filesToStart: [String] {
        if isTemporary || FileManager.default.fileExists(atPath: history) { return [] }
        return Self.startFiles.filter { !FileManager.default.fileExists(atPath: path + "/" + $0) }
    }

    /// What a start has created that was not complete when it was killed; while one is running, what it may have
    /// created so far.
    var started: [String] {
        guard let lock = LockFile(lockPath) else { return [] }
        defer { lock.close() }
        return lock.started
    }

    /// Undoes a start, but for the folder itself.
    func removeStarted(_ names: [String]) {
        // The names come from a file: none of them may lead elsewhere.
        for name in Self.startFiles where names.contains(name) { unlink(path + "/" + name) }
        if names.contains("istep/config.toml") { rmdir(path + "/istep") }
    }

    /// Removes the folders that a start has made, if nothing else is in them.
    private func removeMade(_ names: [String]) {
        var made = path
        for name in Self.madeFolders {
            guard names.contains(name), rmdir(made) == 0 else { return }
            made = (made as NSString).deletingLastPathComponent
        }
    }

    /// Begins a start with the lock: undoes one that was killed, and records what this one will create.
    func begin(_ lock: Lock) {
        clean()
        let started = lock.started
        removeStarted(started)
        // An empty folder that the killed one has made is still to be removed if this one fails, too.
        lock.setStarted(filesToStart + Self.madeFolders.filter { started.contains($0) })
    }

    /// Removes what an earlier demo has left: one that was killed.
    func clean() {
        unlink(statePath)
        guard isTemporary else { return }
        for name in otherFiles { try? FileManager.default.removeItem(atPath: path + "/" + name) }
    }

    /// All but the lock.
    private var otherFiles: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter { path + "/" + $0 != lockPath }
    }

    /// Removes the demo: the whole folder, or its files in a folder of the user, and what an incomplete start has
    /// created there.
    ///
    /// - Parameter started: further files of such a start.
    func remove(_ lock: Lock, started: [String] = []) {
        let names = lock.started + started
        removeStarted(names)
        // The bus of a demo that was killed removes its own files at the same time, and a folder that it has just
        // emptied is not removed at once.
        for attempt in 0..<10 {
            if attempt > 0 { usleep(20_000) }  // on this thread: the program ends after this
            clean()
            if !isTemporary || otherFiles.isEmpty { break }
        }
        // Last, because another demo can begin in the folder after this, and its files must not be removed.
        unlink(lockPath)
        // Not empty where another one has begun.
        if isTemporary { rmdir(path) } else { removeMade(names) }
    }

    func write(_ state: State) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try PrivateFile.write(
            String(decoding: try encoder.encode(state), as: UTF8.self) + "\n", to: statePath, advice: Self.advice)
    }
}
