/// The signals that match a rule, in the order in which they arrived.
///
/// It ends when the connection closes, or when the task that iterates it is cancelled. Dropping it ends the subscription. It is for
/// one consumer: two tasks may not iterate it at the same time.
public struct DBusSignals: AsyncSequence, Sendable {
    /// A signal.
    public typealias Element = DBusMessage
    /// It ends, but does not fail.
    public typealias Failure = Never

    /// What to keep while nobody asks for the next signal.
    public enum Buffering: Sendable, Hashable {
        /// Everything: nothing gets lost, and memory grows with what waits.
        case all
        /// Only so many, the oldest are dropped.
        case newest(Int)
    }

    let stream: AsyncStream<DBusMessage>

    /// For `for await`.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator())
    }

    /// Takes one signal after the other.
    public struct Iterator: AsyncIteratorProtocol {
        var base: AsyncStream<DBusMessage>.Iterator

        /// The next signal; nil when there will be none any more.
        public mutating func next() async -> DBusMessage? {
            await base.next()
        }

        /// The next signal, awaited on `actor`; nil when there will be none any more.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> DBusMessage? {
            await base.next(isolation: actor)
        }
    }
}
