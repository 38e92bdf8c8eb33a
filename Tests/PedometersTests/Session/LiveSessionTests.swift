import BlueZ
import DBus
import Foundation
import SimulatedBlueZ
import StepDomain
import Synchronization
import TestSupport
import Testing

@testable import Pedometers

struct LiveSessionTests {
    /// `73 12` with three numbers of 24 bits.
    private func packet(_ steps: [UInt8]) -> [UInt8] { ColmiPacket(0x73, [0x12] + steps + [0, 1, 2, 0, 0, 9]).bytes }

    /// A frame of a real ring: 500 steps, 123,000 calories, 300 m (PulseLoopAndroid, `ColmiDecoderTest`). Little endian
    /// it would be 15,990,784 steps.
    @Test func `the numbers of a ring are big-endian`() {
        var live = ColmiLive()
        let captured = hex("73 12 00 01 F4 01 E0 78 00 01 2C 00 00 00")
        #expect(live.steps(after: captured + [0, captured.reduce(0, &+)]) == 500)
        #expect(live.steps(after: packet([0x00, 0x1f, 0x90])) == 8_080)
        #expect(live.steps(after: packet([0, 0, 0])) == 0)
    }

    @Test func `at most 200,000 steps of a ring are believed`() {
        var live = ColmiLive()
        #expect(live.steps(after: packet([0x03, 0x0d, 0x40])) == 200_000)
        #expect(live.steps(after: packet([0x03, 0x0d, 0x41])) == nil)
        #expect(live.steps(after: packet([0xf4, 0x01, 0x00])) == nil)
    }

    @Test func `other packets of a ring give no step count`() {
        var live = ColmiLive()
        #expect(live.steps(after: ColmiPacket(0x73, [0x0c, 80]).bytes) == nil)
        #expect(live.steps(after: ColmiPacket(0x43, [0x12, 0, 0, 1]).bytes) == nil)
        #expect(live.steps(after: ColmiPacket(0xf3, [0x12, 0, 0, 1]).bytes) == nil)
        #expect(live.steps(after: Array(packet([0, 0, 101]).dropLast())) == nil)
        var broken = packet([0, 0, 101])
        broken[15] &+= 1
        #expect(live.steps(after: broken) == nil)
        #expect(live.steps(after: packet([0xff, 0xff, 0xff])) == nil)
        #expect(live.steps(after: []) == nil)
    }

    private func generic(_ counts: String, cursor: Int? = nil, known: Int) throws -> any LiveSession {
        let counter = cursor.map { CounterReading(at: Timestamp(0), value: $0, utcOffset: 0) }
        let pedometer = Pedometer(
            id: 1, user: 1, model: Generic.key, address: "C0:DE:00:00:00:01", addressType: "random", name: "watch",
            options: ["service": "fff0", "characteristic": "fff1", "counts": counts],
            cursor: PedometerCursor(counter: counter))
        return try #require(try Generic.live(pedometer, known: known))
    }

    @Test func `a count of today is reported unchanged`() throws {
        var live = try generic("today", known: 4_000)
        #expect(live.address == GATTAddress("fff0", "fff1"))
        #expect(live.steps(after: [0x67, 0x12, 0, 0]) == 4_711)
        #expect(live.steps(after: [0x67, 0x12]) == nil)
        #expect(live.steps(after: [0, 0, 0, 1]) == nil)
    }

    @Test func `a total count adds its growth since the last reading`() throws {
        var live = try generic("total", cursor: 4_000, known: 900)
        #expect(live.steps(after: [0x67, 0x12, 0, 0]) == 1_611)
        // After a restart.
        #expect(live.steps(after: [0x67, 0, 0, 0]) == 1_714)
        var fresh = try generic("total", known: 900)
        #expect(fresh.steps(after: [0x67, 0x12, 0, 0]) == nil)
    }
}

/// Following a simulated pedometer over a real D-Bus.
@Suite(.timeLimit(.minutes(5))) struct FollowTests {
    @Test func `steps are reported until the link ends`() async throws {
        let watch = SimulatedGeneric.infiniTime()
        let stack = try await SimulatedBlueZ.start(peripherals: [watch], timing: .immediate)
        let reader = BluetoothAccess(
            now: { Timestamp(0) }, central: { try await Central.open(.address(stack.address), clock: ScaledClock.slow) }
        )
        let pedometer = Pedometer(
            id: 1, user: 1, model: Generic.key, address: watch.address, addressType: "random", name: "watch",
            options: [
                "service": watch.steps.service.text, "characteristic": watch.steps.characteristic.text,
                "counts": "today",
            ])
        let reported = Mutex<[Int?]>([])
        let task = Task {
            try await reader.follow(pedometer, known: 0) { steps in
                reported.withLock { $0.append(steps) }
                switch steps {
                case nil: watch.set(100)
                case 100: watch.set(120)
                default: Task { await stack.drop(watch.address) }
                }
            }
        }
        await #expect(throws: BluetoothError.self) { _ = try await task.value }
        #expect(reported.withLock { $0 } == [nil, 100, 120])
        let snapshot = await stack.snapshot
        #expect(snapshot.connected.isEmpty && snapshot.discovering.isEmpty)
        await stack.stop()
    }

    /// A Jring ring ends a link on which it has not received `3A` for 20 seconds.
    @Test func `a link that the pedometer would end is kept`() async throws {
        let clock = ManualClock()
        let memory = BandFixture.memory(days: 1)
        let ring = SimulatedSerialBand.jring(memory, days: 1, clock: clock)
        let stack = try await SimulatedBlueZ.start(peripherals: [ring], timing: .immediate)
        let reader = BluetoothAccess(
            now: { BandFixture.now }, clock: clock,
            central: { try await Central.open(.address(stack.address), clock: ScaledClock.slow) })
        let pedometer = Pedometer(
            id: 1, user: 1, model: Jring.key, address: ring.address, addressType: "random", name: "ring")
        let (stream, continuation) = AsyncStream<Int?>.makeStream()
        let task = Task { try await reader.follow(pedometer, known: 0) { continuation.yield($0) } }
        var figures = stream.makeAsyncIterator()
        #expect(await figures.next() == .some(nil))
        for times in 1...3 {
            await clock.pass(.seconds(15))
            var kept = 0
            for await event in stack.events {
                if case .wrote(_, _, Jring.keepAlive) = event { kept += 1 }
                if kept == times { break }
            }
        }
        ring.announce()
        #expect(await figures.next() == memory.stepsToday)
        task.cancel()
        _ = try? await task.value
        #expect(await stack.snapshot.connected.isEmpty)
        await stack.stop()
    }

    /// The ring reports all that it has counted today, also for its previous user.
    @Test func `the steps of the previous user are not among the live ones`() async throws {
        let ring = SimulatedColmi()
        let stack = try await SimulatedBlueZ.start(peripherals: [ring], timing: .immediate)
        let reader = BluetoothAccess(
            now: { Timestamp(0) }, central: { try await Central.open(.address(stack.address), clock: ScaledClock.slow) }
        )
        let pedometer = Pedometer(
            id: 1, user: 1, model: Colmi.key, address: ring.address, addressType: "random", name: "ring")
        func first(_ known: KnownSteps) async throws -> Int? {
            let (stream, continuation) = AsyncStream<Int?>.makeStream()
            let task = Task { try await reader.follow(pedometer, known: known) { continuation.yield($0) } }
            var reported: Int?
            for await steps in stream {
                reported = steps
                if steps != nil { break }
                ring.announceSteps()
            }
            task.cancel()
            _ = try? await task.value
            return reported
        }
        let all = try #require(try await first(0))
        let own = try #require(try await first(KnownSteps(own: 5, others: 1_000_000)))
        #expect(all >= 0 && own == 0)
        await stack.stop()
    }

    @Test func `cancellation disconnects the pedometer`() async throws {
        let ring = SimulatedColmi()
        let stack = try await SimulatedBlueZ.start(peripherals: [ring], timing: .immediate)
        let reader = BluetoothAccess(
            now: { Timestamp(0) }, central: { try await Central.open(.address(stack.address), clock: ScaledClock.slow) }
        )
        let pedometer = Pedometer(
            id: 1, user: 1, model: Colmi.key, address: ring.address, addressType: "random", name: "ring")
        let known = ring.expectedSteps(daysAgo: 0).reduce(0) { $0 + $1.steps }
        let (stream, continuation) = AsyncStream<Int?>.makeStream()
        let task = Task { try await reader.follow(pedometer, known: KnownSteps(own: known)) { continuation.yield($0) } }
        for await steps in stream {
            if let steps {
                #expect(steps >= known)
                break
            }
            ring.announceSteps()
        }
        task.cancel()
        _ = try? await task.value
        #expect(await stack.snapshot.connected.isEmpty)
        await stack.stop()
    }
}
