internal import Foundation
internal import Glibc

/// A port of loopback behind which nobody answers.
public final class UnansweredPort: Sendable {
    public let port: Int
    /// Such as `http://127.0.0.1:40123`.
    public let url: String
    private let sockets: [Int32]

    /// Connecting is refused; the port is nobody else's.
    public static func refusing() throws -> UnansweredPort {
        let (socket, port) = try LoopbackAddress.ipv4.bound()
        return UnansweredPort(port, [socket])
    }

    /// Connecting takes forever: the queue of those who wait to be accepted is full.
    public static func deaf() throws -> UnansweredPort {
        let (listener, port) = try LoopbackAddress.ipv4.bound()
        guard listen(listener, 0) == 0 else { throw POSIXError(.EADDRINUSE) }
        var sockets = [listener]
        // Connecting ends at once as long as there is room.
        for _ in 0..<16 {
            let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
            let filler = socket(AF_INET, Int32(flags), 0)
            sockets.append(filler)
            _ = LoopbackAddress.ipv4.with(port: port) { connect(filler, $0, $1) }
            var descriptor = pollfd(fd: filler, events: Int16(POLLOUT), revents: 0)
            if poll(&descriptor, 1, 50) == 0 { break }
        }
        return UnansweredPort(port, sockets)
    }

    private init(_ port: Int, _ sockets: [Int32]) {
        (self.port, self.sockets) = (port, sockets)
        url = "http://127.0.0.1:\(port)"
    }

    deinit {
        for socket in sockets { close(socket) }
    }
}
