internal import Foundation
internal import Glibc

/// A loopback port that does not answer.
public final class UnansweredPort: Sendable {
    public let port: Int
    /// Such as `http://127.0.0.1:40123`.
    public let url: String
    private let sockets: [Int32]

    /// Connections are refused; no other program can use the port.
    public static func refusing() throws -> UnansweredPort {
        let (socket, port) = try LoopbackAddress.ipv4.bound()
        return UnansweredPort(port, [socket])
    }

    /// Connecting never completes: the queue of connections that wait to be accepted is full.
    public static func notAccepting() throws -> UnansweredPort {
        let (listener, port) = try LoopbackAddress.ipv4.bound()
        guard listen(listener, 0) == 0 else { throw POSIXError(.EADDRINUSE) }
        var sockets = [listener]
        // Connecting completes at once as long as the queue has room.
        for _ in 0..<16 {
            let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
            let filler = socket(AF_INET, Int32(flags), 0)
            sockets.append(filler)
            _ = LoopbackAddress.ipv4.with(port: port) { connect(filler, $0, $1) }
            var descriptor = pollfd(fd: filler, events: Int16(POLLOUT), revents: 0)
            if poll(&descriptor, 1, 1_000) == 0 { break }
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

/// An address of loopback for a server that cannot choose a free port itself.
///
/// A port of 127.0.0.1 that was free may be in use when the server starts, by a connection or by another test. Loopback
/// has 16 million addresses, of which others use the first.
public struct UnusedAddress: Sendable, CustomStringConvertible {
    /// Within 127.0.0.0/8.
    public let host: String
    public let port: Int

    public init() throws {
        host = "127.\(Int.random(in: 1...254)).\(Int.random(in: 1...254)).\(Int.random(in: 1...254))"
        port = try UnansweredPort.refusing().port
    }

    /// Such as `127.30.4.200:40123`.
    public var description: String { "\(host):\(port)" }
}
