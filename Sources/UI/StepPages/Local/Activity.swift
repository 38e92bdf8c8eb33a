internal import StepViews
internal import Synchronization

/// What the local page does that takes time: one sync, delivery or search at a time, with its progress and its result.
final class Activity: Sendable {
    enum State: Hashable, Sendable {
        case idle
        /// The last line of its progress.
        case running(title: String, line: String)
        /// The lines of its result.
        case ended(title: String, lines: [String], hasFailed: Bool, next: Next? = nil)
    }

    struct Result: Sendable {
        var lines: [String]
        var hasFailed = false
        var next: Next?
    }

    /// A page to go on with.
    struct Next: Hashable, Sendable {
        var words: String
        /// The parts of its address.
        var path: [String]
    }

    private struct Content {
        var state = State.idle
        /// What runs, or has run last.
        var task: Task<Void, Never>?
        /// Nothing is begun any longer.
        var isOver = false
        var listeners: [AsyncStream<String>.Continuation] = []

        /// Removes the listeners that have ended. `onTermination` does not, because the cancellation of a task calls it
        /// while it holds the lock of the task, which `yield` needs in order to resume the task.
        mutating func deliver(_ line: String) {
            listeners.removeAll { if case .terminated = $0.yield("data: \(line)\n\n") { true } else { false } }
        }
    }

    private let content = Mutex(Content())
    /// Browsers that may follow at a time.
    private static let maximumListeners = 16

    var state: State { content.withLock { $0.state } }

    var isRunning: Bool { if case .running = state { true } else { false } }

    /// - Parameter work: is passed what shows a line of progress.
    /// - Returns: false if something is running already.
    func start(
        _ title: String, _ work: @escaping @Sendable (_ progress: @escaping @Sendable (String) -> Void) async -> Result
    ) -> Bool {
        content.withLock { content in
            if content.isOver { return false }
            if case .running = content.state { return false }
            content.state = .running(title: title, line: "Starting")
            content.task = Task { [self] in
                let result = await work { [self] in show($0, of: title) }
                end(title, result)
            }
            return true
        }
    }

    /// Cancels what is running, and returns when it has ended: it may hold a link to a pedometer. Nothing is begun any
    /// longer.
    func stop() async {
        let task = content.withLock { content in
            content.isOver = true
            return content.task
        }
        task?.cancel()
        await task?.value
    }

    private func show(_ line: String, of title: String) {
        let line = Printable(line, limit: 300).description
        content.withLock { content in
            // Progress may be reported late: what has ended does not run again.
            guard case .running = content.state else { return }
            content.state = .running(title: title, line: line)
            content.deliver(line)
        }
    }

    private func end(_ title: String, _ result: Result) {
        let listeners = content.withLock { content in
            content.state = .ended(
                title: title, lines: result.lines, hasFailed: result.hasFailed, next: result.next)
            defer { content.listeners = [] }
            return content.listeners
        }
        for listener in listeners {
            listener.yield("event: end\ndata: end\n\n")
            listener.finish()
        }
    }

    /// The progress as events, from the present line to the end.
    func events() -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream<String>.makeStream(bufferingPolicy: .bufferingNewest(64))
        let isFollowing = content.withLock { content in
            guard case .running(_, let line) = content.state else { return false }
            // Finds the listeners that have ended since the last line.
            if content.listeners.count >= Self.maximumListeners { content.deliver(line) }
            guard content.listeners.count < Self.maximumListeners else { return false }
            continuation.yield("data: \(line)\n\n")
            content.listeners.append(continuation)
            return true
        }
        if !isFollowing {
            continuation.yield("event: end\ndata: end\n\n")
            continuation.finish()
        }
        return stream
    }
}
