import BlueZ
import DBus
import SimulatedBlueZ
import StepDomain
import Synchronization
import TestSupport
import Testing

@testable import Pedometers

/// Listening on the simulation, across a bus that comes and goes.
@Suite(.timeLimit(.minutes(5))) struct ReconnectingScannerTests {
    /// Runs a scanner during `body`; afterwards it must have left nothing open.
    private func scanning(
        _ central: @escaping @Sendable () async throws -> Central, clock: ManualClock,
        _ body: (ReconnectingScanner, AsyncStream<PresenceEvent>) async throws -> Void
    ) async throws {
        let scanner = ReconnectingScanner(BluetoothAccess(now: { Timestamp(0) }, clock: clock, central: central))
        let (events, happened) = AsyncStream<PresenceEvent>.makeStream()
        let task = Task { await scanner.run { happened.yield($0) } }
        try await body(scanner, events)
        task.cancel()
        await task.value
    }

    private func withStack(
        _ peripherals: [any SimulatedPeripheral], isExperimental: Bool = true,
        _ body: (SimulatedBlueZ) async throws -> Void
    ) async throws {
        var quirks = Quirks()
        quirks.isExperimental = isExperimental
        let stack = try await SimulatedBlueZ.start(peripherals: peripherals, timing: .immediate, quirks: quirks)
        do {
            try await body(stack)
            let snapshot = await stack.snapshot
            #expect(snapshot.monitors == 0 && snapshot.discovering.isEmpty)
        } catch {
            await stack.stop()
            throw error
        }
        await stack.stop()
    }

    @Test func `a pedometer is heard by the address that was asked for`() async throws {
        let ring = SimulatedColmi()
        try await withStack([ring]) { stack in
            let clock = ManualClock()
            try await scanning({ try await Central.open(.address(stack.address), clock: clock) }, clock: clock) {
                scanner, events in
                await scanner.scan(for: [ring.address.lowercased(), "no address"], advertised: [])
                for await case .discovered(let address) in events {
                    #expect(address == ring.address.lowercased())
                    break
                }
                await scanner.pause()
                #expect(await stack.snapshot.monitors == 0)
            }
        }
    }

    /// With monitors of BlueZ, and by scans.
    @Test(arguments: [true, false])
    func `a band is heard by the address in its data, whatever address sends it`(isExperimental: Bool) async throws {
        let band = SimulatedMiBand(address: "C0:DE:57:01:00:99", identity: "C0:DE:57:01:00:06")
        try await withStack([band, SimulatedColmi()], isExperimental: isExperimental) { stack in
            let clock = ManualClock()
            try await scanning({ try await Central.open(.address(stack.address), clock: clock) }, clock: clock) {
                scanner, events in
                await scanner.scan(for: [band.identity], advertised: [band.identity])
                for await case .discovered(let address) in events {
                    #expect(address == band.identity)
                    break
                }
                await scanner.pause()
            }
        }
    }

    @Test func `without a bus the scanner tries again after growing pauses`() async throws {
        let clock = ManualClock()
        let nowhere = "unix:path=/nonexistent/bus"
        try await scanning({ try await Central.open(.address(nowhere), clock: clock) }, clock: clock) { _, events in
            var failures = events.makeAsyncIterator()
            for seconds in [2, 4, 8, 16, 32, 60, 60] {
                guard case .unavailable = await failures.next() else {
                    Issue.record("it does not report that there is no bus")
                    return
                }
                await clock.pass(.seconds(seconds))
            }
        }
    }

    @Test func `listening resumes when the bus is available again`() async throws {
        let ring = SimulatedColmi()
        try await withStack([ring]) { stack in
            let clock = ManualClock()
            let isThere = Mutex(false)
            let central: @Sendable () async throws -> Central = {
                try await Central.open(
                    .address(isThere.withLock { $0 } ? stack.address : "unix:path=/nonexistent/bus"), clock: clock)
            }
            try await scanning(central, clock: clock) { scanner, events in
                await scanner.scan(for: [ring.address], advertised: [])
                for await case .unavailable in events { break }
                isThere.withLock { $0 = true }
                await clock.pass(.seconds(2))
                for await case .discovered(let address) in events {
                    #expect(address == ring.address)
                    break
                }
            }
        }
    }
}
