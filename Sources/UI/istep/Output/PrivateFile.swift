import Foundation
import StepDomain

/// Files with a user's days, which only the user can read.
enum PrivateFile {
    /// Writes the whole text, or leaves what is there as it is: a reader never sees half a file.
    ///
    /// - Throws: `CommandFailure`.
    static func write(_ text: String, to path: String) throws(CommandFailure) {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw CommandFailure(
                .usage, "'\(path)' is not a file.", advice: "Name a file, or leave --output out and redirect: istep report > steps.html")
        }
        // Beside the file: a name in another file system could not take its place.
        let temporary = path + ".\(UUID().uuidString.prefix(8)).tmp"
        let number = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw failure(errno, path) }
        var code: Int32 = 0
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty, code == 0 {
            let count = bytes.withUnsafeBytes { Foundation.write(number, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count <= 0 { code = count < 0 ? errno : EIO } else { bytes = bytes.dropFirst(count) }
        }
        if code == 0, fsync(number) != 0, errno != EINVAL { code = errno }
        close(number)
        if code == 0, rename(temporary, path) != 0 { code = errno }
        guard code == 0 else {
            unlink(temporary)
            throw failure(code, path)
        }
    }

    private static func failure(_ code: Int32, _ path: String) -> CommandFailure {
        let category: FailureCategory =
            switch code {
            case EACCES, EPERM, EROFS: .permission
            case ENOSPC, EDQUOT: .temporary
            case ENOENT, ENOTDIR, EISDIR, ENAMETOOLONG: .usage
            default: .unforeseen
            }
        return CommandFailure(
            category, "'\(path)' could not be written: \(String(cString: strerror(code))).", advice: "Name another file: istep report -o FILE")
    }
}
