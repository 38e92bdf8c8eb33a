internal import Glibc

/// Free ports of this machine.
public enum FreePort {
    /// A port that was free a moment ago. The caller has to handle that another program may have taken it since.
    public static func find() -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        return bindLoopback(descriptor)
    }

    /// Binds to a free port of 127.0.0.1.
    /// - Returns: the port; 0 if that failed.
    public static func bindLoopback(_ descriptor: Int32) -> Int {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        return bound ? Int(UInt16(bigEndian: address.sin_port)) : 0
    }
}
