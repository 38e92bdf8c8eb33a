internal import Glibc

/// Two connected sockets: one for this process, one for a child. (A pipe cannot be made close-on-exec at once from Swift, and
/// another child started in between would keep it open.)
final class SocketPair {
    private var ours: Int32
    private(set) var theirs: Int32

    /// - Throws: `PrivateBusError.cannotStart`.
    init() throws(PrivateBusError) {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw .cannotStart(reason: String(cString: strerror(errno)))
        }
        ours = pair[0]
        // Away from the low numbers that a child gives to its own.
        theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, 10)
        close(pair[1])
        guard theirs >= 0 else { throw .cannotStart(reason: String(cString: strerror(errno))) }
    }

    deinit {
        if ours >= 0 { close(ours) }
        closeTheirs()
    }

    /// The child has its own; ours would keep the end of it from showing.
    func closeTheirs() {
        if theirs >= 0 { close(theirs) }
        theirs = -1
    }

    /// Hands our end over to the caller.
    func takeOurs() -> Int32 {
        defer { ours = -1 }
        return ours
    }

    /// Reads until there are `count` lines, the other end is closed, or nothing comes for `seconds`.
    func readLines(_ count: Int, seconds: Int) -> [String] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 256)
        while bytes.count(where: { $0 == UInt8(ascii: "\n") }) < count {
            var descriptor = pollfd(fd: ours, events: Int16(POLLIN), revents: 0)
            let events = poll(&descriptor, 1, Int32(seconds) * 1000)
            if events < 0, errno == EINTR { continue }
            guard events > 0 else { break }
            let received = read(ours, &buffer, buffer.count)
            guard received > 0 else { break }
            bytes += buffer.prefix(received)
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
