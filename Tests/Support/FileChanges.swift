@preconcurrency internal import Dispatch
internal import Glibc
internal import Foundation

/// The changes of a file, or of the files in a folder, by inotify(7).
public enum FileChanges {
    /// One element for each change; changes that arrive together give one. Earlier changes give none. Ends with the
    /// task that iterates.
    ///
    /// - Throws: `POSIXError` if the file cannot be watched.
    public static func stream(of path: String) throws -> (stream: AsyncStream<Void>, end: @Sendable () -> Void) {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor >= 0, inotify_add_watch(descriptor, path, UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO)) >= 0
        else {
            let reason = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            if descriptor >= 0 { close(descriptor) }
            throw reason
        }
        let (stream, changes) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "FileChanges"))
        source.setEventHandler {
            withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
                while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
            }
            changes.yield()
        }
        source.setCancelHandler { close(descriptor) }
        changes.onTermination = { _ in source.cancel() }
        source.resume()
        return (stream, { changes.finish() })
    }

    /// Returns once `isDone`, which is asked again after each change in a folder.
    public static func wait(in folder: String, until isDone: () -> Bool) async throws {
        let (changes, end) = try stream(of: folder)
        defer { end() }
        guard !isDone() else { return }
        for await _ in changes where isDone() { return }
        throw CancellationError()
    }
}
