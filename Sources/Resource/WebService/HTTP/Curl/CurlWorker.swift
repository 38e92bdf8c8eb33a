internal import CCurl
internal import Foundation
internal import Support
internal import Synchronization

/// A queue of requests, and the thread that sends them one after another.
final class CurlWorker: Sendable {
    private struct State {
        var waiting: [CurlExchange] = []
        var hasThread = false
        var isStopped = false
        /// Set while the thread can be woken.
        var wakeup: CurlWakeup?
        var isAsleep = false
    }

    private let state = Mutex(State())
    private let settings: CurlSettings

    init(_ settings: CurlSettings) { self.settings = settings }

    func enqueue(_ exchange: CurlExchange) {
        let (startsThread, wakeup) = state.withLock { state in
            state.waiting.append(exchange)
            defer { state.hasThread = true }
            return (!state.hasThread, state.isAsleep ? state.wakeup : nil)
        }
        // Called without the lock, which the woken thread needs at once. The wakeup is still valid: the thread ends
        // only after `stop`, and no request is sent after that.
        wakeup?.signal()
        if startsThread { Thread.detachNewThread { self.run() } }
        // The request may have been cancelled before it was in the queue.
        if exchange.cancellation.isCancelled { wake() }
    }

    /// Wakes the thread to check for cancellations.
    func wake() { state.withLock { $0.wakeup?.signal() } }

    /// Ends the thread once the queue is empty.
    func stop() {
        state.withLock {
            $0.isStopped = true
            $0.wakeup?.signal()
        }
    }

    private func run() {
        blockBrokenPipeSignal()
        if let problem = CurlLibrary.problem { return failWaiting(problem) }
        guard let engine = CurlEngine() else { return failWaiting("libcurl: out of memory") }
        state.withLock { $0.wakeup = engine.wakeup }
        var prepared: PreparedTransfer?
        while let current = prepared ?? next(engine).map({ PreparedTransfer($0, settings) }) {
            prepared = nil
            // The thread has nothing else to do while the server works.
            engine.perform(current) {
                prepared = self.firstWaiting().map { PreparedTransfer($0, self.settings) }
            } onWakeup: {
                self.dropCancelled()
                if prepared?.isCancelled == true { prepared?.finish(.failure(.cancelled(wasSent: false))) }
            }
            if prepared?.isFinished == true { prepared = nil }
        }
    }

    private func firstWaiting() -> CurlExchange? {
        state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
    }

    /// Waits for a request. Nil if the thread must end; the wakeup cannot be used from then on.
    private func next(_ engine: CurlEngine) -> CurlExchange? {
        while true {
            dropCancelled()
            let (exchange, ends) = state.withLock { state -> (CurlExchange?, Bool) in
                state.isAsleep = false
                if !state.waiting.isEmpty { return (state.waiting.removeFirst(), false) }
                if state.isStopped { state.wakeup = nil }
                state.isAsleep = !state.isStopped
                return (nil, state.isStopped)
            }
            if exchange != nil || ends { return exchange }
            engine.sleep()
        }
    }

    private func dropCancelled() {
        let dropped = state.withLock { state in
            guard state.waiting.contains(where: \.cancellation.isCancelled) else { return [CurlExchange]() }
            defer { state.waiting.removeAll(where: \.cancellation.isCancelled) }
            return state.waiting.filter(\.cancellation.isCancelled)
        }
        for exchange in dropped { exchange.finish(.failure(.cancelled(wasSent: false))) }
    }

    /// Fails all waiting requests. The next request starts a new thread.
    private func failWaiting(_ reason: String) {
        let waiting = state.withLock { state in
            defer { (state.waiting, state.hasThread) = ([], false) }
            return state.waiting
        }
        for exchange in waiting { exchange.finish(.failure(.notSent(reason: reason))) }
    }
}
