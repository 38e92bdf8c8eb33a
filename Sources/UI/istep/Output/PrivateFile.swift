import Foundation
import StepDomain

/// Files with a user's days, which only the user can read.
enum PrivateFile {
    /// Writes the whole text, or leaves what is there as it is: a reader never sees half a file. A symbolic link of the
    /// user stays: the file that it leads to is written.
    ///
    /// - Parameter advice: what to do where it cannot be written.
    /// - Throws: `CommandFailure`.
    static func write(_ text: String, to path: String, advice: String) throws(CommandFailure) {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw CommandFailure(.usage, "'\(path)' is not a file.", advice: advice)
        }
        let target = try target(of: path, advice)
        // Beside the file: a name in another file system could not take its place.
        let temporary = target + ".\(UUID().uuidString.prefix(8)).tmp"
        let number = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw failure(errno, target, advice) }
        var code: Int32 = 0
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty, code == 0 {
            let count = bytes.withUnsafeBytes { Foundation.write(number, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count <= 0 { code = count < 0 ? errno : EIO } else { bytes = bytes.dropFirst(count) }
        }
        if code == 0, fsync(number) != 0, errno != EINVAL { code = errno }
        close(number)
        if code == 0, rename(temporary, target) != 0 { code = errno }
        guard code == 0 else {
            unlink(temporary)
            throw failure(code, target, advice)
        }
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
            case ENOENT, ENOTDIR, EISDIR, ENAMETOOLONG, ELOOP: .usage
            default: .unforeseen
            }
        return CommandFailure(
            category, "'\(path)' could not be written: \(String(cString: strerror(code))).", advice: advice)
    }
}
