import Foundation

/// A file of which no more is read than a limit, and nothing is waited for.
struct SmallFile {
    let bytes: [UInt8]
    /// Bits of the mode without the type.
    let mode: mode_t
    let owner: uid_t

    enum Failure: Error, Hashable {
        case absent
        /// Neither a regular file nor /dev/null.
        case notRegular
        case tooLarge
        /// In the words of the system.
        case unreadable(String)

        fileprivate init(_ code: Int32) { self = .unreadable(String(cString: strerror(code))) }
    }

    /// - Parameter limit: bytes.
    init(_ path: String, limit: Int) throws(Failure) {
        // Not blocking: the opening of a named pipe waits for a writer, who may never come.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { throw errno == ENOENT || errno == ENOTDIR ? .absent : Failure(errno) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw Failure(errno) }
        if status.st_mode & S_IFMT == S_IFDIR { throw Failure(EISDIR) }
        guard status.st_mode & S_IFMT == S_IFREG || isNull(status) else { throw .notRegular }

        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var length = 0
        while length < bytes.count {
            let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress.map { $0 + length }, $0.count - length) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw Failure(errno) }
            if count == 0 { break }
            length += count
        }
        guard length <= limit else { throw .tooLarge }
        self.bytes = Array(bytes[..<length])
        mode = status.st_mode & 0o7777
        owner = status.st_uid
    }
}

/// Whether a file is /dev/null, by which one says that there is nothing.
private func isNull(_ file: stat) -> Bool {
    var null = stat()
    return file.st_mode & S_IFMT == S_IFCHR && stat("/dev/null", &null) == 0 && file.st_rdev == null.st_rdev
}
