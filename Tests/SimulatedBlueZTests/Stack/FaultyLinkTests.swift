import DBus
import SimulatedBlueZ
import Synchronization
import TestSupport
import Testing

/// What a client sees when an operation or a link fails in the middle.
@Suite(.timeLimit(.minutes(5)))
struct FaultyLinkTests {
    private let watch = SimulatedGeneric(
        address: "C0:DE:00:00:00:03", name: "Band", advertisedServices: ["fff0"],
        steps: CharacteristicID("fff0", "fff1"),
        format: .init(width: 2), source: .manual(5))
    private let interface = "GattCharacteristic1"
    private let none = DBusValue.properties([:])
    private var device: ObjectPath { BusClient.path(watch) }

    private func withSubscription(
        timing: Timing = .immediate, _ body: (SimulatedBlueZ, BusClient, ObjectPath) async throws -> Void
    ) async throws {
        try await withStack([watch], timing: timing) { stack, client in
            try await client.connect(watch)
            let path = try #require(try await client.characteristic(watch.steps, of: watch))
            try await client.call(path, interface, "StartNotify")
            try await body(stack, client, path)
        }
    }

    /// The values received up to the one that ends the test.
    private func received(_ client: BusClient, _ path: ObjectPath, until last: [UInt8]) async -> [[UInt8]] {
        _ = await client.log.first { $0.change(of: "Value", at: path) == .bytes(last) }
        return await client.log.signals.compactMap { $0.change(of: "Value", at: path)?.bytesValue }
    }

    @Test func `a read fails when the link is interrupted`() async throws {
        try await withSubscription { stack, client, path in
            await stack.inject(.drop(during: .read), for: watch.address)
            let failure = try await client.failure(path, interface, "ReadValue", [none])
            #expect(failure == "org.bluez.Error.Failed: Operation failed with ATT error: 0x0e")
            _ = await client.log.first { [device] in $0.change(of: "Connected", at: device) == .boolean(false) }
            #expect(try await client.get("ServicesResolved", "Device1", device) == .boolean(false))
        }
    }

    @Test func `an unanswered read fails after the ATT timeout`() async throws {
        let clock = ManualClock()
        var timing = Timing.immediate
        timing.clock = clock
        timing.attTimeout = .seconds(29)
        try await withSubscription(timing: timing) { stack, client, path in
            await stack.inject(.stall(.read), for: watch.address)
            async let failing = client.failure(path, interface, "ReadValue", [none])
            await clock.sleeping(for: .seconds(29))
            clock.advance(by: .seconds(29))
            let outcome = try await failing
            #expect(outcome == "org.bluez.Error.Failed: Operation failed with ATT error: 0x0e")
        }
    }

    @Test func `the link drops after the configured number of packets`() async throws {
        try await withSubscription { stack, client, path in
            await stack.inject(.drop(afterPackets: 2), for: watch.address)
            for number in 1...4 { watch.set(number) }
            _ = await client.log.first { [device] in $0.change(of: "Connected", at: device) == .boolean(false) }
            #expect(
                await client.log.signals.compactMap { $0.change(of: "Value", at: path)?.bytesValue } == [
                    [1, 0], [2, 0],
                ])
        }
    }

    @Test func `corrupted packets reach the client`() async throws {
        try await withSubscription { stack, client, path in
            await stack.inject(.corruption(.dropped, .at(1)), for: watch.address)
            await stack.inject(.corruption(.wrongChecksum, .at(2)), for: watch.address)
            await stack.inject(.corruption(.truncated(to: 1), .at(3)), for: watch.address)
            await stack.inject(.corruption(.doubled, .at(4)), for: watch.address)
            for number in 1...5 { watch.set(number) }
            #expect(await received(client, path, until: [5, 0]) == [[2, 0xff], [3], [4, 0], [4, 0], [5, 0]])
        }
    }

    @Test func `a notification is cut at the length of a packet`() async throws {
        let talker = Talker()
        try await withStack([talker]) { stack, client in
            try await client.connect(talker)
            let path = try #require(try await client.characteristic(Talker.voice, of: talker))
            try await client.call(path, interface, "StartNotify")
            await stack.inject(.corruption(.extended(by: 2), .at(2)), for: talker.address)
            for _ in 1...2 { talker.say([UInt8](0..<30)) }
            let packet = [UInt8](0..<20)
            #expect(await received(client, path, until: packet + [0xa5, 0xa5]) == [packet, packet + [0xa5, 0xa5]])
        }
    }

    /// Notifies of whatever it is told to, over a link with the smallest MTU.
    private final class Talker: SimulatedPeripheral {
        static let voice = CharacteristicID("fff0", "fff1")
        let address = "C0:DE:00:00:00:0C"
        let advertisement = Advertisement(name: "Talker")
        let services = [SimulatedService("fff0", [SimulatedCharacteristic("fff1", [.notify])])]
        let mtu: UInt16 = 23
        private let link = Mutex<PeripheralLink?>(nil)

        func say(_ value: [UInt8]) { link.withLock { $0 }?.notify(Self.voice, value) }

        func linkOpened(_ link: PeripheralLink) { self.link.withLock { $0 = link } }
        func linkClosed() { link.withLock { $0 = nil } }
        func read(_ characteristic: CharacteristicID) throws(ATTError) -> [UInt8] { [] }
        func write(_ value: [UInt8], to characteristic: CharacteristicID) throws(ATTError) {}
    }

    @Test func `delayed packets keep their order`() async throws {
        let clock = ManualClock()
        var timing = Timing.immediate
        timing.clock = clock
        try await withSubscription(timing: timing) { stack, client, path in
            await stack.inject(.slow(.seconds(3), .at(1)), for: watch.address)
            for number in 1...3 { watch.set(number) }
            await clock.sleeping(for: .seconds(3))
            #expect(!stack.history.contains(.notified(watch.address, watch.steps.characteristic, [2, 0])))
            clock.advance(by: .seconds(3))
            #expect(await received(client, path, until: [3, 0]) == [[1, 0], [2, 0], [3, 0]])
        }
    }

    @Test func `the peripheral can close the link`() async throws {
        let peripheral = DisconnectingPeripheral()
        try await withStack([peripheral]) { _, client in
            try await client.connect(peripheral)
            let path = BusClient.path(peripheral)
            _ = await client.log.first { $0.change(of: "Connected", at: path) == .boolean(false) }
        }
    }

    /// Ends every link as soon as its battery is read, which BlueZ does by itself.
    private final class DisconnectingPeripheral: SimulatedPeripheral {
        let address = "C0:DE:00:00:00:04"
        let advertisement = Advertisement(name: "Disconnecting")
        let services = [SimulatedService("180f", [SimulatedCharacteristic("2a19", [.read])])]
        func linkOpened(_ link: PeripheralLink) { link.disconnect() }
        func linkClosed() {}
        func read(_ characteristic: CharacteristicID) throws(ATTError) -> [UInt8] { [50] }
        func write(_ value: [UInt8], to characteristic: CharacteristicID) throws(ATTError) {}
    }
}
