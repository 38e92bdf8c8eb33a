import Dispatch
import Foundation
import Synchronization

/// Handles Ctrl-C and `systemctl stop`. The first signal requests the command to end, so that the link is dropped and
/// the scan stopped. The second ends the process at once, except a second SIGHUP. The process also ends if the command
/// does not react in time: it may wait for a file or a reader that never comes.
///
/// A signal that the process was started to ignore (`nohup`, or SIGINT in a script's background job) is still ignored.
enum Interruption {
    /// Seconds for a command to end by itself: longer than dropping a link takes (BlueZ alone waits for two), shorter
    /// than a user waits.
    private static let grace = 5.0

    /// - Returns: what `body` returned, or 128 and the signal's number when it was interrupted.
    static func guarding(_ body: @escaping @Sendable () async -> Int32) async -> Int32 {
        let received = Mutex<Int32>(0)
        let running = Mutex<Task<Int32, Never>?>(nil)
        let handlers = SignalHandlers([SIGINT, SIGTERM, SIGHUP].filter { !isIgnored($0) }) { number in
            let again = received.withLock { first in
                defer { first = number }
                return first != 0 ? first : nil
            }
            // When a terminal is closed, the kernel sends SIGHUP, and so does the shell: this is one request.
            if let again, again != SIGHUP || number != SIGHUP { end(128 + number) }
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
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN as sighandler_t?, to: Int.self)
    }
}

/// Signal handlers that replace the default actions.
///
/// Dispatch registers them a moment after they were made. Until then each signal has its old action: one that is
/// ignored is lost, and one that ends the process ends it. So begin nothing before `registered` has returned.
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
        await withCheckedContinuation { continuation in registration.notify(queue: .global()) { continuation.resume() }
        }
    }

    func cancel() {
        for source in sources { source.cancel() }
    }
}
