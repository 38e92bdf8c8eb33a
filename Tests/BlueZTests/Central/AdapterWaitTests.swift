import BlueZ
import DBus
import PrivateBus
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct AdapterWaitTests {
    /// Waits in a lab with a new connection for each attempt, and counts the attempts.
    private func wait(_ lab: Lab, _ adapter: String? = nil, limit: Duration = .seconds(15), asked: Counter) async {
        await AdapterWait(limit: limit, clock: lab.clock)(adapter) {
            asked.add()
            return try await Central.open(.address(lab.bus.address), clock: lab.clock)
        }
    }

    @Test func `the wait ends at once if the adapter is on`() async throws {
        try await withLab { lab in
            let asked = Counter()
            await wait(lab, asked: asked)
            #expect(asked.count == 1)
        }
    }

    @Test func `the wait ends when the adapter comes up`() async throws {
        try await withLab(adapter: Sample.adapterProperties(isPowered: false)) { lab in
            let asked = Counter()
            async let waiting: Void = wait(lab, asked: asked)
            await lab.clock.pass(.seconds(1))
            await lab.clock.sleeping(for: .seconds(1))
            await lab.fake.set([Sample.adapter: ["org.bluez.Adapter1": Sample.adapterProperties()]])
            lab.clock.advance(by: .seconds(1))
            await waiting
            #expect(asked.count == 3)
        }
    }

    @Test func `the wait ends after its limit`() async throws {
        try await withLab(adapter: Sample.adapterProperties(isPowered: false)) { lab in
            let asked = Counter()
            async let waiting: Void = wait(lab, "hci7", limit: .seconds(2), asked: asked)
            await lab.clock.pass(.seconds(1))
            await lab.clock.pass(.seconds(1))
            await waiting
            #expect(asked.count == 3)
        }
    }

    @Test func `an error that the user has to fix ends the wait`() async throws {
        try await withLab { lab in
            let asked = Counter()
            await AdapterWait(clock: lab.clock)(nil) {
                asked.add()
                throw BluetoothError.accessDenied("the bus")
            }
            #expect(asked.count == 1)
        }
    }

    @Test func `cancellation ends the wait`() async throws {
        try await withLab(adapter: Sample.adapterProperties(isPowered: false)) { lab in
            let asked = Counter()
            let waiting = Task { await wait(lab, asked: asked) }
            await lab.clock.sleeping(for: .seconds(1))
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
}
