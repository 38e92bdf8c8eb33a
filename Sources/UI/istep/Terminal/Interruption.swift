import Blocking
import Dispatch
import Foundation
import StepDomain
import Synchronization

/// Handles Ctrl-C and `systemctl stop`. The first signal requests the command to end, so that the link is dropped and the scan
/// stopped. The second ends the process at once. The process also ends if the command does not react in time: it may wait for
/// a file or a reader that never comes.
///
/// A signal that the process was started to ignore (`nohup`, or SIGINT in a script's background job) is still ignored.
enum Interruption {
    /// Seconds for a command to end by itself: longer than dropping a link takes (BlueZ alone waits for two), shorter than a user waits.
    private static let grace = 5.0

    /// - Returns: what `body` returned, or 128 and the signal's number when it was interrupted.
    static func guarding(_ body: @escaping @Sendable () async -> Int32) async -> Int32 {
        let received = Mutex<Int32>(0)
        let running = Mutex<Task<Int32, Never>?>(nil)
        let handlers = SignalHandlers([SIGINT, SIGTERM, SIGHUP].filter { !isIgnored($0) }) { number in
            let again = received.withLock { first in
                defer { first = number }
                return first != 0
            }
            if again { end(128 + number) }
            running.withLock { $0?.cancel() }
            DispatchQueue.global().asyncAfter(deadline: .now() + grace) { end(128 + number) }
        }
        // Until then a signal ends the process; that is harmless, because nothing has begun.
        await handlers.registered()
        let task = Task { await body() }
        running.withLock { $0 = task }
        // A signal may have come since the registration.
        if received.withLock({ $0 }) != 0 { task.cancel() }
        let status = await task.value
        handlers.cancel()
        let interrupted = received.withLock { $0 }
        return interrupted == 0 || status == 0 ? status : 128 + interrupted
    }

    private static func end(_ status: Int32) {
        TerminalScreen.leaveCurrent()
        _exit(status)
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        // Functions cannot be compared, but `SIG_IGN` is a number in C.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN as sighandler_t?, to: Int.self)
    }
}

/// Signal handlers that replace the default actions.
///
/// Dispatch registers them a moment after they were made. Until then each signal has its old action: one that is ignored is lost, and one
/// that ends the process ends it. So begin nothing before `registered` has returned.
final class SignalHandlers {
    private let sources: [any DispatchSourceSignal]
    private let registration = DispatchGroup()

    /// - Parameter handle: called on any thread with the number of the signal.
    init(_ numbers: [Int32], _ handle: @escaping @Sendable (Int32) -> Void) {
        sources = numbers.map { DispatchSource.makeSignalSource(signal: $0, queue: .global()) }
        for (number, source) in zip(numbers, sources) {
            registration.enter()
            source.setRegistrationHandler { [registration] in registration.leave() }
            source.setEventHandler { handle(number) }
            source.activate()
        }
    }

    func registered() async {
        await withCheckedContinuation { continuation in registration.notify(queue: .global()) { continuation.resume() } }
    }

    func cancel() {
        for source in sources { source.cancel() }
    }
}

/// Standard input, for a command that may be interrupted while it waits.
enum StandardInput {
    /// The next line, without its end; nil at the end of the input, and at once when the task is cancelled. (`readLine` continues to wait in a
    /// cancelled task.)
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
