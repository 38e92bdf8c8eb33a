import BlueZ
import DBus
import Pedometers
import SimulatedBlueZ
import StepDomain
import TestSupport
import Testing

/// Looking at a simulated device over a real D-Bus.
@Suite(.timeLimit(.minutes(5))) struct ExploringTests {
    /// For example, a file can no longer be written.
    private struct CannotPassOn: Error {}

    @Test func `an error of the receiver of values is thrown unchanged, and the link ends`() async throws {
        let device = SimulatedGeneric(
            address: "C0:DE:00:00:00:01", name: "Counter", advertisedServices: ["fff0"],
            steps: CharacteristicID("fff0", "fff1"),
            source: .manual(7))
        let stack = try await SimulatedBlueZ.start(peripherals: [device], timing: .immediate)
        let explorer = BluetoothAccess(now: { Timestamp(0) }) {
            try await Central.open(.address(stack.address), clock: ScaledClock.slow)
        }
        let announcing = Task {
            for await case .subscribed in stack.events {
                device.announce()
                return
            }
        }
        await #expect(throws: CannotPassOn.self) {
            try await explorer.notifications(
                of: CharacteristicAddress(service: "fff0", characteristic: "fff1"), of: device.address, seconds: nil
            ) { _ in throw CannotPassOn() }
        }
        await announcing.value
        #expect(await stack.snapshot.connected.isEmpty)
        await stack.stop()
    }

    @Test func `after a read that is not answered no other is tried, and the list is complete`() async throws {
        let watch = SimulatedInfiniTime()
        let stack = try await SimulatedBlueZ.start(peripherals: [watch], timing: .immediate)
        let explorer = BluetoothAccess(limits: ConnectionLimits(operation: .milliseconds(50)), now: { Timestamp(0) }) {
            try await Central.open(.address(stack.address))
        }
        let listed = try await explorer.services(of: watch.address, readsValues: false)
        await stack.inject(.stall(.read), for: watch.address)
        let services = try await explorer.services(of: watch.address, readsValues: true)
        let refusals = services.flatMap(\.characteristics).compactMap {
            if case .refused(let reason) = $0.value { reason } else { nil }
        }
        #expect(services.map(\.uuid) == listed.map(\.uuid))
        #expect(refusals.count > 1 && refusals.dropFirst().allSatisfy { $0.hasPrefix("not tried") })
        #expect(refusals.first?.contains("0.05 s") == true)
        await stack.stop()
    }
}
