import BlueZ
import DBus
import Foundation
import Pedometers
import SimulatedBlueZ
import StepDomain
import Synchronization
import TestSupport
import Testing

/// A reading of a simulated ring over a real D-Bus: the result must equal the ring's own data.
@Suite(.timeLimit(.minutes(5))) struct RingReadingTests {
    private static let zone = TimeZone(secondsFromGMT: 2 * 3600)!
    /// 2026-05-20 15:40 in that zone.
    private static let now = Timestamp(Day("2026-05-20")!.daysSince1970 * 86_400 + 13 * 3600 + 2400)

    private func ring(_ clock: SimulatedColmi.ClockSetting = .local(zone)) -> SimulatedColmi {
        SimulatedColmi(clock: clock, now: { Date(timeIntervalSince1970: TimeInterval(Self.now.seconds)) })
    }

    /// - Parameter clock: clock for the waits between two links.
    private func read(
        _ stack: SimulatedBlueZ, _ ring: SimulatedColmi, cursor: PedometerCursor = PedometerCursor(),
        clock: any Clock<Duration> = ContinuousClock(), into receiver: RecordingReceiver
    ) async throws -> ReadReport {
        var limits = ConnectionLimits()
        limits.attempts = 1
        // It is another second each time: that alone is no progress of a reading.
        let passed = Mutex(0)
        let access = BluetoothAccess(
            limits: limits, localTime: .zone(Self.zone), now: { Self.now },
            clockMark: {
                let seconds = passed.withLock { passed in
                    passed += 1
                    return passed
                }
                return ClockMark(at: Self.now + seconds, uptime: seconds, boot: "", isTrusted: true)
            }, clock: clock,
            // A machine that is busy for seconds is not a ring that does not answer.
            central: { try await Central.open(.address(stack.address), clock: ScaledClock.slow) })
        let pedometer = Pedometer(
            id: 1, user: 1, model: Colmi.key, address: ring.address, addressType: "random", name: "ring", cursor: cursor
        )
        return try await access.read(pedometer, into: receiver)
    }

    /// How often each day was requested.
    private func requests(_ stack: SimulatedBlueZ) -> [Int: Int] {
        stack.history.reduce(into: [:]) { days, event in
            if case .wrote(_, _, let bytes) = event, bytes.first == 0x43 { days[Int(bytes[1]), default: 0] += 1 }
        }
    }

    private func withStack(_ ring: SimulatedColmi, _ body: (SimulatedBlueZ) async throws -> Void) async throws {
        let stack = try await SimulatedBlueZ.start(peripherals: [ring], timing: .immediate)
        do { try await body(stack) } catch {
            await stack.stop()
            throw error
        }
        await stack.stop()
    }

    /// Whatever happened, no link and no scan is left open.
    private func expectNothingOpen(_ stack: SimulatedBlueZ) async {
        let snapshot = await stack.snapshot
        #expect(snapshot.connected.isEmpty)
        #expect(snapshot.discovering.isEmpty)
    }

    @Test func `a reading returns the week that the ring recorded`() async throws {
        let ring = ring()
        try await withStack(ring) { stack in
            let receiver = RecordingReceiver()
            let report = try await read(stack, ring, into: receiver)
            let expectedSteps = ring.expectedSteps()
            #expect(expectedSteps.count > 100)
            #expect(receiver.steps.values.reduce(0, +) == expectedSteps.reduce(0) { $0 + $1.steps })
            #expect(receiver.batches.flatMap(\.samples).count == expectedSteps.count { $0.steps > 0 })
            #expect(report.battery == Int(ring.battery))
            #expect(report.notices == [])
            await expectNothingOpen(stack)
        }
    }

    /// The day seven days ago has no data: the record of another day is not its answer, and not scaled as its own.
    @Test func `late records of another day and unasked battery levels change nothing`() async throws {
        let ring = ring()
        ring.behaviour.notWorn = [7]
        let plain = RecordingReceiver()
        try await withStack(ring) { stack in _ = try await read(stack, ring, into: plain) }
        ring.setClock(.local(Self.zone))
        ring.behaviour.repeatsRecordOf = 0
        ring.behaviour.sendsUnrequestedBattery = true
        try await withStack(ring) { stack in
            let receiver = RecordingReceiver()
            let report = try await read(stack, ring, into: receiver)
            #expect(receiver.batches.flatMap(\.samples) == plain.batches.flatMap(\.samples))
            #expect(report.notices == [] && report.battery == Int(ring.battery))
        }
    }

    @Test func `the ring's own total is compared with its slots`() async throws {
        let ring = ring()
        ring.behaviour.totalIsOffBy = 120
        try await withStack(ring) { stack in
            let receiver = RecordingReceiver()
            _ = try await read(stack, ring, cursor: PedometerCursor(readThrough: Self.now - 86_400), into: receiver)
            let total = try #require(receiver.batches.compactMap(\.deviceTotal).first)
            let today = ring.expectedSteps(daysAgo: 0).reduce(0) { $0 + $1.steps }
            #expect(total.slots == today && total.total == today + 120 && total.differs)
            #expect(
                receiver.steps.values.reduce(0, +)
                    == (ring.expectedSteps(daysAgo: 0) + ring.expectedSteps(daysAgo: 1)).reduce(0) { $0 + $1.steps })
        }
    }

    @Test func `a lost link is made once more, and days that were stored are not read again`() async throws {
        let ring = ring()
        try await withStack(ring) { stack in
            let receiver = RecordingReceiver()
            let clock = ManualClock()
            await stack.inject(.drop(afterPackets: 160), for: ring.address)
            async let report = read(stack, ring, clock: clock, into: receiver)
            await clock.pass(.seconds(1))
            _ = try await report
            #expect(receiver.steps.values.reduce(0, +) == ring.expectedSteps().reduce(0) { $0 + $1.steps })
            #expect(receiver.events.contains { if case .progress(_, .reconnecting) = $0 { true } else { false } })
            let requests = requests(stack)
            #expect(requests[7] == 1, "it was stored before the link was lost")
            #expect(requests[0] == 2, "today may have grown")
            #expect(requests.values.reduce(0, +) == 10, "the one that was interrupted, and today, twice: \(requests)")
            await expectNothingOpen(stack)
        }
    }

    @Test func `while days are stored between the losses of a link, the reading goes on`() async throws {
        let ring = ring()
        try await withStack(ring) { stack in
            let receiver = RecordingReceiver()
            let clock = ManualClock()
            for packets in [100, 160, 220] { await stack.inject(.drop(afterPackets: packets), for: ring.address) }
            async let report = read(stack, ring, clock: clock, into: receiver)
            for _ in 1...3 { await clock.pass(.seconds(1)) }
            _ = try await report
            #expect(receiver.steps.values.reduce(0, +) == ring.expectedSteps().reduce(0) { $0 + $1.steps })
            #expect(stack.history.count { $0 == .connected(ring.address) } == 4)
            await expectNothingOpen(stack)
        }
    }

    @Test func `losses without progress end the reading, and the next one completes the week`() async throws {
        let ring = ring()
        try await withStack(ring) { stack in
            let receiver = RecordingReceiver()
            let clock = ManualClock()
            // Before the first day is complete.
            for packets in [1, 2, 3] { await stack.inject(.drop(afterPackets: packets), for: ring.address) }
            let reading = Task { try await read(stack, ring, clock: clock, into: receiver) }
            for _ in 1...2 { await clock.pass(.seconds(1)) }
            guard case .failure(let error as BluetoothError) = await reading.result, case .linkLost = error else {
                Issue.record("it did not end by the lost link")
                return
            }
            #expect(stack.history.count { $0 == .connected(ring.address) } == 3)
            await expectNothingOpen(stack)
            _ = try await read(stack, ring, cursor: receiver.cursor, into: receiver)
            #expect(receiver.steps.values.reduce(0, +) == ring.expectedSteps().reduce(0) { $0 + $1.steps })
        }
    }

    @Test func `handles from before a firmware update are discovered again`() async throws {
        let ring = ring()
        try await withStack(ring) { stack in
            await stack.inject(.staleHandles, for: ring.address)
            let receiver = RecordingReceiver()
            _ = try await read(stack, ring, into: receiver)
            #expect(receiver.steps.values.reduce(0, +) == ring.expectedSteps().reduce(0) { $0 + $1.steps })
            #expect(
                stack.history.count { $0 == .connected(ring.address) } == 2
                    && stack.history.contains(.forgotten(ring.address)))
            await expectNothingOpen(stack)
        }
    }

    @Test func `a write that BlueZ could not begin is repeated over the same link`() async throws {
        let ring = ring()
        try await withStack(ring) { stack in
            await stack.inject(.refuse(.write, "Failed to initiate write"), for: ring.address)
            let receiver = RecordingReceiver()
            let report = try await read(stack, ring, into: receiver)
            #expect(report.battery == Int(ring.battery))
            #expect(stack.history.count { $0 == .connected(ring.address) } == 1)
            await expectNothingOpen(stack)
        }
    }

    @Test func `a link left by a killed program is set up again when it drops`() async throws {
        let ring = ring()
        try await withStack(ring) { stack in
            try await leaveLink(to: ring, stack)
            // Simulates that BlueZ was already disconnecting, and that the link is then also lost in the middle.
            await stack.inject(.drop(during: .subscribe), for: ring.address)
            await stack.inject(.drop(afterPackets: 160), for: ring.address)
            let receiver = RecordingReceiver()
            let clock = ManualClock()
            async let report = read(stack, ring, clock: clock, into: receiver)
            await clock.pass(.seconds(1))
            await receiver.until { if case .merged = $0 { true } else { false } }
            await clock.pass(.seconds(1))
            _ = try await report
            #expect(receiver.steps.values.reduce(0, +) == ring.expectedSteps().reduce(0) { $0 + $1.steps })
            await expectNothingOpen(stack)
        }
    }

    /// A program connects and ends without disconnecting.
    private func leaveLink(to ring: SimulatedColmi, _ stack: SimulatedBlueZ) async throws {
        let bus = try await DBusConnection.open(.address(stack.address))
        let device = ObjectPath("/org/bluez/hci0/dev_" + ring.address.replacing(":", with: "_"))
        _ = try await bus.call("org.bluez", "/org/bluez/hci0", "org.bluez.Adapter1", "StartDiscovery")
        for await event in stack.events where event == .found(ring.address) { break }
        _ = try await bus.call("org.bluez", try #require(device), "org.bluez.Device1", "Connect")
        await bus.close()
        #expect(await stack.snapshot.connected == [ring.address])
    }

    @Test func `services that BlueZ has from before a firmware update are read once more`() async throws {
        let ring = ring()
        try await withStack(ring) { stack in
            await stack.inject(.staleServices(without: SimulatedColmi.service), for: ring.address)
            let receiver = RecordingReceiver()
            _ = try await read(stack, ring, into: receiver)
            #expect(receiver.steps.values.reduce(0, +) == ring.expectedSteps().reduce(0) { $0 + $1.steps })
            #expect(stack.history.count { $0 == .connected(ring.address) } == 2)
            await expectNothingOpen(stack)
        }
    }

    @Test func `another device with the address of the ring is reported`() async throws {
        let ring = ring()
        try await withStack(ring) { stack in
            await stack.inject(.missingService(SimulatedColmi.service), for: ring.address)
            await #expect(throws: PedometerError.wrongDevice(model: Colmi.title, missing: SimulatedColmi.service.text))
            {
                _ = try await read(stack, ring, into: RecordingReceiver())
            }
            await expectNothingOpen(stack)
        }
    }
}
