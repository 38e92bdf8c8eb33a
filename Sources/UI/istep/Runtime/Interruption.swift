import Dispatch
import Foundation
import Synchronization

/// Ctrl-C and `systemctl stop`: the first asks the command to end, so that the link is dropped and the scan stopped; the
/// second ends the process where it stands, and so does time when the command does not react: it may wait for a file or a
/// reader that never comes.
///
/// A signal that the process was started to ignore (`nohup`, or SIGINT in a script's background job) goes on being ignored.
enum Interruption {
    /// Seconds for a command to end by itself: more than a link takes to be dropped (BlueZ alone waits for two), less than anybody's patience.
    private static let grace = 5.0

    /// - Returns: what `body` returned, or 128 and the signal's number when it was interrupted.
    static func guarding(_ body: @escaping @Sendable () async -> Int32) async -> Int32 {
        let received = Mutex<Int32>(0)
        let task = Task { await body() }
        let sources = [SIGINT, SIGTERM, SIGHUP].compactMap { number -> (any DispatchSourceSignal)? in
            // Ignored or not, a source would hear of it.
            if isIgnored(signal(number, SIG_IGN)) { return nil }
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                let again = received.withLock { first in
                    defer { first = number }
                    return first != 0
                }
                if again { _exit(128 + number) }
                task.cancel()
                DispatchQueue.global().asyncAfter(deadline: .now() + grace) { _exit(128 + number) }
            }
            source.activate()
            return source
        }
        let status = await task.value
        for source in sources { source.cancel() }
        let interrupted = received.withLock { $0 }
        return interrupted == 0 || status == 0 ? status : 128 + interrupted
    }

    /// Functions cannot be compared; that one is a number in C.
    private static func isIgnored(_ handler: sighandler_t?) -> Bool {
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN as sighandler_t?, to: Int.self)
    }
}
