internal import CCurl
internal import Foundation
internal import Support
internal import Synchronization

extension CurlTransport: WebSocketTransport {
    /// libcurl makes the connection (name, proxy, TLS; CURLOPT_CONNECT_ONLY), handshake and frames are istep's: the
    /// WebSocket interface of libcurl is experimental up to 8.10 and missing in the packages of Debian 12.
    public func open(_ url: WebAddress) async throws(WebSocketError) -> any WebSocket {
        let socket = CurlWebSocket(url, settings)
        _ = try await socket.perform(.open)
        return socket
    }
}

/// A WebSocket with a thread of its own, on which libcurl is used, until the WebSocket is released.
final class CurlWebSocket: WebSocket {
    private let worker: WebSocketWorker

    init(_ url: WebAddress, _ settings: CurlSettings) { worker = WebSocketWorker(url, settings) }

    deinit { worker.stop() }

    func send(_ text: String) async throws(WebSocketError) { _ = try await perform(.send(text)) }

    func receive() async throws(WebSocketError) -> String { try await perform(.receive) }

    func close() async { _ = try? await perform(.close) }

    func perform(_ operation: WebSocketWorker.Operation) async throws(WebSocketError) -> String {
        let cancellation = Cancellation()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                worker.enqueue(.init(operation: operation, cancellation: cancellation, continuation: continuation))
            }
        } onCancel: {
            cancellation.cancel()
            worker.wake()
        }
        return try outcome.get()
    }
}

/// Performs the operations of one WebSocket, one after another, on its thread.
final class WebSocketWorker: Sendable {
    enum Operation {
        case open, receive, close
        case send(String)
    }

    struct Job: Sendable {
        let operation: Operation
        let cancellation: Cancellation
        let continuation: CheckedContinuation<Result<String, WebSocketError>, Never>
    }

    private struct State {
        var waiting: [Job] = []
        var isStarted = false
        var isStopped = false
        var wakeup: CurlWakeup?
    }

    private let url: WebAddress
    private let settings: CurlSettings
    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)

    init(_ url: WebAddress, _ settings: CurlSettings) { (self.url, self.settings) = (url, settings) }

    func enqueue(_ job: Job) {
        let starts = state.withLock { state in
            state.waiting.append(job)
            defer { state.isStarted = true }
            return !state.isStarted
        }
        if starts { Thread.detachNewThread { self.run() } }
        signal.signal()
    }

    /// Makes the current operation check whether it was cancelled.
    func wake() { state.withLock { $0.wakeup?.signal() } }

    /// Ends the thread after all enqueued operations.
    func stop() {
        state.withLock { $0.isStopped = true }
        signal.signal()
    }

    private func run() {
        blockBrokenPipeSignal()
        var connection: WebSocketConnection?
        while let job = next() {
            do throws(WebSocketError) {
                if case .open = job.operation {
                    connection = try WebSocketConnection(url, settings)
                    state.withLock { $0.wakeup = connection?.wakeup }
                }
                guard let connection else { throw .failed(.notSent(reason: "there is no connection")) }
                job.continuation.resume(returning: .success(try connection.perform(job.operation, job.cancellation)))
            } catch {
                job.continuation.resume(returning: .failure(error))
            }
        }
        state.withLock { $0.wakeup = nil }
        withExtendedLifetime(connection) {}
    }

    private func next() -> Job? {
        while true {
            signal.wait()
            let (job, ends) = state.withLock { state in
                (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.isStopped && state.waiting.isEmpty)
            }
            if job != nil || ends { return job }
        }
    }
}
