internal import Glibc
internal import PageExchange

/// A connection of a client: its unparsed input, its unsent output and its deadline.
///
/// It belongs to the thread of the loop.
final class ServedConnection {
    private enum State {
        /// Waits for a request, or for the rest of one.
        case reading
        /// The handler has the request.
        case answering
        /// The response is being sent.
        case writing
        /// The response has no end yet.
        case streaming
        /// All was sent. What the client still sends is read and ignored for a moment: closing at once would destroy
        /// the response on its way.
        case draining
        case done
    }

    let descriptor: Int32
    var task: Task<Void, Never>?
    /// When it began to wait for a request.
    private(set) var since: ContinuousClock.Instant
    private(set) var deadline: ContinuousClock.Instant?
    private let limits: ServerLimits
    private var parser: RequestParser
    private var state = State.reading
    private var input: [UInt8] = []
    private var output: [UInt8] = []
    private var sent = 0
    private var keepsAlive = false
    private var isHead = false
    /// The client sends nothing more. It may still read.
    private var hasEnded = false

    init(_ descriptor: Int32, _ limits: ServerLimits, now: ContinuousClock.Instant) {
        self.descriptor = descriptor
        self.limits = limits
        parser = RequestParser(limits: limits)
        since = now
        // The time counts from the connection: a client that sends single bytes gains no time.
        deadline = now + limits.request
    }

    deinit { close(descriptor) }

    /// Whether the client of a Unix socket is this user, or root.
    static func isOfThisUser(_ descriptor: Int32, _ address: ListeningSocket.Address) -> Bool {
        guard case .path = address else { return true }
        var peer = (pid: Int32(0), uid: UInt32(0), gid: UInt32(0))  // struct ucred
        var length = socklen_t(12)
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 else { return false }
        return peer.uid == geteuid() || peer.uid == 0
    }

    var isAnswering: Bool { state == .answering || state == .writing || state == .streaming }
    var isReadingRequest: Bool { state == .reading && !input.isEmpty }
    var isDone: Bool { state == .done }
    /// Whether no further request can come, and none is being answered.
    var isExhausted: Bool { hasEnded && state == .reading }

    /// What to wait for.
    var events: Int16 {
        let reading = state == .reading || state == .draining ? Int16(POLLIN) : 0
        // If a stream has nothing to send, only this event shows that its client has gone (POLLRDHUP).
        let hangup: Int16 = state == .streaming ? 0x2000 : 0
        return reading | hangup | (sent < output.count ? Int16(POLLOUT) : 0)
    }

    /// - Returns: false if the client has gone.
    func read() -> Bool {
        // The connection is gone in both directions, or its stream is no longer wanted.
        guard state == .reading || state == .draining else { return false }
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 {
                // The data that it has sent before may be a request, and the client may wait for the response.
                hasEnded = true
                return state == .reading && !input.isEmpty
            }
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            if state == .draining { return true }
            input += buffer[..<count]
            // This is more than a request can have: the parser decides what is wrong with it.
            if input.count > limits.head + limits.body + 4 { return true }
        }
    }

    /// The next request of what was received; nothing while an earlier one is being answered.
    func nextRequest() -> RequestParser.Result {
        guard state == .reading else { return .incomplete }
        let result = parser.parse(input)
        if case .request(_, _, let length) = result { input.removeFirst(length) }
        return result
    }

    func begin(keepsAlive: Bool, isHead: Bool) {
        state = .answering
        deadline = nil
        self.keepsAlive = keepsAlive
        self.isHead = isHead
    }

    func respond(_ response: ServedResponse, keepsAlive: Bool, now: ContinuousClock.Instant) {
        // A request that could not be parsed was never begun.
        self.keepsAlive = self.keepsAlive && keepsAlive && state == .answering
        var isStream = false
        if case .stream = response.body { isStream = true }
        if isStream { self.keepsAlive = false }
        output = response.head(keepsAlive: self.keepsAlive)
        sent = 0
        if case .bytes(let bytes) = response.body, !isHead { output += bytes }
        state = isStream && !isHead ? .streaming : .writing
        deadline = now + limits.request
    }

    /// - Returns: false if the client is too far behind.
    func add(_ bytes: [UInt8]) -> Bool {
        guard state == .streaming else { return true }
        output.removeFirst(sent)
        sent = 0
        output += bytes
        return output.count <= limits.backlog
    }

    func endStream() { if state == .streaming { state = .writing } }

    /// Sends as much as the client accepts.
    ///
    /// - Returns: false if the client has gone.
    func write(now: ContinuousClock.Instant) -> Bool {
        while sent < output.count {
            let count = output.withUnsafeBytes {
                send(descriptor, $0.baseAddress! + sent, output.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count < 0 {
                if errno == EINTR { continue }
                return errno == EAGAIN
            }
            sent += count
            deadline = now + limits.request
        }
        if state == .streaming { deadline = nil }
        if state == .writing { finish(now) }
        return true
    }

    private func finish(_ now: ContinuousClock.Instant) {
        (output, sent, task) = ([], 0, nil)
        if keepsAlive {
            state = .reading
            since = now
            deadline = now + limits.idle
        } else {
            shutdown(descriptor, Int32(SHUT_WR))
            state = .draining
            deadline = now + .seconds(1)
        }
    }
}
