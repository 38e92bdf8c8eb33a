import BlueZ
import DBus
import PrivateBus
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct AdapterWaitTests {
    /// Waits in a fixture with a new connection for each attempt, and counts the attempts.
    private func wait(_ fixture: Fixture, _ adapter: String? = nil, limit: Duration = .seconds(15), asked: Counter)
        async
    {
        await Central.waitForAdapter(adapter, limit: limit, clock: fixture.clock) {
            asked.add()
            return try await Central.open(.address(fixture.bus.address), clock: fixture.clock)
        }
    }

    @Test func `the wait ends at once if the adapter is on`() async throws {
        try await withFixture { fixture in
            let asked = Counter()
            await wait(fixture, asked: asked)
            #expect(asked.count == 1)
        }
    }

    @Test func `the wait ends when the adapter comes up`() async throws {
        try await withFixture(adapter: Sample.adapterProperties(isPowered: false)) { fixture in
            let asked = Counter()
            async let waiting: Void = wait(fixture, asked: asked)
            await fixture.clock.pass(.seconds(1))
            await fixture.clock.sleeping(for: .seconds(1))
            await fixture.fake.set([Sample.adapter: ["org.bluez.Adapter1": Sample.adapterProperties()]])
            fixture.clock.advance(by: .seconds(1))
            await waiting
            #expect(asked.count == 3)
        }
    }

    @Test func `the wait ends after its limit`() async throws {
        try await withFixture(adapter: Sample.adapterProperties(isPowered: false)) { fixture in
            let asked = Counter()
            async let waiting: Void = wait(fixture, "hci7", limit: .seconds(2), asked: asked)
            await fixture.clock.pass(.seconds(1))
            await fixture.clock.pass(.seconds(1))
            await waiting
            #expect(asked.count == 3)
        }
    }

    @Test func `an error that the user has to fix ends the wait`() async throws {
        try await withFixture { fixture in
            let asked = Counter()
            await Central.waitForAdapter(nil, clock: fixture.clock) {
                asked.add()
                throw BluetoothError.accessDenied("the bus")
            }
            #expect(asked.count == 1)
        }
    }

    @Test func `cancellation ends the wait`() async throws {
        try await withFixture(adapter: Sample.adapterProperties(isPowered: false)) { fixture in
            let asked = Counter()
            let waiting = Task { await wait(fixture, asked: asked) }
            await fixture.clock.sleeping(for: .seconds(1))
            waiting.cancel()
            await waiting.value
            #expect(asked.count == 1)
        }
    }
}

private final class Counter: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock(\.self) }
    func add() { value.withLock { $0 += 1 } }

    @Test func `an adapter that is switched off for a moment is waited for by a central in use`() async throws {
        try await withFixture { fixture in
            try await fixture.central.waitForAdapter()  // at once
            let powered = { (on: Bool) in
                try await fixture.fake.change(Sample.adapter, "org.bluez.Adapter1", ["Powered": .boolean(on)])
                try await fixture.until { $0.first?.isPowered == on }
            }
            try await powered(false)
            async let wait: Void = fixture.central.waitForAdapter("hci0", limit: .seconds(14))
            await fixture.clock.sleeping(for: .seconds(14))
            try await powered(true)
            try await wait
            try await powered(false)
            async let other: Void = fixture.central.waitForAdapter("hci0")
            await fixture.clock.pass(.seconds(15))
            do {
                try await other
                Issue.record("it is still off")
            } catch {
                #expect(error as? BluetoothError == .adapterDown("hci0"))
            }
        }
    }
}
