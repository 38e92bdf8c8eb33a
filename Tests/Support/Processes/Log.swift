internal import Foundation
internal import Glibc
internal import Synchronization

/// The output of a program, read on a separate thread until it ends.
public final class Log: Sendable {
    /// Returns how to resume a task that waits, if the output so far settles what it waits for.
    private typealias Attempt = @Sendable (_ text: String, _ isOver: Bool) -> (@Sendable () -> Void)?

    private struct State {
        var text = ""
        var isOver = false
        var attempts: [Attempt] = []
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

    /// Whether the output has ended, and with it the program.
    public var isOver: Bool { state.withLock { $0.isOver } }

    /// Waits until the program has written `good` or one of `bad`, or until its output ends.
    public func contains(_ good: String, orAnyOf bad: [String] = []) async -> Bool {
        await wait { text, isOver in
            if text.contains(good) { return true }
            return isOver || bad.contains { text.contains($0) } ? false : nil
        }
    }

    /// Waits until the program has written such a line; nil if its output ends without one.
    public func line(where isWanted: @escaping @Sendable (String) -> Bool) async -> String? {
        await wait { text, isOver -> String?? in
            // The last one may be incomplete.
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            if let line = lines.first(where: { isWanted(String($0)) }) { return .some(String(line)) }
            return isOver ? .some(nil) : nil
        }
    }

    /// Waits until the output ends.
    func end() async { _ = await wait { _, isOver -> Bool? in isOver ? true : nil } }

    private func wait<Value: Sendable>(_ verdict: @escaping @Sendable (_ text: String, _ isOver: Bool) -> Value?) async
        -> Value
    {
        await withCheckedContinuation { (continuation: CheckedContinuation<Value, Never>) in
            let attempt: Attempt = { text, isOver in
                guard let value = verdict(text, isOver) else { return nil }
                return { continuation.resume(returning: value) }
            }
            let resume = state.withLock { state in
                let resume = attempt(state.text, state.isOver)
                if resume == nil { state.attempts.append(attempt) }
                return resume
            }
            resume?()
        }
    }

    private func take(_ change: (inout State) -> Void) {
        let settled = state.withLock { state in
            change(&state)
            let attempts = state.attempts
            state.attempts = []
            var settled: [@Sendable () -> Void] = []
            for attempt in attempts {
                if let resume = attempt(state.text, state.isOver) {
                    settled.append(resume)
                } else {
                    state.attempts.append(attempt)
                }
            }
            return settled
        }
        for resume in settled { resume() }
    }
}
