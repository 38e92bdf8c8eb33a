import Foundation
import StepDomain
import Support

/// A file with a user's days, which only the user can read. It has its name once it is complete: a reader never sees
/// half a file.
final class PrivateFile {
    private let path: String
    private let temporary: String
    private let descriptor: Int32
    private let advice: String
    private let replaces: Bool
    private var isFinished = false

    /// - Parameters:
    ///   - advice: what to do where it cannot be written.
    ///   - replaces: whether an earlier file may be replaced, also one that appears while this one is written.
    /// - Throws: `CommandFailure`, as all that follows.
    init(_ path: String, advice: String, replaces: Bool = true) throws(CommandFailure) {
        self.path = path
        self.advice = advice
        self.replaces = replaces
        temporary = temporaryPath(for: path)
        let number = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw PrivateFile.failure(errno, path, advice) }
        descriptor = number
    }

    func write(_ bytes: [UInt8]) throws(CommandFailure) {
        var left = bytes[...]
        while !left.isEmpty {
            let count = left.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure(count < 0 ? errno : EIO, path, advice) }
            left = left.dropFirst(count)
        }
    }

    /// Takes its name, and the place of what has it, if that may be replaced.
    func finish() throws(CommandFailure) {
        if fsync(descriptor) != 0, errno != EINVAL { throw Self.failure(errno, path, advice) }
        let code: Int32 =
            if replaces { rename(temporary, path) == 0 ? 0 : errno } else {
                renameWithoutReplacing(temporary, to: path)
            }
        guard code == 0 else { throw Self.failure(code, path, advice) }
        isFinished = true
    }

    deinit {
        close(descriptor)
        if !isFinished { unlink(temporary) }
    }

    /// Writes the whole text, or leaves what is there as it is. A symbolic link of the user stays: the file that it
    /// leads to is written.
    static func write(
        _ text: String, to path: String, advice: String, replaces: Bool = true
    ) throws(CommandFailure) {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw CommandFailure(.usage, "'\(path)' is not a file.", advice: advice)
        }
        let file = try PrivateFile(try target(of: path, advice), advice: advice, replaces: replaces)
        try file.write(Array(text.utf8))
        try file.finish()
    }

    /// The first bytes of a file as text; empty if it cannot be read. Nil if there is no file, if it is empty, or if it
    /// is no regular file.
    static func beginning(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return nil }
        let bytes = try? FileHandle(forReadingAtPath: path)?.read(upToCount: 4096)
        return String(decoding: bytes ?? Data(), as: UTF8.self)
    }

    /// The file that symbolic links of the user or of the system lead to; it may be missing. A link of another user is
    /// replaced instead: it could lead to any file of this user.
    private static func target(of path: String, _ advice: String) throws(CommandFailure) -> String {
        var target = path
        // As many as the kernel follows (path_resolution(7)).
        for _ in 0...40 {
            var status = stat()
            guard lstat(target, &status) == 0, status.st_mode & S_IFMT == S_IFLNK,
                [geteuid(), 0].contains(status.st_uid)
            else { return target }
            var buffer = [CChar](repeating: 0, count: 4096)
            let count = readlink(target, &buffer, buffer.count)
            guard count > 0 else { throw failure(count < 0 ? errno : ENOENT, path, advice) }
            let link = String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
            let folder = target.lastIndex(of: "/").map { String(target[...$0]) } ?? ""
            target = link.hasPrefix("/") ? link : folder + link
        }
        throw failure(ELOOP, path, advice)
    }

    static func failure(_ code: Int32, _ path: String, _ advice: String) -> CommandFailure {
        let category: FailureCategory =
            switch code {
            case EACCES, EPERM, EROFS: .permission
            case ENOSPC, EDQUOT: .temporary
            case ENOENT, ENOTDIR, EISDIR, ENAMETOOLONG, ELOOP, EEXIST, ENOTEMPTY: .usage
            default: .unforeseen
            }
        return CommandFailure(
            category, "'\(path)' could not be written: \(String(cString: strerror(code))).", advice: advice)
    }
}
