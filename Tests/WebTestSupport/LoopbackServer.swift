/// An HTTP server on loopback, which misbehaves on demand. It uses its own threads: it never blocks threads of Dispatch
/// or of Swift's tasks.
///
/// ```swift
/// let server = try LoopbackServer.start { request in
///     request.number == 1 ? .closeWithoutAnswer : .reply(status: 201)
/// }
/// defer { server.stop() }
/// ```
public final class LoopbackServer: Sendable {
    /// 1...65535, used by no other program.
    public let port: Int
    /// Such as `http://127.0.0.1:40123`.
    public let url: String
    private let server: ServerThreads

    /// - Parameters:
    ///   - arrival: what to do with a connection, by its number from 1.
    ///   - answer: what to do with a request. It is called on the connection's thread, and must not wait for anything.
    public static func start(
        on address: LoopbackAddress = .ipv4, arrival: @escaping @Sendable (Int) -> Arrival = { _ in .serve },
        _ answer: @escaping @Sendable (ReceivedRequest) -> Answer
    ) throws -> LoopbackServer {
        let (listener, port) = try address.bound()
        let server = try ServerThreads(listener: listener, arrival: arrival, answer: answer)
        return LoopbackServer(port: port, url: "\(address.host):\(port)", server)
    }

    private init(port: Int, url: String, _ server: ServerThreads) {
        (self.port, self.url, self.server) = (port, "http://" + url, server)
        server.start()
    }

    deinit { server.stop() }

    /// The requests that were complete so far.
    public var requests: [ReceivedRequest] { log.requests }

    public var log: ServerLog { server.log }

    /// Waits until the log meets the condition. Ends early when the task is cancelled.
    @discardableResult
    public func wait(until isEnough: @Sendable (ServerLog) -> Bool) async -> ServerLog {
        let (changes, id) = server.watch()
        defer { server.unwatch(id) }
        if isEnough(log) { return log }
        for await _ in changes where isEnough(log) { break }
        return log
    }

    /// Ends all connections and threads, and frees the port. Stopping again does nothing.
    public func stop() { server.stop() }
}
