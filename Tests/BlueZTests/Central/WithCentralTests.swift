import BlueZ
import DBus
import SimulatedBlueZ
import Synchronization
import TestSupport
import Testing

/// `Central.withCentral` closes what it has opened, however its body ends.
@Suite(.timeLimit(.minutes(5)))
struct WithCentralTests {
    private struct Mistake: Error {}

    private func withStack(_ body: (SimulatedBlueZ) async throws -> Void) async throws {
        let ring = SimulatedRing()
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

    @Test func `after a return`() async throws {
        try await withStack { stack in
            var kept: Central?
            let names = try await Central.withCentral(.address(stack.address), clock: SlowClock()) { central in
                kept = central
                return try await central.adapters().map(\.name)
            }
            #expect(names == ["hci0"])
            try await expectClosed(kept)
        }
    }

    @Test func `after an error, which is passed on`() async throws {
        try await withStack { stack in
            var kept: Central?
            await #expect(throws: Mistake.self) {
                try await Central.withCentral(.address(stack.address), clock: SlowClock()) { central in
                    kept = central
                    throw Mistake()
                }
            }
            try await expectClosed(kept)
        }
    }

    @Test func `after cancellation, with a link`() async throws {
        try await withStack { stack in
            let kept = Mutex<Central?>(nil)
            let (started, signal) = AsyncStream.makeStream(of: Void.self)
            let address = try #require(DeviceAddress(SimulatedRing().address))
            let task = Task {
                try await Central.withCentral(.address(stack.address), clock: SlowClock()) { central in
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

    @Test func `a bus that is not there is an error of its own`() async throws {
        await #expect(throws: BluetoothError.self) {
            try await Central.withCentral(.address("unix:path=/nonexistent/bus")) { _ in Issue.record("there is no bus") }
        }
    }
}
