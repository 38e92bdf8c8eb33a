internal import Glibc

/// Two connected ends, of which a child gets one. Nobody else inherits them: a child that held the end of another would keep that
/// one from noticing that all is over.
final class Ends: Sendable {
    let ours: Int32
    let theirs: Int32

    init() throws(GuardedProcess.Problem) {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw .cannotStart("a socket", String(cString: strerror(errno)))
        }
        ours = pair[0]
        // Away from the low numbers that a child gives to its own.
        theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, 10)
        close(pair[1])
    }

    /// The child has its own; ours would keep the end of it from showing.
    func closeTheirs() { close(theirs) }
    func closeOurs() { close(ours) }
}
