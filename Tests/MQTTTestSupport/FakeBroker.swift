internal import Foundation
internal import Glibc
internal import TestSupport
internal import Synchronization

/// A fake broker on a port of 127.0.0.1, which behaves as the test specifies.
public final class FakeBroker: Sendable {
    public let port: Int
    private let listener: Listener
    private let count = Mutex(0)

    /// - Parameter behave: run for each connection, with its number from 0, on a thread of its own; afterwards the
    ///   connection is closed.
    public init(_ behave: @escaping @Sendable (Wire, Int) -> Void) throws {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        port = FreePort.bindLoopback(socket)
        listener = try Listener(socket, backlog: 16)
        Thread.detachNewThread { [listener, weak self] in
            var number = 0
            while let descriptor = listener.accept() {
                let wire = UncheckedWire(wire: Wire(descriptor))
                self?.count.withLock { $0 += 1 }
                Thread.detachNewThread { [number] in behave(wire.wire, number) }
                number += 1
            }
        }
    }

    deinit { listener.end() }

    /// How many connections there were so far.
    public var connections: Int { count.withLock { $0 } }

    /// Passed to one thread and used only by that thread.
    private struct UncheckedWire: @unchecked Sendable {
        let wire: Wire
    }
}

extension Wire {
    /// Reads a CONNECT and accepts it.
    /// - Returns: false if none was received.
    @discardableResult
    public func accept(properties: [UInt8] = []) -> Bool {
        guard let packet = readPacket(), let level = packet.protocolLevel else { return false }
        let end = level == 5 ? [UInt8(properties.count)] + properties : []
        return write(Packet(first: 0x20, body: [0, 0] + end).bytes)
    }

    /// Acknowledges a PUBLISH.
    public func acknowledge(_ packet: Packet, code: UInt8? = nil) {
        write(Packet(first: 0x40, body: packet.identifier + (code.map { [$0] } ?? [])).bytes)
    }
}
