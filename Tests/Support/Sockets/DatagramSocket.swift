@preconcurrency internal import Dispatch
internal import Foundation
internal import Glibc

/// A bound datagram socket, like the one of systemd that services write to.
public final class DatagramSocket: Sendable {
    /// A path, or an abstract name after an `@`.
    public let name: String
    private let descriptor: Int32

    /// Why it is not bound.
    public struct Failure: Error { public let errno: Int32 }

    /// A unique path, or a unique abstract name.
    public convenience init(isAbstract: Bool) throws {
        let unique = "istep-notify-\(UUID().uuidString)"
        try self.init(isAbstract ? "@" + unique : NSTemporaryDirectory() + unique)
    }

    /// - Parameter name: a path, or an abstract name after an `@`; at most 107 bytes.
    public init(_ name: String) throws {
        self.name = name
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var bytes = Array(name.utf8)
        guard bytes.count < 108 else { throw Failure(errno: ENAMETOOLONG) }
        if name.hasPrefix("@") { bytes[0] = 0 }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(2 + bytes.count)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard result == 0 else { throw Failure(errno: errno) }
    }

    deinit {
        close(descriptor)
        if name.hasPrefix("/") { unlink(name) }
    }

    /// The datagrams that have arrived: a datagram to a Unix socket has arrived once `sendto` has returned.
    public func received() -> [String] {
        var messages: [String] = []
        while let message = receive() { messages.append(message) }
        return messages
    }

    /// Waits for the next datagram.
    public func next() async throws(CancellationError) -> String {
        while true {
            if let message = receive() { return message }
            if Task.isCancelled { throw CancellationError() }
            await waitUntilReadable()
        }
    }

    private func receive() -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }

    /// Returns once there is a datagram, or when the task is cancelled.
    private func waitUntilReadable() async {
        // A descriptor of its own: the event source may end after this object.
        let copy = dup(descriptor)
        let (stream, changes) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let source = DispatchSource.makeReadSource(fileDescriptor: copy, queue: DispatchQueue(label: "DatagramSocket"))
        source.setEventHandler { changes.yield() }
        source.setCancelHandler { close(copy) }
        changes.onTermination = { _ in source.cancel() }
        source.resume()
        _ = await stream.first { _ in true }
        changes.finish()
    }
}
