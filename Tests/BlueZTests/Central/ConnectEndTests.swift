import DBus
import TestSupport
import Testing

@testable import BlueZ

/// How a link ends, and who may use it.
@Suite(.timeLimit(.minutes(5)))
struct ConnectEndTests {
    @Test func `cancelling an attempt cancels it in BlueZ too`() async throws {
        try await withFixture(device: Fixture.discovered) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.hang)
            let task = Task { await fixture.connect() }
            await fixture.fake.until { $0.last == "Connect" }
            task.cancel()
            #expect(await task.value == .failure(.cancelled))
            #expect(await fixture.fake.calls == ["Connect", "Disconnect"])
        }
    }

    @Test func `cancelling while listening stops discovery`() async throws {
        try await withFixture { fixture in
            let task = Task { await fixture.connect() }
            await fixture.fake.until { $0.last == "StartDiscovery" }
            task.cancel()
            #expect(await task.value == .failure(.cancelled))
            #expect(await fixture.fake.calls.suffix(2) == ["StopDiscovery", "SetDiscoveryFilter"])
        }
    }

    @Test func `an error and a cancellation of the body disconnect`() async throws {
        struct BodyError: Error {}
        try await withFixture(device: Fixture.discovered) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            await #expect(throws: BodyError.self) {
                try await fixture.central.withPeripheral(.ring) { _ in throw BodyError() }
            }
            #expect(await fixture.fake.calls == ["Connect", "Disconnect"])

            let task = Task {
                try await fixture.central.withPeripheral(.ring) { _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                    try Task.checkCancellation()
                }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(await fixture.fake.calls == ["Connect", "Disconnect", "Connect", "Disconnect"])
        }
    }

    @Test func `a second connection of this program to a peripheral is refused as busy`() async throws {
        try await withFixture(device: Fixture.discovered) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            try await fixture.central.withPeripheral(.ring) { _ in
                #expect(
                    await fixture.connect() == .failure(.busy("C0:DE:00:00:00:01 is in use by this program already")))
            }
            #expect(await fixture.connect() == .success(true))
        }
    }

    @Test func `a link that another program uses is shared and left up`() async throws {
        let connected = Sample.deviceProperties(
            .ring,
            [
                "Connected": .boolean(true), "ServicesResolved": .boolean(true), "Trusted": .boolean(true),
            ])
        try await withFixture(device: connected, objects: Sample.gatt) { fixture in
            try await fixture.central.withPeripheral(.ring) { peripheral in
                _ = try await peripheral.notifications(of: Sample.counterUUID, in: Sample.serviceUUID)
            }
            #expect(await fixture.fake.calls == ["StartNotify", "StopNotify"])
        }
    }

    @Test func `closing the central disconnects`() async throws {
        try await withFixture(device: Fixture.discovered) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connect)
            try await fixture.central.withPeripheral(.ring) { _ in
                await fixture.central.close()
                #expect(await fixture.fake.calls == ["Connect", "Disconnect"])
            }
        }
    }
}
