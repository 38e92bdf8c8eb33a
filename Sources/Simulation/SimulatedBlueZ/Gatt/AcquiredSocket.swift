import DBus
import Dispatch
import Glibc

/// The daemon's end of a socket that `AcquireNotify` or `AcquireWrite` handed out: one packet for each value.
final class AcquiredSocket: Sendable {
    private let descriptor: Int32
    /// Everything that uses the descriptor runs here, so that it is closed after the last use.
    private let queue = DispatchQueue(label: "acquired socket")
    // Dispatch sources may be used from any thread; only their Swift declaration on Linux does not say so.
    private nonisolated(unsafe) let source: any DispatchSourceRead

    /// - Parameters:
    ///   - received: called for each packet from the client.
    ///   - hungUp: called once when the client has closed its end, not when `close` was called.
    /// - Returns: the socket and the client's end; nil when the system has none left.
    static func make(
        received: @escaping @Sendable ([UInt8]) -> Void, hungUp: @escaping @Sendable () -> Void
    ) -> (AcquiredSocket, DBusFileDescriptor)? {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        return (AcquiredSocket(ends[0], received, hungUp), DBusFileDescriptor(owning: ends[1]))
    }

    private init(
        _ descriptor: Int32, _ received: @escaping @Sendable ([UInt8]) -> Void, _ hungUp: @escaping @Sendable () -> Void
    ) {
        self.descriptor = descriptor
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        self.source = source
        source.setEventHandler {
            var buffer = [UInt8](repeating: 0, count: 512)
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { return received(Array(buffer.prefix(count))) }
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            // Level-triggered: an end that is closed stays readable for ever.
            source.cancel()
            hungUp()
        }
        source.setCancelHandler { _ = Glibc.close(descriptor) }
        source.activate()
    }

    /// A client that does not read loses packets, as with BlueZ.
    func send(_ packet: [UInt8]) {
        queue.async { [self] in
            guard !source.isCancelled else { return }
            _ = Glibc.send(descriptor, packet, packet.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
    }

    /// The client sees the end, after the packets that were sent before.
    func close() {
        queue.async { [self] in source.cancel() }
    }
}
