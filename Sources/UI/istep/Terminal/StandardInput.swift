import Foundation
import Support

/// Standard input, for a command that may be interrupted while it waits.
enum StandardInput {
    /// The next line, without its end; nil at the end of the input, and at once when the task is cancelled. (`readLine`
    /// goes on waiting in a cancelled task.)
    ///
    /// What follows the line is lost if it arrives together with it. A terminal delivers one line at a time.
    static func line() async -> String? {
        let pipe = Pipe()
        let wakeup = pipe.fileHandleForReading, cancel = pipe.fileHandleForWriting
        return await withTaskCancellationHandler {
            try? await blocking { withExtendedLifetime(wakeup) { line(until: wakeup.fileDescriptor) } }
        } onCancel: {
            try? cancel.write(contentsOf: Data([0]))
        }
    }

    /// - Parameter wakeup: a descriptor that ends the wait when it can be read.
    private static func line(until wakeup: Int32) -> String? {
        var line: [UInt8] = []
        while true {
            var files = [STDIN_FILENO, wakeup].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&files, nfds_t(files.count), -1) > 0 else {
                if errno == EINTR { continue }
                return nil
            }
            if files[1].revents != 0 { return nil }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            line += buffer.prefix(max(0, count))
            if let end = line.firstIndex(of: 0x0a) { return String(decoding: line[..<end], as: UTF8.self) }
            // A last line without an end is one, too.
            if count <= 0 { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
        }
    }
}
