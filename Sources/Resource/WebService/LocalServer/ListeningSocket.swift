internal import Glibc
internal import Support
internal import Synchronization

/// A socket that accepts connections of this machine only: on the loopback interface, or at a path. There is no way to
/// make one that other machines reach.
public final class ListeningSocket: Sendable {
    public enum Address: Hashable, Sendable {
        /// `127.0.0.1` or `::1`.
        case loopback(port: UInt16, isIPv6: Bool)
        case path(String)
    }

    let descriptor: Int32
    public let address: Address
    /// Whether there is a file to remove at the end: systemd keeps its own.
    private let hasFile: Atomic<Bool>

    private init(_ descriptor: Int32, _ address: Address, isOwn: Bool) {
        self.descriptor = descriptor
        self.address = address
        if isOwn, case .path = address { hasFile = Atomic(true) } else { hasFile = Atomic(false) }
    }

    deinit {
        removeFile()
        close(descriptor)
    }

    /// Removes the socket file that was created here. A server calls it when it ends: the program may end before the
    /// last reference to the socket is released. A second call does nothing, since the file may be another server's by
    /// then.
    func removeFile() {
        guard case .path(let path) = address, hasFile.exchange(false, ordering: .relaxed) else { return }
        unlink(path)
    }

    /// Why a socket cannot be used.
    public enum Failure: Error, Hashable, CustomStringConvertible {
        case portInUse(UInt16)
        case pathInUse(String)
        /// The path is too long for a socket, or there is something else.
        case unusablePath(String, reason: String)
        /// The socket that systemd passed on is reachable from other machines, or is not a listening socket.
        case notLocal(String)
        case system(String, errno: Int32)

        public var description: String {
            switch self {
            case .portInUse(let port): "Port \(port) is in use."
            case .pathInUse(let path): "Another program listens at \(quoted(path))."
            case .unusablePath(let path, let reason): "\(quoted(path)) cannot be used as a socket: \(reason)."
            case .notLocal(let what): "The socket that systemd passed on \(what)."
            case .system(let call, let errno): "\(call) failed: \(String(cString: strerror(errno)))."
            }
        }
    }

    /// - Parameter port: 0 for any that is free.
    public static func loopback(port: UInt16) throws(Failure) -> ListeningSocket {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard number >= 0 else { throw .system("socket", errno: errno) }
        // After a restart, connections of the last run may still be closing (TIME_WAIT).
        var on: Int32 = 1
        setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in(loopback: port)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0, listen(number, 128) == 0 else {
            let reason = errno
            close(number)
            throw reason == EADDRINUSE ? .portInUse(port) : .system("bind", errno: reason)
        }
        guard let bound = Self.address(of: number) else {
            let reason = errno
            close(number)
            throw .system("getsockname", errno: reason)
        }
        return ListeningSocket(number, bound, isOwn: true)
    }

    /// A socket file that only this user can connect to. A file at which nothing listens any longer is replaced.
    public static func path(_ path: String) throws(Failure) -> ListeningSocket {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw .unusablePath(
                path, reason: "it has more than \(MemoryLayout.size(ofValue: address.sun_path) - 1) bytes")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        try removeStale(path, address)
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard number >= 0 else { throw .system("socket", errno: errno) }
        // The mode is that of the descriptor at the time of bind: at no moment can another user connect.
        fchmod(number, 0o600)
        let code = Self.with(address) { bind(number, $0, $1) }
        guard code == 0, listen(number, 128) == 0 else {
            let reason = errno
            close(number)
            throw reason == EADDRINUSE
                ? .pathInUse(path) : .unusablePath(path, reason: String(cString: strerror(reason)))
        }
        chmod(path, 0o600)
        return ListeningSocket(number, .path(path), isOwn: true)
    }

    private static func removeStale(_ path: String, _ address: sockaddr_un) throws(Failure) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid() else {
            throw .unusablePath(path, reason: "there is something else at this path")
        }
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(probe) }
        if with(address, { connect(probe, $0, $1) }) == 0 { throw .pathInUse(path) }
        if errno == ECONNREFUSED { unlink(path) }
    }

    private static func with<R>(_ address: sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }

    /// The sockets that systemd has opened for this process (sd_listen_fds(3)); empty if it was not started by a socket
    /// unit.
    ///
    /// - Throws: `Failure.notLocal` for a socket that other machines could reach.
    public static func inherited(_ environment: [String: String]) throws(Failure) -> [ListeningSocket] {
        guard environment["LISTEN_PID"] == String(getpid()),
            let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }),
            (1...16).contains(count)
        else { return [] }
        var sockets: [ListeningSocket] = []
        for number in 3..<3 + count {
            var isListening: Int32 = 0, length = socklen_t(MemoryLayout<Int32>.size)
            guard getsockopt(number, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &length) == 0, isListening == 1 else {
                throw .notLocal("does not listen")
            }
            guard let address = address(of: number) else { throw .notLocal("is reachable from other machines") }
            _ = fcntl(number, F_SETFD, FD_CLOEXEC)
            _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
            sockets.append(ListeningSocket(number, address, isOwn: false))
        }
        return sockets
    }

    /// Nil for an address that is not of this machine alone.
    private static func address(of number: Int32) -> Address? {
        var storage = sockaddr_storage(), length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(number, $0, &length) }
        }
        guard code == 0 else { return nil }
        let family = storage.ss_family
        return withUnsafeBytes(of: &storage) { bytes -> Address? in
            switch Int32(family) {
            case AF_INET:
                let address = bytes.load(as: sockaddr_in.self)
                guard UInt32(bigEndian: address.sin_addr.s_addr) >> 24 == 127 else { return nil }
                return .loopback(port: UInt16(bigEndian: address.sin_port), isIPv6: false)
            case AF_INET6:
                let address = bytes.load(as: sockaddr_in6.self)
                let octets = withUnsafeBytes(of: address.sin6_addr) { Array($0) }
                guard octets.dropLast().allSatisfy({ $0 == 0 }), octets.last == 1 else { return nil }
                return .loopback(port: UInt16(bigEndian: address.sin6_port), isIPv6: true)
            case AF_UNIX:
                let offset = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2
                let name = bytes[offset..<max(offset, Int(length))].prefix { $0 != 0 }
                return .path(String(decoding: name, as: UTF8.self))
            default: return nil
            }
        }
    }
}

extension sockaddr_in {
    /// 127.0.0.1.
    init(loopback port: UInt16) {
        self.init()
        sin_family = sa_family_t(AF_INET)
        sin_port = port.bigEndian
        sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    }
}
