internal import Foundation
internal import Quoting
internal import StepDomain

/// A text file that is read and replaced whole, line by line.
struct LineFile {
    let path: String

    /// Bytes. Ten years of a household's days are a hundredth of it.
    static let limit = 64 << 20

    /// What stands in a file, line by line.
    struct Content {
        var lines: [String] = []
        /// As the file has it: one that Windows saved keeps its own.
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
            // By scalars: "\r\n" is one character.
            var parts = scalars.split(separator: "\n", omittingEmptySubsequences: false)
            if parts.last?.isEmpty == true { parts.removeLast() }
            if parts.first?.last == "\r" { lineEnd = "\r\n" }
            lines = parts.map { String($0.last == "\r" ? $0.dropLast() : $0) }
        }
    }

    /// What stands in the file; nothing where there is none.
    func read() throws(ShareFailure) -> Content {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            if errno == ENOENT { return Content() }
            throw failure("cannot be read")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ShareFailure(.misconfigured, "\(quoted(path)) is no regular file", advice: "Set `path` to a file of its own.")
        }
        guard status.st_size <= Self.limit else {
            throw ShareFailure(.misconfigured, "\(quoted(path)) has more than \(Self.limit >> 20) MiB", advice: "Set `path` to a file of its own.")
        }
        guard let data = try? handle.readToEnd() ?? Data() else { throw failure("cannot be read") }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw ShareFailure(.misconfigured, "\(quoted(path)) is no UTF-8 text", advice: "Set `path` to a file of its own.")
        }
        return Content(text)
    }

    /// Puts other lines in the place of those there are, whole or not at all, and durably.
    func replace(_ body: ([String]) -> [String]) throws(ShareFailure) {
        // A link stays one: what it points to is replaced.
        let target = realpath(path, nil).map { pointer in
            defer { free(pointer) }
            return String(cString: pointer)
        } ?? path
        let file = LineFile(path: target)
        try file.makeFolder()
        // Held across reading and writing, so that of two programs none undoes what the other wrote.
        let folder = open((target as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failure("cannot be written") }
        defer { close(folder) }
        while flock(folder, LOCK_EX) != 0 { guard errno == EINTR else { throw failure("cannot be locked") } }
        var content = try file.read()
        content.lines = body(content.lines)
        try file.write(content.text, syncing: folder)
    }

    /// Whether the file's folder is there, or can be made, and may be written.
    func checkFolder() throws(ShareFailure) {
        var folder = (path as NSString).deletingLastPathComponent
        while folder.count > 1, access(folder, F_OK) != 0, errno == ENOENT { folder = (folder as NSString).deletingLastPathComponent }
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, access(folder, W_OK) == 0 else {
            throw ShareFailure(.misconfigured, "\(quoted(folder)) is no folder that you may write to", advice: "Set `path` to a file in one that you may.")
        }
    }

    private func makeFolder() throws(ShareFailure) {
        let folder = (path as NSString).deletingLastPathComponent
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw ShareFailure(.misconfigured, "the folder \(quoted(folder)) cannot be made", advice: "Make it, or set `path` to another.")
        }
    }

    private func write(_ text: String, syncing folder: Int32) throws(ShareFailure) {
        var old = stat()
        let mode = stat(path, &old) == 0 ? old.st_mode & 0o777 : 0o600
        let draft = path + ".istep-\(getpid())"
        unlink(draft)   // of a process of this number that was killed
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw failure("cannot be written") }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes = bytes.dropFirst(count)
        }
        let isWritten = bytes.isEmpty && fchmod(descriptor, mode) == 0 && fsync(descriptor) == 0
        let failure = failure("cannot be written")
        close(descriptor)
        guard isWritten, rename(draft, path) == 0 else {
            unlink(draft)
            throw failure
        }
        fsync(folder)
    }

    /// By `errno`. A full disk passes; what is not permitted does not by itself.
    private func failure(_ what: String) -> ShareFailure {
        let code = errno
        let isPassing = [ENOSPC, EDQUOT, EIO, EMFILE, ENFILE].contains(code)
        return ShareFailure(
            isPassing ? .unreachable : .misconfigured, "\(quoted(path)) \(what): \(String(cString: strerror(code)))",
            advice: isPassing ? nil : "Set `path` to a file that you may write.")
    }
}
