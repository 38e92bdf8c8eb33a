internal import Glibc

/// A listening socket, closed with the last reference to this object.
///
/// A thread that accepts connections keeps a reference meanwhile. If another thread closed the socket, its number could
/// be that of a new socket when the thread accepts again, and the thread would accept connections of that socket.
public final class Listener: Sendable {
    private let number: Int32

    /// - Parameter number: the descriptor of a bound socket, which this object owns from now on.
    public init(_ number: Int32, backlog: Int32) throws(Failure) {
        self.number = number
        guard listen(number, backlog) == 0 else { throw Failure(errno: errno) }
    }

    deinit { close(number) }

    /// Why it does not listen.
    public struct Failure: Error { public let errno: Int32 }

    /// Waits for the next connection, which the caller has to close.
    /// - Returns: nil after `end`.
    public func accept() -> Int32? {
        while true {
            let connection = Glibc.accept(number, nil, nil)
            if connection >= 0 {
                // Too late for a child that was started in between: those who start children close what these must not
                // have.
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                return connection
            }
            // All other errors are temporary: a peer that closed the connection at once, a signal, too many open files.
            if errno == EINVAL { return nil }
        }
    }

    /// Makes `accept` return nil, now and later.
    public func end() { shutdown(number, Int32(SHUT_RDWR)) }
}
