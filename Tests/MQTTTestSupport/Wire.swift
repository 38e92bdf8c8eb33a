internal import Glibc

/// A blocking TCP connection, used by one thread. A time limit keeps a test from waiting forever.
public final class Wire {
    private let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 200, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Ends the connection even if another process has a descriptor of it, such as a child that was started meanwhile.
    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// Connects to 127.0.0.1; nil if that fails.
    static func connect(port: Int) -> Wire? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let wire = Wire(descriptor)
        return connect(descriptor, port) ? wire : nil
    }

    @discardableResult
    static func connect(_ descriptor: Int32, _ port: Int) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        address.sin_port = UInt16(port).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// - Returns: false if the other side has closed the connection.
    @discardableResult
    public func write(_ bytes: [UInt8]) -> Bool {
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

    /// Returns less than `count` bytes if the other side has closed the connection.
    public func read(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: max(count, 1))
        while bytes.count < count {
            let received = recv(descriptor, &buffer, count - bytes.count, 0)
            guard received > 0 else { break }
            bytes += buffer.prefix(received)
        }
        return bytes
    }

    /// Ends the connection with a reset instead of an orderly close.
    public func reset() {
        // connect(2) calls this dissolving the association.
        var nobody = sockaddr()
        nobody.sa_family = sa_family_t(AF_UNSPEC)
        _ = Glibc.connect(descriptor, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// The next MQTT packet; nil if the other side has closed the connection.
    public func readPacket() -> Packet? {
        guard let first = read(1).first else { return nil }
        var length = 0, shift = 0
        while true {
            guard let byte = read(1).first, shift < 28 else { return nil }
            length |= Int(byte & 127) << shift
            shift += 7
            if byte < 128 { break }
        }
        let body = read(length)
        return body.count == length ? Packet(first: first, body: body) : nil
    }

    /// Reads until the other side has closed the connection.
    public func readAll() {
        while !read(1).isEmpty {}
    }
}
