import BlueZ
import DBus
import PrivateBus
import TestSupport

/// A bus, a fake BlueZ with one adapter on it, and a central with a manual clock.
struct Fixture {
    let bus: PrivateBus
    let fake: FakeBlueZ
    let clock: ManualClock
    let central: Central

    /// Returns when `isWanted` holds for the central's adapters.
    func until(_ isWanted: ([Adapter]) -> Bool) async throws {
        while try await !isWanted(central.adapters()) { await Task.yield() }
    }

    static let bluez: [ObjectPath: [String: FakeBlueZ.Properties]] = [
        "/org/bluez": ["org.bluez.AgentManager1": [:]],
        Sample.adapter: ["org.bluez.Adapter1": Sample.adapterProperties()],
    ]
}

/// Runs a test in a fixture of its own.
///
/// - Parameters:
///   - device: the properties of a device that BlueZ knows from the beginning, if any.
///   - objects: what else it has from the beginning.
func withFixture(
    device: FakeBlueZ.Properties? = nil, objects: [ObjectPath: [String: FakeBlueZ.Properties]] = [:],
    adapter: FakeBlueZ.Properties = Sample.adapterProperties(),
    machine: MachineProbe? = nil, _ body: (Fixture) async throws -> Void
) async throws {
    let bus = try await PrivateBus.start()
    defer { bus.stop() }
    let fake = try await FakeBlueZ.start(bus.address)
    await fake.set(Fixture.bluez)
    await fake.set([Sample.adapter: ["org.bluez.Adapter1": adapter]])
    await fake.set(objects)
    if let device { await fake.set([Sample.device: ["org.bluez.Device1": device]]) }
    let clock = ManualClock()
    let central = try await Central.open(.address(bus.address), clock: clock, machine: machine)
    try await body(Fixture(bus: bus, fake: fake, clock: clock, central: central))
    await central.close()
    await fake.bus.close()
}
