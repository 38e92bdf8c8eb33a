import Foundation
import Glibc
import MQTTTestSupport
import Synchronization
import TestSupport

/// A way to the server by a port of 127.0.0.1 that is cut once, at a text that the client sends.
final class PostgresProxy: Sendable {
    enum Cut: Sendable {
        /// The text does not arrive.
        case before(String)
        /// The server carries it out, and its answer does not arrive.
        case answer(to: String)
    }

    let port: Int
    private let listener: Listener
    private let cut: Mutex<Cut?>
    private let before: Mutex<Int>

    /// - Parameters:
    ///   - path: of the server's Unix socket.
    ///   - connection: the one that is cut, from 0.
    ///   - isLast: whether further connections are refused after it, as without a server.
    ///   - then: done as soon as it is cut.
    init(
        to path: String, cut: Cut, in connection: Int = 0, isLast: Bool = false,
        then: @escaping @Sendable () -> Void = {}
    ) throws {
        self.cut = Mutex(cut)
        before = Mutex(connection)
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        port = FreePort.bindLoopback(socket)
        listener = try Listener(socket, backlog: 4)
        Thread.detachNewThread { [listener, weak self] in
            while let client = listener.accept() {
                let server = Self.connect(path)
                let cut = self?.nextCut()
                Thread.detachNewThread {
                    Self.pass(client, server, cut) {
                        if isLast { listener.end() }
                        then()
                    }
                    close(client)
                    close(server)
                }
            }
        }
    }

    deinit { listener.end() }

    private func nextCut() -> Cut? {
        let isThis = before.withLock { before in
            before -= 1
            return before < 0
        }
        return cut.withLock { cut in
            guard isThis else { return nil }
            defer { cut = nil }
            return cut
        }
    }

    private static func connect(_ path: String) -> Int32 {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix($0.count - 1)) }
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return number
    }

    /// Passes bytes on in both directions until one side ends, or the connection is cut.
    private static func pass(_ client: Int32, _ server: Int32, _ cut: Cut?, _ then: () -> Void) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var dropsAnswer = false
        while true {
            var sides = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: server, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&sides, 2, -1) > 0 else { return }
            for (from, to, side) in [(client, server, sides[0]), (server, client, sides[1])] where side.revents != 0 {
                let count = read(from, &buffer, buffer.count)
                guard count > 0 else { return }
                let text = String(decoding: buffer[..<count], as: UTF8.self)
                if from == server, dropsAnswer { return then() }
                switch cut {
                case .before(let word)? where from == client && text.contains(word): return then()
                case .answer(to: let word)? where from == client && text.contains(word): dropsAnswer = true
                case .before, .answer, nil: break
                }
                guard send(to, buffer, count, Int32(MSG_NOSIGNAL)) == count else { return }
            }
        }
    }
}
