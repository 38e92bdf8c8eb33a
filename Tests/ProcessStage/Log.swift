internal import Foundation
internal import Glibc
internal import Synchronization

/// What a program writes, read on a thread of its own until it ends.
public final class Log: Sendable {
    private struct Waiter {
        let good: String
        let bad: [String]
        let continuation: CheckedContinuation<Bool, Never>

        /// Nil while neither is there.
        func verdict(_ text: String, isOver: Bool) -> Bool? {
            if text.contains(good) { return true }
            return isOver || bad.contains { text.contains($0) } ? false : nil
        }
    }

    private struct State {
        var text = ""
        var isOver = false
        var waiters: [Waiter] = []
    }

    private let state = Mutex(State())

    /// - Parameter handle: read as it comes, for `FileHandle` itself waits until it has as much as was asked for.
    init(reading handle: FileHandle) {
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(handle.fileDescriptor, &buffer, buffer.count)
                guard count > 0 else { break }
                take { $0.text += String(decoding: buffer.prefix(count), as: UTF8.self) }
            }
            take { $0.isOver = true }
        }
    }

    /// All so far.
    public var text: String { state.withLock { $0.text } }

    /// Waits until `good` was written, or one of `bad`, or nothing more comes.
    public func contains(_ good: String, orAnyOf bad: [String] = []) async -> Bool {
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
