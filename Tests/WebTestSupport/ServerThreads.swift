internal import Foundation
internal import Glibc
internal import TestSupport
internal import Synchronization

/// The threads of a `LoopbackServer`: one that accepts, and one for each connection.
final class ServerThreads: Sendable {
    private struct State {
        var log = ServerLog()
        var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
        var nextWatcher = 0
        /// By connection number. Only its own thread closes a socket, with this locked, so that no descriptor is used
        /// after that.
        var sockets: [Int: Socket] = [:]
        var isStopped = false
    }

    private let state = Mutex(State())
    private let listener: Listener
    private let arrival: @Sendable (Int) -> Arrival
    private let answer: @Sendable (ReceivedRequest) -> Answer
    private let threads = ThreadCount()

    init(
        listener: Int32, arrival: @escaping @Sendable (Int) -> Arrival,
        answer: @escaping @Sendable (ReceivedRequest) -> Answer
    ) throws {
        self.listener = try Listener(listener, backlog: 128)
        (self.arrival, self.answer) = (arrival, answer)
    }

    var log: ServerLog { state.withLock { $0.log } }

    func start() { threads.start { self.accept() } }

    func stop() {
        let isFirst = state.withLock { state in
            defer { state.isStopped = true }
            for socket in state.sockets.values { socket.interrupt() }
            return !state.isStopped
        }
        guard isFirst else { return }
        listener.end()
        threads.waitForAll()
    }

    func watch() -> (changes: AsyncStream<Void>, id: Int) {
        let (changes, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.nextWatcher += 1
            state.watchers[state.nextWatcher] = continuation
            return state.nextWatcher
        }
        return (changes, id)
    }

    func unwatch(_ id: Int) { state.withLock { _ = $0.watchers.removeValue(forKey: id) } }

    /// Changes the log and notifies the watchers.
    func note<Result: Sendable>(_ change: (inout ServerLog) -> Result) -> Result {
        let (result, watchers) = state.withLock { (change(&$0.log), $0.watchers.values) }
        for watcher in watchers { watcher.yield() }
        return result
    }

    var isStopped: Bool { state.withLock { $0.isStopped } }

    private func accept() {
        while let number = listener.accept() {
            // Swift does not import accept4. A program started just now inherits the connection, so it is shut down,
            // not only closed.
            _ = fcntl(number, F_SETFD, FD_CLOEXEC)
            let socket = Socket(number: number)
            let connection = state.withLock { state -> Int? in
                guard !state.isStopped else { return nil }
                state.log.connections += 1
                state.sockets[state.log.connections] = socket
                return state.log.connections
            }
            guard let connection else { return socket.close() }
            note { _ in }
            threads.start { self.serve(socket, connection) }
        }
    }

    private func serve(_ socket: Socket, _ number: Int) {
        Connection(socket: socket, number: number, server: self).serve(arrival(number), answer)
        state.withLock { state in
            state.sockets[number] = nil
            socket.close()
        }
        note { $0.closedConnections += 1 }
    }
}

/// Threads that can be waited for.
private final class ThreadCount: Sendable {
    private let condition = NSCondition()
    private let count = Mutex(0)

    func start(_ body: @escaping @Sendable () -> Void) {
        count.withLock { $0 += 1 }
        let thread = Thread {
            body()
            self.condition.lock()
            self.count.withLock { $0 -= 1 }
            self.condition.broadcast()
            self.condition.unlock()
        }
        thread.stackSize = 512 * 1024
        thread.start()
    }

    func waitForAll() {
        condition.lock()
        while count.withLock({ $0 }) > 0 { condition.wait() }
        condition.unlock()
    }
}
