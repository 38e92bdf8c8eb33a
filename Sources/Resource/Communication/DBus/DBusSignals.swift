internal import Synchronization

/// The signals that match a rule, in the order in which they arrived.
///
/// It ends when the connection closes, or when the task that iterates it is cancelled. Dropping it ends the
/// subscription. It is for one consumer: two tasks may not iterate it at the same time.
public struct DBusSignals: AsyncSequence, Sendable {
    /// A signal.
    public typealias Element = DBusMessage
    /// It ends, but does not fail.
    public typealias Failure = Never

    /// How many signals to keep until they are read. In either case no more than 16 MiB of memory: signals beyond that
    /// are dropped. Dropped signals are counted: see `takeMissed()`.
    public enum Buffering: Sendable, Hashable {
        /// At most this many; further signals are dropped.
        case oldest(Int)
        /// At most this many; the oldest are dropped.
        case newest(Int)

        /// Enough for the signals of a whole room of Bluetooth devices while the reader is busy for a second or two.
        public static let standard = Buffering.oldest(standardCount)
        package static let standardCount = 4096
    }

    /// Receives each signal on the connection's own queue, before it is queued for the reader; returns whether it was
    /// handled and does not have to be queued. It must return at once, since it holds up all messages, and must not use
    /// the connection.
    public typealias Interceptor = @Sendable (DBusMessage) -> Bool

    let stream: AsyncStream<Waiting>
    let backlog: SignalBacklog

    /// For `for await`.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), backlog: backlog)
    }

    /// How many signals were dropped since the last call, because they arrived faster than they were read. If the
    /// caller derives a state from signals, it has to read that state again, once `isDrained` is true.
    public func takeMissed() -> Int { backlog.takeMissed() }

    /// Whether all signals that arrived were read. Until then, waiting signals may be older than dropped ones: a state
    /// that is read before that would be replaced by an older one.
    public var isDrained: Bool { backlog.memory == 0 }

    /// Returns one signal after the other.
    public struct Iterator: AsyncIteratorProtocol {
        var base: AsyncStream<Waiting>.Iterator
        let backlog: SignalBacklog

        /// The next signal; nil if there are no more.
        public mutating func next() async -> DBusMessage? {
            guard let next = await base.next() else { return nil }
            backlog.release(next)
            return next.message
        }

        /// The next signal, awaited on `actor`; nil if there are no more.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> DBusMessage? {
            guard let next = await base.next(isolation: actor) else { return nil }
            backlog.release(next)
            return next.message
        }
    }

    /// A signal in the queue, with the memory that it takes.
    struct Waiting: Sendable {
        let message: DBusMessage
        let memory: Int
    }
}

/// Counts the memory in bytes of the signals that wait in one stream, and the signals that were dropped.
final class SignalBacklog: Sendable {
    private struct State {
        var memory = 0
        var missed = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int = DBusLimits.waitingSignals) { self.limit = limit }

    /// Whether there is room for one more signal. If not, it counts as missed.
    func admit(_ signal: DBusSignals.Waiting) -> Bool {
        state.withLock { state in
            guard state.memory + signal.memory <= limit else {
                state.missed += 1
                return false
            }
            state.memory += signal.memory
            return true
        }
    }

    /// The signal was read.
    func release(_ signal: DBusSignals.Waiting) {
        state.withLock { $0.memory -= signal.memory }
    }

    /// The signal was dropped for another one, or because the number is bounded.
    func drop(_ signal: DBusSignals.Waiting) {
        state.withLock { state in
            state.memory -= signal.memory
            state.missed += 1
        }
    }

    /// A signal arrived that cannot be decoded within the limits.
    func miss() { state.withLock { $0.missed += 1 } }

    func takeMissed() -> Int {
        state.withLock { state in
            defer { state.missed = 0 }
            return state.missed
        }
    }

    /// Bytes of memory of the waiting signals.
    var memory: Int { state.withLock { $0.memory } }
}

extension DBusConnection {
    /// Subscribes to signals. After this returns none is missed silently.
    ///
    /// Equal rules are added to the bus only once, and removed when the last of their streams ended. Every delivered
    /// signal is checked against the rule again, sender included, so no peer can insert a signal under another name.
    /// - Parameters:
    ///   - rule: the signals to receive.
    ///   - buffering: how many signals to keep until they are read; see `DBusSignals.takeMissed()` for those beyond
    ///     that.
    ///   - intercept: handles frequent signals without a change of threads, which takes longer than the signal itself;
    ///     nil for none.
    /// - Throws: `DBusError.invalidMessage` for a bad rule; the failures of `call`.
    public func signals(
        _ rule: MatchRule, keeping buffering: DBusSignals.Buffering = .standard,
        intercept: DBusSignals.Interceptor? = nil
    ) async throws(DBusError) -> DBusSignals {
        let text = try rule.text()
        let (stream, continuation) = AsyncStream.makeStream(
            of: DBusSignals.Waiting.self, bufferingPolicy: buffering.policy)
        let backlog = SignalBacklog()
        if let name = rule.followedName { try await follow(name) }
        // Before the call to the bus, because signals may arrive in the same read as its answer.
        let id = router.add(rule, continuation, backlog, intercept: intercept)
        do throws(DBusError) {
            try await addMatch(text)
        } catch {
            _ = router.remove(id)
            if let name = rule.followedName { unfollow(name) }
            throw error
        }
        continuation.onTermination = { _ in
            self.enqueue { $0.endSignals(id, rule, text) }
        }
        // If the connection was closed meanwhile, the stream has finished already and needs no handler.
        return DBusSignals(stream: stream, backlog: backlog)
    }

    /// Emits a signal to all subscribers.
    /// - Throws: `DBusError.invalidMessage`, `.disconnected`.
    public func emit(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue] = []
    ) throws(DBusError) {
        try post(try OutgoingMessage.signal(path, interface, member, arguments, order: keyOrder))
    }

    func receiveSignal(_ message: borrowing ReceivedMessage) {
        let header = SignalHeader(
            sender: message.sender, path: message.path, interface: message.interface, member: message.member)
        // libdbus signals the end of a connection this way (and accepts this signal from no peer); streams simply
        // finish.
        guard header.interface != "org.freedesktop.DBus.Local" else { return }
        if header.sender == BusDriver.name, header.member == "NameOwnerChanged", let body = try? message.body(),
            body.count == 3,
            let name = body[0].stringValue
        {
            router.owners.didChange(name, to: body[2].stringValue)
        }
        router.deliver(header) { try? message.decoded() }
    }

    private func endSignals(_ id: UInt64, _ rule: MatchRule, _ text: String) {
        guard router.remove(id) else { return }
        removeMatch(text)
        if let name = rule.followedName { unfollow(name) }
    }

    /// Watches the owner of `name`, and every change of it, until `unfollow`.
    private func follow(_ name: String) async throws(DBusError) {
        let rule = try Self.ownerRule(name)
        router.owners.follow(name)
        do throws(DBusError) {
            try await addMatch(rule)
        } catch {
            router.owners.unfollow(name)
            throw error
        }
        let changes = router.owners.changes(of: name)
        do throws(DBusError) {
            let owner = try await owner(of: name)
            router.owners.didAnswer(name, owner: owner, askedAfter: changes)
        } catch {
            unfollow(name)
            throw error
        }
    }

    private func unfollow(_ name: String) {
        router.owners.unfollow(name)
        if let rule = try? Self.ownerRule(name) { removeMatch(rule) }
    }

    private static func ownerRule(_ name: String) throws(DBusError) -> String {
        try MatchRule(sender: BusDriver.name, interface: BusDriver.interface, member: "NameOwnerChanged", arg0: name)
            .text()
    }

    private func addMatch(_ rule: String) async throws(DBusError) {
        guard matches.use(rule) else { return }
        do throws(DBusError) {
            _ = try await call(BusDriver.name, BusDriver.path, BusDriver.interface, "AddMatch", [.string(rule)])
            matches.didAcknowledge(rule)
        } catch {
            if error.remoteName != nil { matches.didRefuse(rule) }
            removeMatch(rule)
            throw error
        }
    }

    private func removeMatch(_ rule: String) {
        for _ in 0..<matches.release(rule) {
            // An error can be ignored: a connection that is closed has no rules.
            try? send(BusDriver.name, BusDriver.path, BusDriver.interface, "RemoveMatch", [.string(rule)])
        }
    }
}

extension DBusSignals.Buffering {
    fileprivate var policy: AsyncStream<DBusSignals.Waiting>.Continuation.BufferingPolicy {
        switch self {
        case .oldest(let count): .bufferingOldest(max(count, 0))
        case .newest(let count): .bufferingNewest(max(count, 0))
        }
    }
}
