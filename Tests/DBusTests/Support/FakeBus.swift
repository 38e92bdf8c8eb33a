import Foundation
import Glibc
import TestSupport
import Synchronization

/// A socket that acts as a bus and behaves as the test specifies.
final class FakeBus: Sendable {
    let address: String
    private let listener: Listener
    private let directory: String

    /// - Parameter behave: run on its own thread with the first peer that connects; the connection is closed
    ///   afterwards.
    init(backlog: Int32 = 5, _ behave: (@Sendable (FakePeer) -> Void)?) throws {
        var template = Array("/tmp/fakebus-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw POSIXError(.EIO) }
        directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        address = "unix:path=\(directory)/bus"
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard UnixAddress(directory + "/bus").with({ bind(socket, $0, $1) }) == 0 else { throw POSIXError(.EADDRINUSE) }
        listener = try Listener(socket, backlog: backlog)
        guard let behave else { return }
        Thread.detachNewThread { [listener] in
            guard let descriptor = listener.accept() else { return }
            let peer = FakePeer(descriptor)
            behave(peer)
            close(descriptor)
        }
    }

    deinit {
        listener.end()
        unlink(directory + "/bus")
        rmdir(directory)
    }

    /// Opens connections that are never accepted, until no more can be opened; the caller closes them.
    func fillBacklog() -> [Int32] {
        var connections: [Int32] = []
        while true {
            let descriptor = socket(
                AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
            connections.append(descriptor)
            let connected = UnixAddress(directory + "/bus").with { connect(descriptor, $0, $1) }
            if connected != 0 { return connections }
        }
    }
}

private struct UnixAddress {
    private var address = sockaddr_un()

    init(_ path: String) {
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    }

    func with(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// A peer that connected to a `FakeBus`, seen from the bus. Used only on the thread of the bus.
struct FakePeer: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// - Returns: false if the peer has gone.
    @discardableResult
    func write(_ bytes: some Collection<UInt8>) -> Bool {
        let bytes = Array(bytes)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    func write(_ line: String) {
        write(Array((line + "\r\n").utf8))
    }

    func read(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: max(count, 1))
        while bytes.count < count {
            let received = recv(descriptor, &buffer, count - bytes.count, 0)
            guard received > 0 else { return bytes }
            bytes += buffer.prefix(received)
        }
        return bytes
    }

    func readLine() -> String? {
        var line: [UInt8] = []
        while !line.suffix(2).elementsEqual([13, 10]) {
            let byte = read(1)
            guard !byte.isEmpty else { return nil }
            line += byte
        }
        return String(decoding: line.dropLast(2), as: UTF8.self)
    }

    /// Reads until the peer disconnects.
    func readAll() {
        while !read(1).isEmpty {}
    }

    /// Authenticates the peer, as a server does by the specification ("Authentication Protocol").
    func authenticate() {
        while let line = readLine() {
            if line.contains("AUTH") {
                write("OK 0123456789abcdef0123456789abcdef")
            } else if line.hasPrefix("NEGOTIATE_UNIX_FD") {
                write("AGREE_UNIX_FD")
            } else if line.hasPrefix("BEGIN") {
                return
            }
        }
    }

    /// - Returns: the next message from the peer; nil if it has gone.
    func readMessage() -> FakeMessage? {
        let header = read(16)
        guard header.count == 16 else { return nil }
        func number(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 | Int(header[offset + $1]) << (8 * $1) } }
        let fields = (number(12) + 7) & ~7
        let rest = read(fields + number(4))
        guard rest.count == fields + number(4) else { return nil }
        return FakeMessage(serial: UInt32(number(8)), contents: String(decoding: rest, as: UTF8.self))
    }

    /// Authenticates the peer and answers its Hello: from then on it is a connection to a bus.
    func greet() {
        authenticate()
        guard let serial = readMessage()?.serial else { return }
        write(WireMessage.reply(to: serial, signature: "s", body: Wire.string(":1.99")).bytes)
    }
}

struct FakeMessage: Sendable {
    let serial: UInt32
    /// Header fields and body, for text searches.
    let contents: String
}
