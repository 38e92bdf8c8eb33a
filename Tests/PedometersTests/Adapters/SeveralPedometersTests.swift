import BlueZ
import DBus
import Foundation
import Pedometers
import SimulatedBlueZ
import StepDomain
import Synchronization
import TestSupport
import Testing

/// Several pedometers in one reading, over a real D-Bus, with a manual clock.
@Suite(.timeLimit(.minutes(5))) struct SeveralPedometersTests {
    private static let now = Timestamp(Day("2026-05-20")!.daysSince1970 * 86_400 + 13 * 3600 + 2400)

    private let first = SimulatedColmi(
        address: "C0:DE:00:00:00:01", name: "R02_0001", clock: .local(.gmt),
        now: { Date(timeIntervalSince1970: TimeInterval(now.seconds)) })
    private let second = SimulatedColmi(
        address: "C0:DE:00:00:00:02", name: "R02_0002", seed: 2, clock: .local(.gmt),
        now: { Date(timeIntervalSince1970: TimeInterval(now.seconds)) })
    /// The central that the access opened.
    private final class Opened: Sendable {
        let central = Mutex<Central?>(nil)
    }

    private let opened = Opened()
    private let clock = ManualClock()
    private let receiver = RecordingReceiver()

    private func pedometer(_ id: Int64, _ address: String? = nil, _ name: String = "ring", type: String = "random")
        -> Pedometer
    {
        Pedometer(
            id: id, user: 1, model: Colmi.key, address: address ?? "C0:DE:00:00:00:0\(id)", addressType: type,
            name: name)
    }

    /// The search limit differs from any other wait, so that a test can let it pass.
    ///
    /// - Parameter body: gets a function that reads.
    private func with(
        _ rings: [SimulatedColmi], disconnecting: Duration = .zero, registered: Set<String> = [],
        restartsAdapter: Bool = false,
        _ body: (SimulatedBlueZ, @escaping @Sendable ([Pedometer]) async -> Void) async throws -> Void
    ) async throws {
        var timing = Timing.immediate
        timing.disconnect = disconnecting
        timing.clock = clock
        let stack = try await SimulatedBlueZ.start(peripherals: rings, timing: timing)
        let access = BluetoothAccess(
            limits: ConnectionLimits(scan: .seconds(21)), registered: registered, restartsAdapter: restartsAdapter,
            localTime: .fixed(0),
            now: { Self.now }, clock: clock,
            central: { [clock, opened] in
                let central = try await Central.open(.address(stack.address), clock: clock)
                opened.central.withLock { $0 = central }
                return central
            })
        do {
            try await body(stack) { [receiver] in await access.read($0, for: receiver) }
            let snapshot = await stack.snapshot
            #expect(snapshot.connected.isEmpty && snapshot.discovering.isEmpty)
        } catch {
            await stack.stop()
            throw error
        }
        await stack.stop()
    }

    private func hasEnded(_ id: Pedometer.ID) -> @Sendable (RecordingReceiver.Event) -> Bool {
        { if case .ended(id, _) = $0 { true } else { false } }
    }

    @Test func `absent pedometers end together after one search time, whatever was read in that time`() async throws {
        try await with([second]) { stack, read in
            let start = clock.now
            async let run: Void = read([pedometer(1), pedometer(2), pedometer(3)])
            await receiver.until { if case .disconnected(2, _) = $0 { true } else { false } }
            await clock.pass(.seconds(21))
            await run
            #expect(receiver.result(of: 2) != nil && receiver.failure(of: 2) == nil)
            for id in [Int64(1), 3] {
                #expect(
                    receiver.failure(of: id) as? BluetoothError
                        == .peripheralNotFound("C0:DE:00:00:00:0\(id)", seconds: 21))
                #expect(receiver.seconds(of: id) == nil)
            }
            #expect(start.duration(to: clock.now) == .seconds(21))
        }
    }

    @Test func `the result is reported before BlueZ has disconnected, and the time of the link afterwards`()
        async throws
    {
        try await with([first], disconnecting: .seconds(2)) { stack, read in
            async let run: Void = read([pedometer(1)])
            await receiver.until(hasEnded(1))
            #expect(await stack.snapshot.connected == [first.address])
            #expect(receiver.seconds(of: 1) == nil)
            await clock.pass(.seconds(2))
            await run
            #expect(receiver.seconds(of: 1) == 2)
            #expect(receiver.steps.values.reduce(0, +) == first.expectedSteps().reduce(0) { $0 + $1.steps })
        }
    }

    @Test func `the next pedometer is read while BlueZ disconnects the first`() async throws {
        try await with([first, second], disconnecting: .seconds(2)) { stack, read in
            async let run: Void = read([pedometer(1), pedometer(2)])
            await receiver.until(hasEnded(1))
            await receiver.until(hasEnded(2))
            #expect(await stack.snapshot.connected == [first.address, second.address])
            while clock.sleepers(for: .seconds(2)) < 2 { await Task.yield() }
            clock.advance(by: .seconds(2))
            await run
            #expect(receiver.failure(of: 1) == nil && receiver.failure(of: 2) == nil)
        }
    }

    @Test func `a pedometer with the same name under another address is mentioned`() async throws {
        try await with([second], registered: ["C0:DE:00:00:00:01"]) { stack, read in
            async let run: Void = read([pedometer(1, nil, "R02_0002")])
            await clock.pass(.seconds(5))
            await clock.sleeping(for: .seconds(16))
            // The look-alike has to be heard before the time is over.
            let central = try #require(opened.central.withLock { $0 })
            let other = try #require(DeviceAddress("C0:DE:00:00:00:02"))
            while try await central.storedPeripheral(other) == nil { await Task.yield() }
            for _ in 0..<2_000 { await Task.yield() }
            await clock.pass(.seconds(16))
            await run
            let error = try #require(receiver.failure(of: 1) as? PedometerError)
            #expect(
                error
                    == .addressMayHaveChanged(
                        "C0:DE:00:00:00:01", seconds: 21, name: "R02_0002", to: "C0:DE:00:00:00:02"))
            #expect(error.description.contains("R02_0002 is in range with another address, C0:DE:00:00:00:02"))
            #expect(
                error.advice?.contains("`istep forget C0:DE:00:00:00:01`, then `istep add C0:DE:00:00:00:02`") == true)
            #expect(FailureCause(error) == .outOfRange)
            #expect(
                stack.history.allSatisfy { if case .connecting = $0 { false } else { true } }, "it is not connected to")
        }
    }

    @Test func `that no device at all was heard is reported, with advice to check the adapter`() async throws {
        for count in [Int64(1), 2] {
            try await with([]) { _, read in
                async let run: Void = read((1...count).map { pedometer($0) })
                // One pedometer is searched for alone at first.
                if count == 1 { await clock.pass(.seconds(5)) }
                await clock.pass(.seconds(count == 1 ? 16 : 21))
                await run
                for id in 1...count {
                    let error = try #require(receiver.failure(of: id) as? PedometerError)
                    #expect(error == .nothingDiscovered("C0:DE:00:00:00:0\(id)", seconds: 21))
                    #expect(
                        error.description.contains("was not heard within 21 s, and no other Bluetooth device was heard")
                    )
                    #expect(error.advice?.contains("istep doctor") == true && FailureCause(error) == .outOfRange)
                }
            }
        }
    }

    @Test func `an adapter that receives nothing is switched off and on, and the search begins again`() async throws {
        try await with([first], restartsAdapter: true) { stack, read in
            await stack.setDiscoveryFault(.receivesNothing)
            async let run: Void = read([pedometer(1)])
            await clock.pass(.seconds(5))
            await clock.pass(.seconds(16))
            await clock.pass(.seconds(1))  // while it is off
            await run
            #expect(receiver.failure(of: 1) == nil && !receiver.steps.isEmpty)
            let restarts = receiver.events.count {
                if case .progress(1, .adapterRestarted) = $0 { true } else { false }
            }
            #expect(restarts == 1)
        }
    }

    @Test func `an adapter is switched off and on once in a reading`() async throws {
        try await with([], restartsAdapter: true) { _, read in
            async let run: Void = read([pedometer(1)])
            for seconds in [5, 16, 1, 5, 16] { await clock.pass(.seconds(seconds)) }
            await run
            #expect(receiver.failure(of: 1) as? PedometerError == .nothingDiscovered("C0:DE:00:00:00:01", seconds: 21))
        }
    }

    /// Read from its advertisements, without a connection.
    private let band = Pedometer(
        id: 1, user: 1, model: MiBand.key, address: "C0:DE:00:00:00:01", addressType: "random", name: "band")

    @Test func `an adapter that hears nothing is reported also for a pedometer read from its advertisements`()
        async throws
    {
        try await with([]) { _, read in
            async let run: Void = read([band])
            await clock.pass(.seconds(21))
            await run
            #expect(receiver.failure(of: 1) as? PedometerError == .nothingDiscovered(band.address, seconds: 21))
        }
    }

    @Test func `a pedometer read by advertisements is reported as not found if another device was heard`() async throws
    {
        try await with([second]) { _, read in
            async let run: Void = read([band])
            await clock.sleeping(for: .seconds(21))
            let central = try #require(opened.central.withLock { $0 })
            let other = try #require(DeviceAddress(second.address))
            while try await central.storedPeripheral(other) == nil { await Task.yield() }
            for _ in 0..<2_000 { await Task.yield() }
            await clock.pass(.seconds(21))
            await run
            #expect(receiver.failure(of: 1) as? BluetoothError == .peripheralNotFound(band.address, seconds: 21))
        }
    }

    @Test func `a pedometer of an unknown model fails at once and does not stop the others`() async throws {
        try await with([first]) { stack, read in
            var stranger = pedometer(2)
            stranger.model = "abacus"
            await read([stranger, pedometer(1)])
            #expect(receiver.failure(of: 2) is PedometerError)
            #expect(receiver.failure(of: 1) == nil)
        }
    }

    @Test func `a cancellation during the search ends all missing pedometers`() async throws {
        try await with([]) { stack, read in
            let task = Task { await read([pedometer(1), pedometer(2)]) }
            await clock.sleeping(for: .seconds(21))
            task.cancel()
            await task.value
            #expect(receiver.failure(of: 1) is CancellationError && receiver.failure(of: 2) is CancellationError)
        }
    }

    @Test func `a cancellation during a reading ends the link, and no other link is begun`() async throws {
        try await with([first, second]) { stack, read in
            await stack.inject(.stall(.notification, .from(30)), for: first.address)
            let task = Task { await read([pedometer(1), pedometer(2)]) }
            for await event in stack.events { if case .notified = event { break } }
            task.cancel()
            await task.value
            #expect(receiver.failure(of: 1) is CancellationError && receiver.failure(of: 2) is CancellationError)
            #expect(!stack.history.contains(.connecting(second.address)))
        }
    }
}
