internal import Foundation
internal import Glibc

/// A loopback address, without a port.
public enum LoopbackAddress: Sendable {
    /// 127.0.0.1
    case ipv4
    /// ::1
    case ipv6

    /// Its form in a URL.
    var host: String { self == .ipv4 ? "127.0.0.1" : "[::1]" }

    /// A new socket, bound to a free port.
    func bound() throws -> (socket: Int32, port: Int) {
        let descriptor = socket(
            self == .ipv4 ? AF_INET : AF_INET6, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
        guard with(port: 0, { bind(descriptor, $0, $1) }) == 0 else {
            close(descriptor)
            throw POSIXError(.EADDRNOTAVAIL)
        }
        var storage = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutablePointer(to: &storage) {
            _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        // The port is at the same place in addresses of both kinds.
        return (descriptor, Int(UInt16(bigEndian: storage.sin6_port)))
    }

    /// Whether this machine has this address.
    public var exists: Bool {
        guard let (socket, _) = try? bound() else { return false }
        close(socket)
        return true
    }

    func with(port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        switch self {
        case .ipv4:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return LoopbackAddress.withPointer(to: address, body)
        case .ipv6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = UInt16(port).bigEndian
            address.sin6_addr = in6addr_loopback
            return LoopbackAddress.withPointer(to: address, body)
        }
    }

    private static func withPointer<Address>(
        to address: Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Address>.size)) }
        }
    }
}
