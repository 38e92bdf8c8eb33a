import DBus
import SimulatedBlueZ
import Synchronization
import TestSupport
import Testing

/// ATT carries one request at a time; BlueZ keeps the others.
@Suite(.timeLimit(.minutes(5)))
struct RequestQueueTests {
    private let scale = Scale()
    private let clock = ManualClock()
    private let interface = "GattCharacteristic1"
    private let none = DBusValue.properties([:])
    private let inProgress = "org.bluez.Error.InProgress: In Progress"

    /// With the paths of the scale's characteristics, once it is connected.
    private func withScale(_ body: (SimulatedBlueZ, BusClient, [ObjectPath]) async throws -> Void) async throws {
        var timing = Timing.immediate
        timing.clock = clock
        timing.attTimeout = .seconds(29)
        try await withStack([scale], timing: timing) { stack, client in
            try await client.connect(scale)
            var paths: [ObjectPath] = []
            for id in scale.characteristics {
                paths.append(try #require(try await client.characteristic(id, of: scale)))
            }
            try await body(stack, client, paths)
        }
    }

    /// Sends a call without waiting for its answer: calls arrive in the order in which they are sent.
    private func send(
        _ client: BusClient, _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue]
    ) async throws {
        try await client.connection.send("org.bluez", path, "org.bluez." + interface, member, arguments)
    }

    @Test func `reads that wait at the same time are answered one after the other`() async throws {
        try await withScale { stack, client, paths in
            await stack.inject(.slow(.seconds(3)), for: scale.address)
            for path in paths { try await send(client, path, interface, "ReadValue", [none]) }
            for (index, id) in scale.characteristics.enumerated() {
                await clock.pass(.seconds(3))
                await stack.events.waits(for: .read(scale.address, id.characteristic))
                #expect(scale.readings == Array(scale.characteristics.prefix(index + 1)))
            }
        }
    }

    @Test func `a request waits for the one before it, until the ATT timeout, and a command does not`() async throws {
        try await withScale { stack, client, paths in
            await stack.inject(.stall(.read), for: scale.address)
            async let read = client.failure(paths[0], interface, "ReadValue", [none])
            await clock.sleeping(for: .seconds(29))
            let written = SimulationEvent.wrote(scale.address, scale.characteristics[1].characteristic, [1])
            async let write = client.failure(
                paths[1], interface, "WriteValue", [.bytes([1]), .properties(["type": .string("request")])])
            // A call with wrong options is refused at once; once the write waits, for that reason.
            let wrong = DBusValue.properties(["offset": .string("x")])
            var refusal = ""
            repeat {
                refusal = try await client.failure(paths[1], interface, "WriteValue", [.bytes([2]), wrong])
            } while refusal != inProgress && !stack.history.contains(written)
            #expect(refusal == inProgress)
            try await client.call(
                paths[2], interface, "WriteValue", [.bytes([3]), .properties(["type": .string("command")])])
            await stack.events.waits(for: .wrote(scale.address, scale.characteristics[2].characteristic, [3]))
            clock.advance(by: .seconds(29))
            let unlikely = "org.bluez.Error.Failed: Operation failed with ATT error: 0x0e"
            #expect(try await read == unlikely)
            #expect(try await write == unlikely)
            #expect(!stack.history.contains(written))
        }
    }

    @Test func `a subscription waits for the request before it`() async throws {
        try await withScale { stack, client, paths in
            await stack.inject(.slow(.seconds(3)), for: scale.address)
            let id = scale.characteristics[1].characteristic
            try await send(client, paths[0], interface, "ReadValue", [none])
            try await send(client, paths[1], interface, "StartNotify", [])
            await clock.pass(.seconds(3))
            await stack.events.waits(for: .read(scale.address, scale.characteristics[0].characteristic))
            #expect(!stack.history.contains(.subscribed(scale.address, id)))
            await clock.pass(.seconds(3))
            await stack.events.waits(for: .subscribed(scale.address, id))
        }
    }

    @Test func `a descriptor takes one read and one write at a time`() async throws {
        try await withScale { stack, client, paths in
            let path = try #require(try await client.objects().keys.first { $0.isInside(paths[0]) && $0 != paths[0] })
            await stack.inject(.slow(.seconds(3)), for: scale.address)
            try await send(client, path, "GattDescriptor1", "ReadValue", [none])
            let rest = DBusValue.properties(["offset": .uint16(1)])
            #expect(try await client.failure(path, "GattDescriptor1", "ReadValue", [rest]) == inProgress)
            try await send(client, path, "GattDescriptor1", "WriteValue", [.bytes([7, 8]), none])
            #expect(try await client.failure(path, "GattDescriptor1", "WriteValue", [.bytes([9]), none]) == inProgress)
            await clock.pass(.seconds(3))
            await clock.pass(.seconds(3))
            await stack.clearFaults()
            #expect(try await client.call(path, "GattDescriptor1", "ReadValue", [none]) == [.bytes([7, 8])])
        }
    }
}

/// Records in which order its characteristics are read.
private final class Scale: SimulatedPeripheral {
    let address = "C0:DE:00:00:00:0B"
    let advertisement = Advertisement(name: "Scale")
    let characteristics = (1...8).map { CharacteristicID("fff0", AttributeUUID("fff\($0)")!) }
    let services: [SimulatedService]
    private let read = Mutex<[CharacteristicID]>([])

    init() {
        let first = SimulatedCharacteristic(
            characteristics[0].characteristic, [.read],
            descriptors: [SimulatedDescriptor("2901", value: [1, 2], isWritable: true)])
        let others = characteristics.dropFirst().map {
            SimulatedCharacteristic($0.characteristic, [.read, .write, .writeWithoutResponse, .notify])
        }
        services = [SimulatedService("fff0", [first] + others)]
    }

    var readings: [CharacteristicID] { read.withLock { $0 } }

    func linkOpened(_ link: PeripheralLink) {}
    func linkClosed() {}
    func read(_ characteristic: CharacteristicID) throws(ATTError) -> [UInt8] {
        read.withLock { $0.append(characteristic) }
        return [1]
    }
    func write(_ bytes: [UInt8], to characteristic: CharacteristicID) throws(ATTError) {}
}
