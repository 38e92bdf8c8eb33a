internal import Foundation
internal import Glibc
internal import Synchronization

/// The output of a program, read on a separate thread until it ends.
public final class Log: Sendable {
    private struct Waiter {
        /// Nil to wait for the end.
        let good: String?
        let bad: [String]
        let continuation: CheckedContinuation<Bool, Never>

        /// Nil while the result is open.
        func verdict(_ text: String, isOver: Bool) -> Bool? {
            if let good, text.contains(good) { return true }
            return isOver || bad.contains { text.contains($0) } ? false : nil
        }
    }

    private struct State {
        var text = ""
        var isOver = false
        var waiters: [Waiter] = []
    }

    private let state = Mutex(State())

    /// - Parameter descriptor: read until the end of its input, and then closed.
    init(reading descriptor: Int32) {
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                take { $0.text += String(decoding: buffer.prefix(count), as: UTF8.self) }
            }
            close(descriptor)
            take { $0.isOver = true }
        }
    }

    /// The whole output so far.
    public var text: String { state.withLock { $0.text } }

    /// Waits until the program has written `good` or one of `bad`, or until its output ends.
    public func contains(_ good: String, orAnyOf bad: [String] = []) async -> Bool {
        await wait(for: good, bad)
    }

    /// Waits until the output ends.
    func end() async { _ = await wait(for: nil, []) }

    private func wait(for good: String?, _ bad: [String]) async -> Bool {
        await withCheckedContinuation { continuation in
            let waiter = Waiter(good: good, bad: bad, continuation: continuation)
            let verdict = state.withLock { state in
                let verdict = waiter.verdict(state.text, isOver: state.isOver)
                if verdict == nil { state.waiters.append(waiter) }
                return verdict
            }
            if let verdict { continuation.resume(returning: verdict) }
        }
    }

    private func take(_ change: (inout State) -> Void) {
        let settled = state.withLock { state -> [(Waiter, Bool)] in
            change(&state)
            let text = state.text, isOver = state.isOver
            let settled = state.waiters.compactMap { waiter in waiter.verdict(text, isOver: isOver).map { (waiter, $0) } }
            state.waiters.removeAll { $0.verdict(text, isOver: isOver) != nil }
            return settled
        }
        for (waiter, verdict) in settled { waiter.continuation.resume(returning: verdict) }
    }
}
