internal import Foundation
internal import Synchronization

/// Requests that wait, and the thread that sends them one after another.
final class CurlWorker: Sendable {
    private struct State {
        var waiting: [Exchange] = []
        var hasThread = false
        var isStopped = false
        /// Set while the thread can be woken.
        var alarm: CurlAlarm?
        var isAsleep = false
    }

    private let state = Mutex(State())
    private let settings: CurlSettings

    init(_ settings: CurlSettings) { self.settings = settings }

    func enqueue(_ exchange: Exchange) {
        let (startsThread, alarm) = state.withLock { state in
            state.waiting.append(exchange)
            defer { state.hasThread = true }
            return (!state.hasThread, state.isAsleep ? state.alarm : nil)
        }
        // Whom it wakes wants the lock at once. It rings still: the thread ends only after `stop`, when nobody sends any more.
        alarm?.ring()
        if startsThread { Thread.detachNewThread { self.run() } }
        // It may have been cancelled before it was here to be found.
        if exchange.cancellation.isCancelled { wake() }
    }

    /// Lets the thread look for cancellations.
    func wake() { state.withLock { $0.alarm?.ring() } }

    /// Ends the thread once nothing waits.
    func stop() {
        state.withLock {
            $0.isStopped = true
            $0.alarm?.ring()
        }
    }

    private func run() {
        // TLS libraries write without MSG_NOSIGNAL: a server that is gone would end the whole program.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)

        if let problem = CurlLibrary.problem { return giveUp(problem) }
        guard let engine = CurlEngine(settings) else { return giveUp("libcurl: out of memory") }
        state.withLock { $0.alarm = engine.alarm }
        while let exchange = next(engine) {
            engine.perform(exchange) { self.dropCancelled() }
        }
    }

    /// Waits for a request. Nil once the thread has to end, when nobody can ring any more.
    private func next(_ engine: CurlEngine) -> Exchange? {
        while true {
            dropCancelled()
            let (exchange, ends) = state.withLock { state -> (Exchange?, Bool) in
                state.isAsleep = false
                if !state.waiting.isEmpty { return (state.waiting.removeFirst(), false) }
                if state.isStopped { state.alarm = nil }
                state.isAsleep = !state.isStopped
                return (nil, state.isStopped)
            }
            if exchange != nil || ends { return exchange }
            engine.sleep()
        }
    }

    private func dropCancelled() {
        let dropped = state.withLock { state in
            guard state.waiting.contains(where: \.cancellation.isCancelled) else { return [Exchange]() }
            defer { state.waiting.removeAll(where: \.cancellation.isCancelled) }
            return state.waiting.filter(\.cancellation.isCancelled)
        }
        for exchange in dropped { exchange.finish(.failure(.cancelled(wasSent: false))) }
    }

    /// The next request begins anew, with a new thread.
    private func giveUp(_ reason: String) {
        let waiting = state.withLock { state in
            defer { (state.waiting, state.hasThread) = ([], false) }
            return state.waiting
        }
        for exchange in waiting { exchange.finish(.failure(.notSent(reason: reason))) }
    }
}
