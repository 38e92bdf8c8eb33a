internal import CAccept
internal import Foundation
public import PageExchange
internal import Synchronization

/// A server of HTTP/1.1 for browsers on this machine: one thread, sockets that never block, and a limit for everything
/// that a client can use. It sends what a handler returns, and does not depend on the pages.
///
/// Why it is not FlyingFox, the closest alternative: `.github/ARCHITECTURE.md`, "Dependencies".
public final class LocalServer: Sendable {
    public typealias Handler = @Sendable (ServedRequest) async -> ServedResponse
    /// Accepts a connection of a listening socket: its descriptor, or -1 with errno set.
    typealias Accept = @Sendable (Int32) -> Int32

    fileprivate let sockets: [ListeningSocket]
    fileprivate let limits: ServerLimits
    fileprivate let idleTime: Duration?
    fileprivate let isBusy: @Sendable () -> Bool
    fileprivate let handler: Handler
    fileprivate let mailbox: ServerMailbox
    fileprivate let accept: Accept

    /// The time without a request after which a server that systemd started ends. The next request starts it again.
    public static let idleTime = Duration.seconds(600)

    /// - Parameters:
    ///   - idleTime: how long to continue without a request; nil for ever.
    ///   - isBusy: whether work that a request has begun still runs: then the server continues even without requests.
    /// - Throws: `ListeningSocket.Failure` if no descriptor is available.
    public convenience init(
        _ sockets: [ListeningSocket], limits: ServerLimits = ServerLimits(), idleTime: Duration? = nil,
        isBusy: @escaping @Sendable () -> Bool = { false }, handler: @escaping Handler
    ) throws(ListeningSocket.Failure) {
        try self.init(
            sockets, limits: limits, idleTime: idleTime, isBusy: isBusy, accept: { accept_private($0) },
            handler: handler)
    }

    init(
        _ sockets: [ListeningSocket], limits: ServerLimits, idleTime: Duration?, isBusy: @escaping @Sendable () -> Bool,
        accept: @escaping Accept, handler: @escaping Handler
    ) throws(ListeningSocket.Failure) {
        self.sockets = sockets
        self.limits = limits
        self.idleTime = idleTime
        self.isBusy = isBusy
        self.accept = accept
        self.handler = handler
        mailbox = try ServerMailbox()
    }

    /// Serves until the task is cancelled, or until there was no request for `idleTime`. When it returns, the socket
    /// files that this program created are removed.
    public func run() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // A separate thread: it waits in poll(2), which must not block a thread of Swift's pool.
                let thread = Thread { [self] in
                    ServerLoop(self).run()
                    for socket in sockets { socket.removeFile() }
                    continuation.resume()
                }
                thread.name = "pages"
                thread.stackSize = 512 << 10
                thread.start()
            }
        } onCancel: {
            mailbox.post(.stop)
        }
    }
}

/// What tasks report to the loop. Each message wakes it.
final class ServerMailbox: Sendable {
    enum Message: Sendable {
        case response(connection: UInt64, ServedResponse)
        case chunk(connection: UInt64, [UInt8])
        case end(connection: UInt64)
        case stop
    }

    /// Readable while there are messages.
    let descriptor: Int32
    private let writing: Int32
    private let messages = Mutex<[Message]>([])

    init() throws(ListeningSocket.Failure) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .system("socketpair", errno: errno) }
        (descriptor, writing) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(writing)
    }

    func post(_ message: Message) {
        messages.withLock { $0.append(message) }
        // A socket that is full wakes the loop as well.
        var byte: UInt8 = 1
        send(writing, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    func take() -> [Message] {
        var bytes = [UInt8](repeating: 0, count: 256)
        while read(descriptor, &bytes, bytes.count) == bytes.count {}
        return messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}

/// The loop over all connections. Everything in it belongs to its thread.
private final class ServerLoop {
    private let server: LocalServer
    private let clock = ContinuousClock()
    private var connections: [UInt64: ServedConnection] = [:]
    private var lastID: UInt64 = 0
    private var lastRequest: ContinuousClock.Instant
    /// While descriptors are exhausted, no connection is accepted until this moment: `poll` would return at once for
    /// ever.
    private var acceptsAgain: ContinuousClock.Instant?
    private var isStopping = false

    /// The pause after which a connection is accepted again if no descriptor was free.
    private static let pauseWithoutDescriptors = Duration.milliseconds(100)

    init(_ server: LocalServer) {
        self.server = server
        lastRequest = clock.now
    }

    func run() {
        while !isStopping {
            let ids = connections.keys.sorted()
            var polled = [pollfd(fd: server.mailbox.descriptor, events: Int16(POLLIN), revents: 0)]
            if acceptsAgain.map({ $0 <= clock.now }) == true { acceptsAgain = nil }
            polled += server.sockets.map {
                pollfd(fd: $0.descriptor, events: acceptsAgain == nil ? Int16(POLLIN) : 0, revents: 0)
            }
            let first = polled.count
            for id in ids {
                if let connection = connections[id] {
                    polled.append(pollfd(fd: connection.descriptor, events: connection.events, revents: 0))
                }
            }
            let count = poll(&polled, nfds_t(polled.count), timeout())
            guard count >= 0 || errno == EINTR else { break }
            if polled[0].revents != 0 { for message in server.mailbox.take() { deliver(message) } }
            for (index, id) in ids.enumerated() where polled[first + index].revents != 0 {
                handle(id, polled[first + index].revents)
            }
            for (index, socket) in server.sockets.enumerated() where polled[1 + index].revents != 0 { accept(socket) }
            closeOverdue()
        }
        for connection in connections.values { connection.task?.cancel() }
    }

    /// Milliseconds until the next limit is reached; -1 for none.
    private func timeout() -> Int32 {
        var next = connections.values.compactMap(\.deadline).min()
        for moment in [idleEnd, acceptsAgain].compactMap(\.self) { next = next.map { min($0, moment) } ?? moment }
        guard let next else { return -1 }
        let rest = max(.zero, clock.now.duration(to: next))
        let (seconds, attoseconds) = rest.components
        return Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
    }

    /// When the loop ends by itself; nil while a client waits for an answer.
    private var idleEnd: ContinuousClock.Instant? {
        guard let idleTime = server.idleTime, !connections.values.contains(where: \.isAnswering) else { return nil }
        return lastRequest + idleTime
    }

    private func closeOverdue() {
        let now = clock.now
        for (id, connection) in connections {
            guard let deadline = connection.deadline, deadline <= now else { continue }
            // A client that has begun a request learns why the connection ends.
            if connection.isReadingRequest { respond(id, .failure(408), keepsAlive: false) } else { drop(id) }
        }
        // Work in progress extends the time.
        if let idleEnd, idleEnd <= now { if server.isBusy() { lastRequest = now } else { isStopping = true } }
    }

    private func drop(_ id: UInt64) {
        connections.removeValue(forKey: id)?.task?.cancel()
    }

    private func accept(_ socket: ListeningSocket) {
        // A flood of connections must not keep the others waiting.
        for _ in 0..<server.limits.connections {
            let number = server.accept(socket.descriptor)
            if number < 0 {
                guard [EMFILE, ENFILE].contains(errno) else { return }
                // Out of descriptors: the connection that has waited for longest is closed.
                if dropOldest() { continue }
                acceptsAgain = clock.now + Self.pauseWithoutDescriptors
                return
            }
            guard ServedConnection.isOfThisUser(number, socket.address) else {
                close(number)
                continue
            }
            lastID += 1
            connections[lastID] = ServedConnection(number, server.limits, now: clock.now)
            if connections.count > server.limits.connections, !dropOldest() { drop(lastID) }
        }
    }

    /// Closes the connection without a complete request that began first: other connections never interrupt a request
    /// that is being answered.
    private func dropOldest() -> Bool {
        guard
            let oldest = connections.filter({ !$0.value.isAnswering }).min(by: {
                ($0.value.since, $0.key) < ($1.value.since, $1.key)
            })
        else {
            return false
        }
        drop(oldest.key)
        return true
    }

    private func handle(_ id: UInt64, _ events: Int16) {
        guard let connection = connections[id] else { return }
        if events & Int16(POLLERR | POLLNVAL) != 0 { return drop(id) }
        if events & Int16(POLLOUT) != 0, !connection.write(now: clock.now) { return drop(id) }
        if events & Int16(POLLIN | POLLHUP | 0x2000) != 0, !connection.read() { return drop(id) }  // POLLRDHUP: 0x2000
        proceed(id)
    }

    /// Begins what the connection is ready for: the next request, or its end.
    private func proceed(_ id: UInt64) {
        guard let connection = connections[id] else { return }
        if connection.isDone { return drop(id) }
        switch connection.nextRequest() {
        case .incomplete: if connection.isExhausted { drop(id) }
        case .failure(let status): respond(id, .failure(status), keepsAlive: false)
        case .request(let request, let keepsAlive, _):
            lastRequest = clock.now
            connection.begin(keepsAlive: keepsAlive, isHead: request.method == "HEAD")
            let (handler, mailbox) = (server.handler, server.mailbox)
            connection.task = Task {
                let response = await handler(request)
                mailbox.post(.response(connection: id, response))
                guard request.method != "HEAD", case .stream(let chunks) = response.body else { return }
                for await chunk in chunks { mailbox.post(.chunk(connection: id, chunk)) }
                mailbox.post(.end(connection: id))
            }
        }
    }

    private func deliver(_ message: ServerMailbox.Message) {
        switch message {
        case .response(let id, let response): respond(id, response, keepsAlive: true)
        case .chunk(let id, let bytes):
            guard let connection = connections[id] else { return }
            if !connection.add(bytes) || !connection.write(now: clock.now) { drop(id) }
        case .end(let id):
            connections[id]?.endStream()
            advance(id)
        case .stop: isStopping = true
        }
    }

    private func respond(_ id: UInt64, _ response: ServedResponse, keepsAlive: Bool) {
        guard let connection = connections[id] else { return }
        connection.respond(response, keepsAlive: keepsAlive, now: clock.now)
        advance(id)
    }

    private func advance(_ id: UInt64) {
        lastRequest = clock.now
        guard let connection = connections[id] else { return }
        if !connection.write(now: clock.now) { return drop(id) }
        proceed(id)
    }
}
