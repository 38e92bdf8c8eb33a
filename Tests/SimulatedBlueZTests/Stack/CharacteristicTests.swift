import DBus
import SimulatedBlueZ
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CharacteristicTests {
    private let ring = SimulatedColmi()
    private let watch = SimulatedGeneric.infiniTime()
    private let interface = "GattCharacteristic1"
    private let none = DBusValue.properties([:])
    private let battery: [UInt8] = [3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3]

    @Test func `a value is read and signalled as a property change`() async throws {
        try await withStack([watch]) { _, client in
            try await client.connect(watch)
            let path = try #require(try await client.characteristic(watch.steps, of: watch))
            let value = watch.format.encode(watch.count)
            #expect(try await client.call(path, interface, "ReadValue", [none]) == [.bytes(value)])
            _ = await client.log.first { $0.change(of: "Value", at: path) == .bytes(value) }
            let half = try await client.call(path, interface, "ReadValue", [.properties(["offset": .uint16(2)])])
            #expect(half == [.bytes(Array(value.dropFirst(2)))])
        }
    }

    @Test func `a failed read returns the error of BlueZ`() async throws {
        try await withStack([ring, watch]) { stack, client in
            try await client.connect(watch)
            let path = try #require(try await client.characteristic(watch.steps, of: watch))
            #expect(
                try await client.failure(path, interface, "ReadValue", [.properties(["offset": .uint16(600)])])
                    == "org.bluez.Error.InvalidArguments: Invalid offset")
            #expect(
                try await client.failure(path, interface, "ReadValue", [.properties(["offset": .string("x")])])
                    == "org.bluez.Error.InvalidArguments: Invalid arguments in method call")
            for (code, text) in Self.attErrors {
                await stack.inject(.attError(ATTError(code), on: .read), for: watch.address)
                #expect(try await client.failure(path, interface, "ReadValue", [none]) == text)
                await stack.clearFaults()
            }
        }
    }

    private static let attErrors: [(UInt8, String)] = [
        (0x02, "org.bluez.Error.NotPermitted: Read not permitted"),
        (0x05, "org.bluez.Error.NotPermitted: Not paired"),
        (0x06, "org.bluez.Error.NotSupported: Operation is not supported"),
        (0x08, "org.bluez.Error.NotAuthorized: Operation Not Authorized"),
        (0x0a, "org.bluez.Error.Failed: Operation failed with ATT error: 0x0a"),
        (0x0f, "org.bluez.Error.NotPermitted: Not paired"),
        (0x80, "org.bluez.Error.Failed: Operation failed with ATT error: 0x80"),
    ]

    @Test func `the ring answers a command with a notification`() async throws {
        try await withStack([ring]) { stack, client in
            try await client.connect(ring)
            let commands = try #require(try await client.characteristic(SimulatedColmi.commands, of: ring))
            let replies = try #require(try await client.characteristic(SimulatedColmi.replies, of: ring))
            try await client.call(replies, interface, "StartNotify")
            #expect(try await client.get("Notifying", interface, replies) == .boolean(true))
            try await client.call(
                commands, interface, "WriteValue", [.bytes(battery), .properties(["type": .string("command")])])
            let answer = await client.log.first { $0.change(of: "Value", at: replies) != nil }
            #expect(answer.change(of: "Value", at: replies)?.bytesValue?.prefix(2) == [3, 76])
            try await client.call(replies, interface, "StopNotify")
            #expect(try await client.get("Notifying", interface, replies) == .boolean(false))
            #expect(stack.history.suffix(1) == [.unsubscribed(ring.address, SimulatedColmi.replies.characteristic)])
        }
    }

    @Test func `a week of records is received completely`() async throws {
        try await withStack([ring]) { _, client in
            try await client.connect(ring)
            let commands = try #require(try await client.characteristic(SimulatedColmi.commands, of: ring))
            let replies = try #require(try await client.characteristic(SimulatedColmi.replies, of: ring))
            try await client.call(replies, interface, "StartNotify")
            let start = await client.log.count
            for day: UInt8 in 1...7 {
                var request: [UInt8] = [0x43, day, 0x0f, 0, 0x5f, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
                request.append(request.reduce(0, &+))
                try await client.call(commands, interface, "WriteValue", [.bytes(request), none])
            }
            let expectedSteps = (1...7).map { ring.expectedSteps(daysAgo: $0) }
            let last = try #require(expectedSteps.last?.last)
            _ = await client.log.first(from: start) { signal in
                guard let packet = signal.change(of: "Value", at: replies)?.bytesValue else { return false }
                return packet[3] == UInt8(last.start.day / 10 * 16 + last.start.day % 10) && packet[5] == packet[6] &- 1
            }
            let packets = await client.log.signals.dropFirst(start).compactMap {
                $0.change(of: "Value", at: replies)?.bytesValue
            }
            let records = packets.filter { $0[1] != 0xf0 }
            #expect(records.map { Int($0[9]) | Int($0[10]) << 8 } == expectedSteps.flatMap { $0.map(\.steps) })
        }
    }

    @Test func `unsupported operations of a characteristic are rejected`() async throws {
        try await withStack([ring]) { _, client in
            try await client.connect(ring)
            let commands = try #require(try await client.characteristic(SimulatedColmi.commands, of: ring))
            let replies = try #require(try await client.characteristic(SimulatedColmi.replies, of: ring))
            let notSupported = "org.bluez.Error.NotSupported: Operation is not supported"
            #expect(
                try await client.failure(replies, interface, "ReadValue", [none])
                    == "org.bluez.Error.NotPermitted: Read not permitted")
            #expect(try await client.failure(commands, interface, "StartNotify") == notSupported)
            #expect(
                try await client.failure(commands, interface, "StopNotify")
                    == "org.bluez.Error.Failed: No notify session started")
            #expect(try await client.failure(replies, interface, "WriteValue", [.bytes([1]), none]) == notSupported)
            #expect(
                try await client.failure(
                    commands, interface, "WriteValue", [.bytes([1]), .properties(["type": .string("bogus")])])
                    == notSupported)
            #expect(
                try await client.failure(
                    commands, interface, "WriteValue", [.bytes([1]), .properties(["type": .string("request")])])
                    == "org.bluez.Error.NotPermitted: Write not permitted")
        }
    }

    @Test func `a value that is too long is refused`() async throws {
        let characteristic = CharacteristicID("1814", "2a53")
        let scale = WritablePeripheral(characteristic)
        try await withStack([scale]) { stack, client in
            try await client.connect(scale)
            let path = try #require(try await client.characteristic(characteristic, of: scale))
            func write(_ count: Int, _ type: String) async throws -> String {
                let value = DBusValue.bytes([UInt8](repeating: 1, count: count))
                return try await client.failure(
                    path, interface, "WriteValue", [value, .properties(["type": .string(type)])])
            }
            #expect(try await write(512, "request") == "succeeded: []")
            #expect(try await write(513, "request") == "org.bluez.Error.InvalidArguments: Invalid Length")
            let longest = Int(scale.mtu) - 3
            #expect(try await write(longest, "command") == "succeeded: []")
            #expect(try await write(longest + 1, "command") == "org.bluez.Error.Failed: Failed to initiate write")
        }
    }

    @Test func `a characteristic takes one write at a time`() async throws {
        let characteristic = CharacteristicID("1814", "2a53")
        let scale = WritablePeripheral(characteristic)
        let clock = ManualClock()
        var timing = Timing.immediate
        timing.clock = clock
        try await withStack([scale], timing: timing) { stack, client in
            try await client.connect(scale)
            let path = try #require(try await client.characteristic(characteristic, of: scale))
            await stack.inject(.slow(.seconds(3)), for: scale.address)
            async let first = client.failure(path, interface, "WriteValue", [.bytes([1]), none])
            await clock.sleeping(for: .seconds(3))
            #expect(
                try await client.failure(path, interface, "WriteValue", [.bytes([2]), none])
                    == "org.bluez.Error.InProgress: In Progress")
            clock.advance(by: .seconds(3))
            #expect(try await first == "succeeded: []")
        }
    }

    @Test func `only BlueZ writes the client configuration descriptor`() async throws {
        try await withStack([ring]) { _, client in
            try await client.connect(ring)
            let replies = try #require(try await client.characteristic(SimulatedColmi.replies, of: ring))
            let descriptor = replies.appending("desc000f")
            #expect(try await client.call(descriptor, "GattDescriptor1", "ReadValue", [none]) == [.bytes([0, 0])])
            try await client.call(replies, interface, "StartNotify")
            #expect(try await client.call(descriptor, "GattDescriptor1", "ReadValue", [none]) == [.bytes([1, 0])])
            #expect(
                try await client.failure(descriptor, "GattDescriptor1", "WriteValue", [.bytes([1, 0]), none])
                    == "org.bluez.Error.NotPermitted: Write not permitted")
        }
    }

    @Test func `notify sessions belong to clients and persist after a disconnect`() async throws {
        try await withStack([watch]) { stack, client in
            try await client.connect(watch)
            let path = try #require(try await client.characteristic(watch.steps, of: watch))
            let other = try await BusClient(stack)
            try await other.call(path, interface, "StartNotify")
            try await client.call(path, interface, "StartNotify")
            try await client.call(path, interface, "StartNotify")
            #expect(await stack.snapshot.subscriptions == 2)
            await stack.drop(watch.address)
            #expect(try await client.get("Notifying", interface, path) == .boolean(true))
            try await client.connect(watch)
            watch.set(4_321)
            _ = await client.log.first { [watch] in
                $0.change(of: "Value", at: path) == .bytes(watch.format.encode(4_321))
            }
            // When a client leaves, its session ends.
            await other.close()
            await stack.events.waits(for: .clientLeft(other.connection.uniqueName))
            #expect(await stack.snapshot.subscriptions == 1)
        }
    }

    @Test func `no value is received without a subscription`() async throws {
        try await withStack([watch]) { stack, client in
            try await client.connect(watch)
            watch.set(1)
            let path = try #require(try await client.characteristic(watch.steps, of: watch))
            try await client.call(path, interface, "StartNotify")
            watch.set(2)
            let first = await client.log.first { $0.change(of: "Value", at: path) != nil }
            #expect(first.change(of: "Value", at: path) == .bytes([2, 0, 0, 0]))
        }
    }

    @Test func `a subscription that is refused opens no session`() async throws {
        try await withStack([watch]) { stack, client in
            try await client.connect(watch)
            let path = try #require(try await client.characteristic(watch.steps, of: watch))
            await stack.inject(.attError(ATTError(0x80), on: .subscribe, .first(1)), for: watch.address)
            #expect(
                try await client.failure(path, interface, "StartNotify")
                    == "org.bluez.Error.Failed: Operation failed with ATT error: 0x80")
            #expect(await stack.snapshot.subscriptions == 0)
            // The next call tries again.
            try await client.call(path, interface, "StartNotify")
            #expect(stack.history.contains(.subscribed(watch.address, watch.steps.characteristic)))
        }
    }

    @Test func `a session ends if the peripheral refuses it after a reconnect`() async throws {
        try await withStack([watch]) { stack, client in
            try await client.connect(watch)
            let path = try #require(try await client.characteristic(watch.steps, of: watch))
            try await client.call(path, interface, "StartNotify")
            await stack.drop(watch.address)
            await stack.inject(.attError(ATTError(0x80), on: .subscribe), for: watch.address)
            try await client.connect(watch)
            #expect(await stack.snapshot.subscriptions == 0)
            #expect(
                try await client.failure(path, interface, "StopNotify")
                    == "org.bluez.Error.Failed: No notify session started")
        }
    }

    @Test func `a session that needs encryption after a reconnect is registered once the device is paired`()
        async throws
    {
        try await withStack([watch]) { stack, client in
            let agent = TestAgent(.accept)
            try await agent.register(with: client)
            try await client.connect(watch)
            let path = try #require(try await client.characteristic(watch.steps, of: watch))
            try await client.call(path, interface, "StartNotify")
            await stack.drop(watch.address)
            await stack.inject(.pairingDemanded, for: watch.address)
            try await client.connect(watch)
            #expect(await agent.firstQuestion() == "RequestAuthorization")
            await stack.events.waits(for: .paired(watch.address))
            watch.set(4_321)
            _ = await client.log.first { [watch] in
                $0.change(of: "Value", at: path) == .bytes(watch.format.encode(4_321))
            }
        }
    }
}

/// One characteristic that can be read and written.
private final class WritablePeripheral: SimulatedPeripheral {
    let address = "C0:DE:00:00:00:0A"
    let advertisement = Advertisement(name: "Scale")
    let services: [SimulatedService]
    private let value = Mutex<[UInt8]>([])

    init(_ id: CharacteristicID) {
        services = [
            SimulatedService(
                id.service, [SimulatedCharacteristic(id.characteristic, [.read, .write, .writeWithoutResponse])])
        ]
    }

    func linkOpened(_ link: PeripheralLink) {}
    func linkClosed() {}
    func read(_ characteristic: CharacteristicID) throws(ATTError) -> [UInt8] { value.withLock { $0 } }
    func write(_ bytes: [UInt8], to characteristic: CharacteristicID) throws(ATTError) { value.withLock { $0 = bytes } }
}
