internal import Glibc

/// A port of 127.0.0.1 to which connecting neither succeeds nor fails, as with a machine behind a firewall.
public final class SilentPort: Sendable {
    public let port: Int
    private let descriptors: [Int32]

    public init() {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        port = FreePort.bindLoopback(listener)
        listen(listener, 0)
        // The queue of such a listener is full with one connection that is not accepted.
        var taken = [listener]
        for _ in 0..<4 {
            let descriptor = socket(
                AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
            Wire.connect(descriptor, port)
            taken.append(descriptor)
        }
        descriptors = taken
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }
}
