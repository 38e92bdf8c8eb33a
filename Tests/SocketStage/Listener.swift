internal import Glibc

/// A listening socket, closed when nobody has it any more.
///
/// Whoever accepts on a thread of its own keeps it for as long. Were it closed by another meanwhile, its number could be that of a new
/// socket when the thread accepts again, and the thread would take the connections of a stranger.
public final class Listener: Sendable {
    private let number: Int32

    /// - Parameter number: of a bound socket, which is this object's from now on.
    public init(_ number: Int32, backlog: Int32) throws(Failure) {
        self.number = number
        guard listen(number, backlog) == 0 else { throw Failure(errno: errno) }
    }

    deinit { close(number) }

    /// Why it does not listen.
    public struct Failure: Error { public let errno: Int32 }

    /// Waits for the next connection, which is the caller's.
    /// - Returns: nil once it has ended.
    public func accept() -> Int32? {
        while true {
            let connection = Glibc.accept(number, nil, nil)
            if connection >= 0 { return connection }
            // All else passes: a peer that hung up at once, a signal, too many open files.
            if errno == EINVAL { return nil }
        }
    }

    /// Whoever accepts is told the end, now and later.
    public func end() { shutdown(number, Int32(SHUT_RDWR)) }
}
