import DBus
import TestSupport
import Testing

@testable import BlueZ

/// Links and attempts that BlueZ does not end.
@Suite(.timeLimit(.minutes(5)))
struct StuckLinkTests {
    /// `Connect` answers InProgress until the device is removed.
    private func stuckUntilRemoved(_ fixture: Fixture) async {
        await fixture.fake.on("StartDiscovery", FakeBlueZ.hear())
        await fixture.fake.on(
            "Connect", FakeBlueZ.fail("org.bluez.Error.InProgress", "In Progress"),
            FakeBlueZ.fail("org.bluez.Error.InProgress", "In Progress"),
            FakeBlueZ.fail("org.bluez.Error.InProgress", "In Progress"),
            FakeBlueZ.connect)
        await fixture.fake.on("RemoveDevice") { fake, call in
            try? await fake.remove(Sample.device)
            await call.reply()
        }
    }

    @Test
    func `an attempt that never ends is disconnected after the second failure, and the advice is to remove the device`()
        async throws
    {
        try await withFixture(device: Fixture.discovered) { fixture in
            await stuckUntilRemoved(fixture)
            async let result = fixture.connect()
            for _ in 1...2 { await fixture.clock.pass(.seconds(1)) }
            let reason = ConnectFailure(.stuck, detail: "In Progress")
            let error = BluetoothError.connectFailed("C0:DE:00:00:00:01", reason: reason)
            #expect(await result == .failure(error))
            #expect(error.advice?.contains("`bluetoothctl remove C0:DE:00:00:00:01`") == true && error.isTransient)
            #expect(await fixture.fake.calls == ["Connect", "Connect", "Disconnect", "Connect"])
        }
    }

    @Test func `with recovery, a device that is stuck is removed and found again`() async throws {
        try await withFixture(device: Fixture.discovered) { fixture in
            await stuckUntilRemoved(fixture)
            async let result: Void = fixture.central.withPeripheral(.ring, recovers: true) { _ in }
            for _ in 1...2 { await fixture.clock.pass(.seconds(1)) }
            try await result
            #expect(
                await fixture.fake.calls == [
                    "Connect", "Connect", "Disconnect", "Connect", "RemoveDevice", "SetDiscoveryFilter",
                    "StartDiscovery", "StopDiscovery",
                    "SetDiscoveryFilter", "Connect", "Disconnect",
                ])
        }
    }

    @Test func `a bonded device is never removed`() async throws {
        try await withFixture(device: Sample.deviceProperties(.ring, ["Paired": .boolean(true), "RSSI": .int16(-60)])) {
            fixture in
            await stuckUntilRemoved(fixture)
            let task = Task { try await fixture.central.withPeripheral(.ring, recovers: true) { _ in } }
            for _ in 1...2 { await fixture.clock.pass(.seconds(1)) }
            await #expect(throws: BluetoothError.self) { try await task.value }
            #expect(await !fixture.fake.calls.contains("RemoveDevice"))
        }
    }

    @Test(arguments: [true, false])
    func `a link without services that stays after Disconnect is reported as stuck within 20 s`(answers: Bool)
        async throws
    {
        let phantom = Sample.deviceProperties(.ring, ["Connected": .boolean(true)])
        try await withFixture(device: phantom) { fixture in
            await fixture.fake.on("Disconnect", answers ? FakeBlueZ.agree : FakeBlueZ.hang)
            let start = fixture.clock.now
            async let result = fixture.connect()
            await fixture.clock.pass(.seconds(5))  // its services
            for number in 1...2 {
                await fixture.fake.until { $0.count == number }
                await fixture.clock.pass(answers ? .seconds(3) : .seconds(5))
            }
            #expect(await result == .failure(.connectFailed("C0:DE:00:00:00:01", reason: ConnectFailure(.stuck))))
            #expect(start.duration(to: fixture.clock.now) <= .seconds(20))
            await fixture.fake.on("Disconnect", FakeBlueZ.disconnect)
        }
    }
}
