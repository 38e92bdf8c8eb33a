internal import Foundation
internal import StepDomain
internal import Support

/// A text file of lines that is read and replaced as a whole: its lock, its symbolic links, its line ends, and the
/// atomic replacement.
///
/// It knows nothing of days; `FileDestination` has their lines.
struct LineFile {
    let path: String

    /// Bytes. Ten years of a household's days are a hundredth of it.
    static let limit = 64 << 20

    /// The content of a file, line by line.
    struct Content {
        var lines: [String] = []
        /// The line end of the file: a file saved by Windows keeps its own.
        var lineEnd = "\n"
        var hasByteOrderMark = false

        var text: String { (hasByteOrderMark ? "\u{feff}" : "") + lines.map { $0 + lineEnd }.joined() }

        init() {}

        init(_ text: String) {
            var scalars = text.unicodeScalars[...]
            if scalars.first == "\u{feff}" {
                hasByteOrderMark = true
                scalars.removeFirst()
            }
            // Split by scalars: "\r\n" is one character.
            var parts = scalars.split(separator: "\n", omittingEmptySubsequences: false)
            if parts.last?.isEmpty == true { parts.removeLast() }
            if parts.first?.last == "\r" { lineEnd = "\r\n" }
            lines = parts.map { String($0.last == "\r" ? $0.dropLast() : $0) }
        }
    }

    /// The content of the file; empty if there is no file.
    func read() throws(ShareFailure) -> Content {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            if errno == ENOENT { return Content() }
            throw failure("cannot be read")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw unsuitable("is not a regular file")
        }
        guard status.st_size <= Self.limit else {
            throw unsuitable("has more than \(Self.limit >> 20) MiB")
        }
        guard let data = try? handle.readToEnd() ?? Data() else { throw failure("cannot be read") }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw unsuitable("is not UTF-8 text")
        }
        return Content(text)
    }

    /// Replaces the lines of the file, atomically and durably.
    ///
    /// - Parameter pause: waits between two attempts while another program has locked the folder.
    func replace(
        pause: @Sendable (Duration) async throws -> Void, _ body: @escaping @Sendable ([String]) -> [String]
    ) async throws(ShareFailure) {
        var pauses = 0
        while try await !Self.outsidePool({ try replaceNow(body) }) {
            pauses += 1
            guard pauses <= Self.maximumPauses else {
                throw ShareFailure(
                    .busy, "the directory \(quoted(directoryName(path))) is locked by another program",
                    advice: "End that program, or set `path` to a file in another directory.")
            }
            do { try await pause(Self.pause) } catch { throw ShareFailure(.busy, "interrupted") }
        }
    }

    /// The pause between two attempts to lock the folder. They take 30 seconds in all: a program that keeps the lock
    /// longer does more than write a file.
    private static let pause = Duration.milliseconds(100)
    private static let maximumPauses = 300

    /// Runs work that may wait for a disk outside of Swift's pool, whose few threads run all other tasks.
    static func outsidePool<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws(ShareFailure) -> R {
        do {
            return try await blocking(body)
        } catch let failure as ShareFailure {
            throw failure
        } catch {
            throw ShareFailure(.unreachable, "\(error)")
        }
    }

    /// - Returns: false if another program has locked the folder; nothing has changed then.
    @discardableResult
    func replaceNow(_ body: ([String]) -> [String]) throws(ShareFailure) -> Bool {
        let file = try resolved()
        try file.makeFolder()
        // The lock is held across reading and writing, so that two programs never undo each other's changes.
        let folder = open(directoryName(file.path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failure("cannot be written") }
        defer { close(folder) }
        while flock(folder, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw failure("cannot be locked") }
        }
        var content = try file.read()
        content.lines = body(content.lines)
        try file.write(content.text, syncing: folder)
        return true
    }

    /// The most symbolic links that the kernel follows (path_resolution(7)).
    private static let maximumLinks = 40

    /// The file that is replaced: a symbolic link is kept, and its target is replaced, or created.
    ///
    /// - Throws: `unreachable` if the directory of the target is missing, as that of a disk that is not mounted.
    private func resolved() throws(ShareFailure) -> LineFile {
        var end = path
        var status = stat()
        for _ in 0..<Self.maximumLinks {
            if let whole = realpath(end, nil) {
                defer { free(whole) }
                return LineFile(path: String(cString: whole))
            }
            guard lstat(end, &status) == 0, status.st_mode & S_IFMT == S_IFLNK,
                let next = try? FileManager.default.destinationOfSymbolicLink(atPath: end)
            else { break }
            end = next.hasPrefix("/") ? next : directoryName(end) + "/" + next
        }
        let isThere = lstat(end, &status) == 0
        // A directory on the way can be such a link, too.
        if end == path, !isThere, let link = Self.deadLink(above: path) {
            throw Self.unreachable("the symbolic link \(quoted(link)) leads to nothing that can be reached")
        }
        if end == path, !isThere { return self }
        // A concurrent delivery has created it meanwhile.
        if isThere, status.st_mode & S_IFMT != S_IFLNK { return LineFile(path: end) }
        guard !isThere, stat(directoryName(end), &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw Self.unreachable(
                "the symbolic link \(quoted(path)) leads to \(quoted(end)), which cannot be reached")
        }
        return LineFile(path: end)
    }

    /// The directory of a path that is a symbolic link without a target; nil if none is.
    private static func deadLink(above path: String) -> String? {
        var folder = directoryName(path)
        var status = stat()
        while folder.count > 1, stat(folder, &status) != 0 {
            if lstat(folder, &status) == 0 { return folder }
            folder = directoryName(folder)
        }
        return nil
    }

    /// Checks that the file's folder exists, or can be made, and is writable.
    func checkFolder() throws(ShareFailure) {
        var folder = directoryName(try resolved().path)
        while folder.count > 1, access(folder, F_OK) != 0, errno == ENOENT { folder = directoryName(folder) }
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, access(folder, W_OK) == 0 else {
            throw ShareFailure(
                .misconfigured, "\(quoted(folder)) is not a directory that you can write to",
                advice: "Set `path` to a file in a writable directory.")
        }
    }

    private func makeFolder() throws(ShareFailure) {
        let folder = directoryName(path)
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw ShareFailure(
                .misconfigured, "the directory \(quoted(folder)) cannot be created",
                advice: "Create it, or set `path` to another.")
        }
    }

    private func write(_ text: String, syncing folder: Int32) throws(ShareFailure) {
        removeDrafts()
        let draft = Self.draftBeginning(path) + "\(getpid())"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("cannot be written") }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes = bytes.dropFirst(count)
        }
        let isDone = bytes.isEmpty && takeRights(descriptor) && fsync(descriptor) == 0 && rename(draft, path) == 0
        // Before `close` and `unlink`, which may set `errno`.
        let problem = isDone ? nil : failure("cannot be written")
        close(descriptor)
        if let problem {
            unlink(draft)
            throw problem
        }
        fsync(folder)
    }

    private static func draftBeginning(_ path: String) -> String { path + ".istep-" }

    /// Removes what processes have left that were killed while they wrote. A file of a process that exists is kept,
    /// unless it is this one.
    private func removeDrafts() {
        let beginning = (Self.draftBeginning(path) as NSString).lastPathComponent
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directoryName(path))) ?? []
        where name.hasPrefix(beginning) {
            guard let process = pid_t(name.dropFirst(beginning.count)), process > 0 else { continue }
            if process == getpid() || (kill(process, 0) != 0 && errno == ESRCH) {
                unlink(directoryName(path) + "/" + name)
            }
        }
    }

    /// Of `/proc/sys/kernel/overflowgid`, unless an administrator has changed it.
    private static let unmappedGroup: gid_t = 65_534

    /// Gives the new file the owner, the group and the permissions of the old one.
    private func takeRights(_ descriptor: Int32) -> Bool {
        var old = stat()
        guard stat(path, &old) == 0 else { return true }
        var new = stat()
        guard fstat(descriptor, &new) == 0 else { return false }
        // A service may not be allowed to call chown at all. In a user namespace, all groups that are not mapped have
        // one number (user_namespaces(7)).
        let isSameGroup = new.st_gid == old.st_gid && old.st_gid != Self.unmappedGroup
        // Only root can give a file away, and its owner only to a group of his own (chown(2)).
        let keepsGroup =
            new.st_uid == old.st_uid && isSameGroup || fchown(descriptor, old.st_uid, old.st_gid) == 0
            || fchown(descriptor, uid_t.max, old.st_gid) == 0 || isSameGroup
        // Otherwise another group would get the permissions of this one.
        return fchmod(descriptor, old.st_mode & (keepsGroup ? 0o777 : 0o707)) == 0
    }

    private func unsuitable(_ what: String) -> ShareFailure {
        ShareFailure(.misconfigured, "\(quoted(path)) \(what)", advice: "Set `path` to a file of its own.")
    }

    private static func unreachable(_ reason: String) -> ShareFailure {
        ShareFailure(.unreachable, reason, advice: "Mount the disk that it leads to, or correct the link.")
    }

    /// Classifies the failure by `errno`. A full disk is temporary; a missing permission is not.
    private func failure(_ what: String) -> ShareFailure {
        let code = errno
        let isPassing = [ENOSPC, EDQUOT, EIO, EMFILE, ENFILE].contains(code)
        return ShareFailure(
            isPassing ? .unreachable : .misconfigured, "\(quoted(path)) \(what): \(String(cString: strerror(code)))",
            advice: isPassing ? nil : "Set `path` to a file that you can write to.")
    }
}
