import DBus
import Foundation
import Glibc
import SimulatedBlueZ
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AcquireTests {
    private let ring = SimulatedColmi()
    private let none = DBusValue.properties([:])
    private let interface = "GattCharacteristic1"
    private let battery: [UInt8] = [3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3]

    /// The client's end of an acquired socket, made blocking.
    private func acquire(_ member: String, _ path: ObjectPath, _ client: BusClient) async throws -> Int32 {
        let reply = try await client.call(path, interface, member, [none])
        #expect(reply.last == .uint16(247))
        guard case .fileDescriptor(let file)? = reply.first else { throw Unexpected() }
        let descriptor = try #require(file.take())
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        return descriptor
    }

    private struct Unexpected: Error {}

    /// The next packet; empty at the end. Waiting for it blocks, which no thread of Swift's pool may do.
    private func packet(_ descriptor: Int32) async -> [UInt8] {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var buffer = [UInt8](repeating: 0, count: 512)
                let count = recv(descriptor, &buffer, buffer.count, 0)
                continuation.resume(returning: Array(buffer.prefix(max(0, count))))
            }
        }
    }

    @Test func `values are transferred over acquired sockets`() async throws {
        try await withStack([ring]) { stack, client in
            try await client.connect(ring)
            let commands = try #require(try await client.characteristic(SimulatedColmi.commands, of: ring))
            let replies = try #require(try await client.characteristic(SimulatedColmi.replies, of: ring))
            let reading = try await acquire("AcquireNotify", replies, client)
            let writing = try await acquire("AcquireWrite", commands, client)
            #expect(try await client.get("NotifyAcquired", interface, replies) == .boolean(true))
            #expect(
                try await client.failure(replies, interface, "StartNotify")
                    == "org.bluez.Error.NotPermitted: Notify acquired")
            #expect(
                try await client.failure(commands, interface, "WriteValue", [.bytes([1]), none])
                    == "org.bluez.Error.NotPermitted: Write acquired")
            #expect(send(writing, battery, battery.count, 0) == battery.count)
            #expect(await packet(reading).prefix(2) == [3, 76])
            await stack.drop(ring.address)
            #expect(await packet(reading).isEmpty)
            #expect(try await client.get("NotifyAcquired", interface, replies) == .boolean(false))
            close(reading)
            close(writing)
        }
    }

    @Test func `closing the socket ends the acquired notification`() async throws {
        try await withStack([ring]) { stack, client in
            try await client.connect(ring)
            let replies = try #require(try await client.characteristic(SimulatedColmi.replies, of: ring))
            close(try await acquire("AcquireNotify", replies, client))
            _ = await client.log.first { $0.change(of: "NotifyAcquired", at: replies) == .boolean(false) }
            #expect(await stack.snapshot.subscriptions == 0)
            try await client.call(replies, interface, "StartNotify")
            #expect(
                try await client.failure(replies, interface, "AcquireNotify", [none])
                    == "org.bluez.Error.InProgress: In Progress")
        }
    }

    @Test func `an old BlueZ does not support acquired sockets`() async throws {
        var quirks = Quirks()
        quirks.hasNoAcquire = true
        try await withStack([ring], quirks: quirks) { _, client in
            try await client.connect(ring)
            let replies = try #require(try await client.characteristic(SimulatedColmi.replies, of: ring))
            #expect(
                try await client.failure(replies, interface, "AcquireNotify", [none])
                    == "org.bluez.Error.NotSupported: Operation is not supported")
            #expect(try await client.objects()[replies]?["org.bluez.GattCharacteristic1"]?["NotifyAcquired"] == nil)
        }
    }
}
