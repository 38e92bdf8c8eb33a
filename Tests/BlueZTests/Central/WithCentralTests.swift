import BlueZ
import DBus
import SimulatedBlueZ
import Synchronization
import TestSupport
import Testing

/// `Central.withCentral` closes what it has opened, however its body ends.
@Suite(.timeLimit(.minutes(5)))
struct WithCentralTests {
    private struct BodyError: Error {}

    private func withStack(_ body: (SimulatedBlueZ) async throws -> Void) async throws {
        let ring = SimulatedColmi()
        let stack = try await SimulatedBlueZ.start(peripherals: [ring], timing: .immediate)
        try await body(stack)
        #expect(await stack.snapshot.connected == [])
        #expect(await stack.snapshot.discovering == [])
        await stack.stop()
    }

    private func expectClosed(_ central: Central?) async throws {
        let central = try #require(central)
        await #expect(throws: BluetoothError.cancelled) { try await central.adapters() }
    }

    @Test func `the central is closed after the body has returned`() async throws {
        try await withStack { stack in
            var kept: Central?
            let names = try await Central.withCentral(.address(stack.address), clock: ScaledClock.slow) { central in
                kept = central
                return try await central.adapters().map(\.name)
            }
            #expect(names == ["hci0"])
            try await expectClosed(kept)
        }
    }

    @Test func `the central is closed after an error of the body, which is thrown on`() async throws {
        try await withStack { stack in
            var kept: Central?
            await #expect(throws: BodyError.self) {
                try await Central.withCentral(.address(stack.address), clock: ScaledClock.slow) { central in
                    kept = central
                    throw BodyError()
                }
            }
            try await expectClosed(kept)
        }
    }

    // MARK: Restarting an adapter

    @Test func `an adapter is switched off and on`() async throws {
        try await withStack { stack in
            let address = try #require(DeviceAddress(SimulatedColmi().address))
            // Until it is switched off and on.
            await stack.setDiscoveryFault(.receivesNothing)
            try await Central.withCentral(.address(stack.address)) { central in
                let isRestarted = try await central.restartAdapter(), isPowered = try await central.adapter().isPowered
                #expect(isRestarted && isPowered)
                let found = try await central.search(for: [address], limit: .seconds(60)).found
                #expect(found == [address])
            }
        }
    }

    @Test func `an adapter that is in use is not switched off`() async throws {
        try await withStack { stack in
            let address = try #require(DeviceAddress(SimulatedColmi().address))
            let other = try await DBusConnection.open(.address(stack.address))
            try await Central.withCentral(.address(stack.address), clock: ScaledClock.slow) { central in
                try await central.withPeripheral(address) { _ in
                    let isRestarted = try await central.restartAdapter()
                    #expect(!isRestarted, "a device is connected")
                    #expect(await !stack.snapshot.connected.isEmpty)
                }
                _ = try await other.call("org.bluez", "/org/bluez/hci0", "org.bluez.Adapter1", "StartDiscovery")
                while try await !central.adapter().isDiscovering { await Task.yield() }
            }
            try await Central.withCentral(.address(stack.address)) { central in
                let isRestarted = try await central.restartAdapter()
                #expect(!isRestarted, "another program scans")
            }
            _ = try await other.call("org.bluez", "/org/bluez/hci0", "org.bluez.Adapter1", "StopDiscovery")
            await other.close()
        }
    }

    // MARK: Cancellation

    @Test func `the central and its link are closed after a cancellation`() async throws {
        try await withStack { stack in
            let kept = Mutex<Central?>(nil)
            let (started, signal) = AsyncStream.makeStream(of: Void.self)
            let address = try #require(DeviceAddress(SimulatedColmi().address))
            let task = Task {
                try await Central.withCentral(.address(stack.address), clock: ScaledClock.slow) { central in
                    kept.withLock { $0 = central }
                    try await central.withPeripheral(address) { peripheral in
                        signal.yield()
                        _ = await peripheral.disconnection()
                        try Task.checkCancellation()
                    }
                }
            }
            for await _ in started { break }
            task.cancel()
            await #expect(throws: (any Error).self) { try await task.value }
            try await expectClosed(kept.withLock { $0 })
        }
    }

    @Test func `a missing bus is an error, and the body is not run`() async throws {
        await #expect(throws: BluetoothError.self) {
            try await Central.withCentral(.address("unix:path=/nonexistent/bus")) { _ in Issue.record("there is no bus")
            }
        }
    }
}
