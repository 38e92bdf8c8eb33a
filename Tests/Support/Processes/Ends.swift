internal import Glibc

/// Two connected sockets, one of them for a child. No other child inherits them: a child that held the socket of
/// another would keep that one from noticing the end of the connection.
final class Ends: Sendable {
    let ours: Int32
    let theirs: Int32

    init() throws(GuardedProcess.Problem) {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw .cannotStart("a socket", String(cString: strerror(errno)))
        }
        ours = pair[0]
        // Above the low numbers that the child's own descriptors get.
        theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, 10)
        close(pair[1])
    }

    /// The child has its own copy; this process's copy would hide that the child has ended.
    func closeTheirs() { close(theirs) }
    func closeOurs() { close(ours) }
}
