import DBus
import TestSupport
import Testing

@testable import BlueZ

/// Attempts that fail, and what follows.
@Suite(.timeLimit(.minutes(5)))
struct ConnectRetryTests {
    @Test func `a failed link is tried again at once`() async throws {
        try await withFixture(device: Fixture.discovered) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.linkFails, FakeBlueZ.connect)
            #expect(await fixture.connect() == .success(true))
            #expect(await fixture.fake.calls == ["Connect", "Disconnect", "Connect", "Disconnect"])
        }
    }

    @Test func `attempts are limited`() async throws {
        try await withFixture(device: Fixture.discovered) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.linkFails)
            async let result = fixture.connect(limits: ConnectionLimits(attempts: 3, backoff: .seconds(1)))
            await fixture.clock.pass(.seconds(1))
            #expect(
                await result
                    == .failure(
                        .connectFailed(
                            "C0:DE:00:00:00:01",
                            reason: ConnectFailure(.linkFailed, detail: "le-connection-abort-by-local"))))
            #expect(await fixture.fake.calls.filter { $0 == "Connect" }.count == 3)
        }
    }

    @Test func `another program's attempt is waited for and not cancelled`() async throws {
        let busy = FakeBlueZ.fail("org.bluez.Error.InProgress", "Operation already in progress")
        try await withFixture(device: Fixture.discovered) { fixture in
            await fixture.fake.on("Connect", busy, FakeBlueZ.connect)
            async let result = fixture.connect()
            await fixture.clock.pass(.seconds(1))
            #expect(await result == .success(true))
            #expect(await fixture.fake.calls == ["Connect", "Connect", "Disconnect"])
        }
    }

    @Test func `the link that another program was setting up is left to it`() async throws {
        try await withFixture(device: Fixture.discovered) { fixture in
            await fixture.fake.on("Connect") { fake, call in
                await call.fail("org.bluez.Error.InProgress", "Operation already in progress")
                try? await fake.device(["Connected": .boolean(true)])
                try? await fake.add(Sample.gatt)
                try? await fake.device(["ServicesResolved": .boolean(true)])
            }
            async let result = fixture.connect()
            while await fixture.central.daemon.cache.device(Sample.device)?.areServicesResolved != true {
                await Task.yield()
            }
            await fixture.clock.pass(.seconds(1))
            #expect(await result == .success(true))
            #expect(await fixture.fake.calls == ["Connect"])
        }
    }

    @Test func `discovery that cannot be started again is the failure, and not the silence that follows`() async throws
    {
        try await withFixture { fixture in
            await fixture.fake.on(
                "StartDiscovery", FakeBlueZ.hear(), FakeBlueZ.fail("org.bluez.Error.NotReady", "Resource Not Ready"))
            await fixture.fake.on("StopDiscovery") { fake, call in
                await call.reply()
                try? await fake.remove(Sample.device)
            }
            #expect(await fixture.connect() == .failure(.adapterDown("hci0")))
        }
    }

    @Test func `a permanent error is not retried`() async throws {
        try await withFixture(device: Fixture.discovered) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.fail("org.bluez.Error.Failed", "le-connection-key-missing"))
            #expect(
                await fixture.connect()
                    == .failure(
                        .connectFailed(
                            "C0:DE:00:00:00:01",
                            reason: ConnectFailure(.pairingBroken, detail: "le-connection-key-missing"))))
            #expect(await fixture.fake.calls == ["Connect", "Disconnect"])
        }
    }

    @Test func `success without a connection is a failure`() async throws {
        try await withFixture(device: Fixture.discovered) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.agree, FakeBlueZ.connect)
            async let result = fixture.connect()
            await fixture.clock.pass(.seconds(3))
            #expect(await result == .success(true))
        }
    }

    @Test func `a link that drops before the services are known is a failure`() async throws {
        try await withFixture(device: Fixture.discovered) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connectOnly, FakeBlueZ.connect)
            async let result = fixture.connect()
            await fixture.clock.sleeping(for: .seconds(20))
            try await fixture.fake.drop()
            #expect(await result == .success(true))
        }
    }

    @Test func `a link that drops before Connect has answered is a failure, without a wait`() async throws {
        try await withFixture(device: Fixture.discovered) { fixture in
            await fixture.fake.on(
                "Connect",
                { fake, call in
                    try? await fake.device(["Connected": .boolean(true)])
                    try? await fake.drop()
                    await call.reply()
                }, FakeBlueZ.connect)
            #expect(await fixture.connect() == .success(true))
        }
    }

    @Test func `services that do not come in time are a failure`() async throws {
        try await withFixture(device: Fixture.discovered) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.connectOnly, FakeBlueZ.connect)
            async let result = fixture.connect(limits: ConnectionLimits(services: .seconds(17)))
            await fixture.clock.pass(.seconds(17))
            #expect(await result == .success(true))
            #expect(await fixture.fake.calls.filter { $0 == "Disconnect" }.count == 2)
        }
    }

    @Test func `a peripheral without any services is a failure`() async throws {
        try await withFixture(device: Fixture.discovered) { fixture in
            await fixture.fake.on("Connect") { fake, call in
                await FakeBlueZ.connectOnly(fake, call)
                try? await fake.device(["ServicesResolved": .boolean(true)])
            }
            #expect(
                await fixture.connect(limits: ConnectionLimits(attempts: 2))
                    == .failure(.connectFailed("C0:DE:00:00:00:01", reason: ConnectFailure(.noServices))))
        }
    }

    @Test func `an attempt without an answer is cancelled after its limit`() async throws {
        try await withFixture(device: Fixture.discovered) { fixture in
            await fixture.fake.on("Connect", FakeBlueZ.hang)
            async let result = fixture.connect(limits: ConnectionLimits(connect: .seconds(25), attempts: 1))
            await fixture.fake.until { $0 == ["Connect"] }
            await fixture.clock.pass(.seconds(25))
            #expect(await result == .failure(.connectFailed("C0:DE:00:00:00:01", reason: ConnectFailure(.timedOut))))
            let calls = await fixture.fake.calls
            #expect(calls == ["Connect", "Disconnect"])
        }
    }
}
