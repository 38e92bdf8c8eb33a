internal import Foundation

/// A client that says exactly what a test wants it to say, at 127.0.0.1 or at a socket file. Its calls block: use it in
/// a thread that may.
public final class LoopbackClient: Sendable {
    private let number: Int32

    public struct Failure: Error { public let errno: Int32 }

    /// - Parameter seconds: after which a read gives up, so that a test that fails also ends.
    public init(port: UInt16, seconds: Int = 60) throws(Failure) {
        number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw Failure(errno: errno) }
        limit(seconds)
    }

    public init(path: String, seconds: Int = 60) throws(Failure) {
        number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix($0.count - 1)) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else { throw Failure(errno: errno) }
        limit(seconds)
    }

    deinit { close(number) }

    private func limit(_ seconds: Int) {
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    /// - Returns: false where the server has closed the connection, or does not accept any more.
    @discardableResult
    public func send(_ text: String) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            bytes = bytes.dropFirst(count)
        }
        return true
    }

    /// Sends nothing more, and still reads.
    public func endSending() { shutdown(number, Int32(SHUT_WR)) }

    /// What has arrived, at least a byte; empty once the server has closed the connection or nothing comes any more.
    public func receive() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            count = max(0, recv(number, buffer.baseAddress, buffer.count, 0))
        }
    }

    /// All until the server closes the connection.
    public func receiveAll() -> String {
        var all: [UInt8] = []
        while case let bytes = receive(), !bytes.isEmpty { all += bytes }
        return String(decoding: all, as: UTF8.self)
    }

    /// A response with `Content-Length`, head and body; what there is if the server closes the connection before its
    /// end.
    public func receiveResponse() -> String {
        var all: [UInt8] = []
        while true {
            let text = String(decoding: all, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n"), let length = Self.length(text[..<end.lowerBound]),
                text[end.upperBound...].utf8.count >= length
            {
                return text
            }
            let bytes = receive()
            if bytes.isEmpty { return text }
            all += bytes
        }
    }

    private static func length(_ head: Substring) -> Int? {
        head.split(separator: "\r\n").lazy.compactMap { line -> Int? in
            let words = line.split(separator: ":", maxSplits: 1)
            return words.count == 2 && words[0].lowercased() == "content-length"
                ? Int(words[1].drop { $0 == " " }) : nil
        }.first
    }

    /// Waits until the server closes one of these connections or sends something.
    /// - Returns: false after a minute without that.
    public static func waitForEvent(among clients: [LoopbackClient]) -> Bool {
        var polled = clients.map { pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0) }
        return poll(&polled, nfds_t(polled.count), 60_000) > 0
    }

    /// Whether the server has closed the connection, without waiting for it.
    public var isClosed: Bool {
        var byte: UInt8 = 0
        let count = recv(number, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK))
        return count == 0 || count < 0 && errno == ECONNRESET
    }
}
