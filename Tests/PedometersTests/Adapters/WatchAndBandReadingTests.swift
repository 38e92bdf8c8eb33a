import BlueZ
import DBus
import Foundation
import Pedometers
import SimulatedBlueZ
import StepDomain
import TestSupport
import Testing

/// Readings of simulated watches and bands over a real D-Bus.
@Suite(.timeLimit(.minutes(5))) struct WatchAndBandReadingTests {
    private static let zone = TimeZone(secondsFromGMT: 2 * 3600)!
    /// 2026-05-20 15:40 in that zone.
    private static let now = Timestamp(Day("2026-05-20")!.daysSince1970 * 86_400 + 13 * 3600 + 2400)
    private static let date: @Sendable () -> Date = { Date(timeIntervalSince1970: TimeInterval(now.seconds)) }

    private func access(_ stack: SimulatedBlueZ) -> BluetoothAccess {
        var limits = ConnectionLimits()
        limits.attempts = 1
        limits.scan = .seconds(2)
        return BluetoothAccess(
            limits: limits, localTime: .zone(Self.zone), now: { Self.now },
            central: { try await Central.open(.address(stack.address), clock: ScaledClock.slow) })
    }

    private func pedometer(_ id: Int64, _ model: String, _ address: String) -> Pedometer {
        Pedometer(id: id, user: 1, model: model, address: address, addressType: "random", name: model)
    }

    private func withStack(
        _ peripherals: [any SimulatedPeripheral], _ timing: Timing = .immediate,
        _ body: (SimulatedBlueZ) async throws -> Void
    ) async throws {
        let stack = try await SimulatedBlueZ.start(peripherals: peripherals, timing: timing)
        do { try await body(stack) } catch {
            await stack.stop()
            throw error
        }
        let snapshot = await stack.snapshot
        #expect(snapshot.connected.isEmpty && snapshot.discovering.isEmpty)
        await stack.stop()
    }

    @Test func `an InfiniTime watch is read, its clock is set, and its firmware is known`() async throws {
        let watch = SimulatedInfiniTime(seed: nil, zone: Self.zone, now: Self.date)
        watch.walk(4_711)
        watch.setClock(WallClock(year: 2026, month: 5, day: 20, hour: 14))
        try await withStack([watch]) { stack in
            let receiver = RecordingReceiver()
            let report = try await access(stack).read(pedometer(1, InfiniTime.key, watch.address), into: receiver)
            #expect(receiver.steps.values.reduce(0, +) == 4_711)
            #expect(report.firmware == "1.15.0")
            #expect(report.battery == 61)
            #expect(report.notices == [.clockCorrected(seconds: -6_000)])
            #expect(watch.clock == WallClock(year: 2026, month: 5, day: 20, hour: 15, minute: 40))
        }
    }

    @Test(arguments: [23, 53, 247])
    func `a Bangle.js is read with writes that fit into the MTU`(mtu: UInt16) async throws {
        let watch = SimulatedBangle(zone: Self.zone, days: 2, mtu: mtu, now: Self.date)
        watch.behaviour.sendsLiveLines = .before
        try await withStack([watch]) { stack in
            let receiver = RecordingReceiver()
            let report = try await access(stack).read(pedometer(1, BangleJS.key, watch.address), into: receiver)
            #expect(receiver.steps.values.reduce(0, +) == watch.expectedSteps.values.reduce(0, +))
            #expect(report.battery == 87)
            #expect(watch.maximumWrite <= Int(mtu) - 3)
            #expect(watch.requests.count == 1)
            #expect(!receiver.batches.flatMap(\.frames).isEmpty)
        }
    }

    @Test func `a missing app ends the reading with its name`() async throws {
        let watch = SimulatedBangle(zone: Self.zone, now: Self.date)
        watch.behaviour.lacks = "android"
        try await withStack([watch]) { stack in
            let receiver = RecordingReceiver()
            await #expect(throws: PedometerError.self) {
                try await access(stack).read(pedometer(1, BangleJS.key, watch.address), into: receiver)
            }
            let text = receiver.failure(of: 1).map { "\($0)" } ?? ""
            #expect(text.contains("Android Integration"))
        }
    }

    @Test func `a band is read without a connection, beside a ring`() async throws {
        let band = SimulatedMiBand(steps: 5_432)
        let ring = SimulatedColmi(clock: .local(Self.zone), now: Self.date)
        try await withStack([band, ring]) { stack in
            let receiver = RecordingReceiver()
            await access(stack).read(
                [pedometer(1, MiBand.key, band.address), pedometer(2, Colmi.key, ring.address)], for: receiver)
            #expect(receiver.failure(of: 1) == nil && receiver.failure(of: 2) == nil)
            let batches = receiver.events.compactMap { if case .merged(1, let batch) = $0 { batch } else { nil } }
            #expect(batches.flatMap(\.samples).map(\.steps) == [5_432])
            #expect(batches.flatMap(\.frames).count == 2)
            #expect(!stack.history.contains { if case .connected(band.address) = $0 { true } else { false } })
        }
    }

    @Test func `a value that has changed since BlueZ last heard the band is used`() async throws {
        let band = SimulatedMiBand(steps: 1_000)
        try await withStack([band]) { stack in
            let first = RecordingReceiver()
            try await access(stack).read(pedometer(1, MiBand.key, band.address), into: first)
            band.content.steps = 1_500
            let second = RecordingReceiver()
            var known = pedometer(1, MiBand.key, band.address)
            known.cursor = first.cursor
            known.cursor.counter = CounterReading(at: Self.now - 600, value: 1_000, utcOffset: 7_200)
            try await access(stack).read(known, into: second)
            #expect(second.batches.flatMap(\.samples).map(\.steps) == [500])
            let report = try #require(second.result(of: 1)).get()
            #expect(report.readSeconds == nil, "there is no connection")
        }
    }

    @Test func `a value that has not changed is used after a moment`() async throws {
        let band = SimulatedMiBand(steps: 1_000)
        try await withStack([band]) { stack in
            for _ in 0..<2 {
                let receiver = RecordingReceiver()
                try await access(stack).read(pedometer(1, MiBand.key, band.address), into: receiver)
                #expect(receiver.batches.flatMap(\.samples).map(\.steps) == [1_000])
            }
        }
    }

    @Test func `a band that is not discoverable is distinguished from one that is not in range`() async throws {
        let band = SimulatedMiBand()
        band.content.isDiscoverable = false
        try await withStack([band]) { stack in
            await #expect(throws: PedometerError.advertisesNoSteps(model: MiBand.title, advice: MiBand.howToAdvertise))
            {
                try await access(stack).read(pedometer(1, MiBand.key, band.address), into: RecordingReceiver())
            }
            await stack.inject(.outOfRange, for: band.address)
            await #expect(throws: BluetoothError.peripheralNotFound(band.address, seconds: 2)) {
                try await access(stack).read(pedometer(1, MiBand.key, band.address), into: RecordingReceiver())
            }
        }
    }

    @Test func `a band is checked and examined without a connection`() async throws {
        let band = SimulatedMiBand()
        try await withStack([band]) { stack in
            let access = access(stack), pedometer = pedometer(1, MiBand.key, band.address)
            try await access.check(pedometer)
            #expect(try await access.examine(pedometer).notices == [])
        }
    }

    @Test func `a band is found by the address in its data, and by that of its sender`() async throws {
        let band = SimulatedMiBand(address: "C0:DE:57:01:00:99", identity: "C0:DE:57:01:00:06")
        try await withStack([SimulatedColmi(), band]) { stack in
            let access = access(stack)
            for address in [band.identity, band.address] {
                let found = try await access.first(.init(address: address), seconds: 20, passed: { _ in }) {
                    $0.kind != nil
                }
                #expect(found?.address == band.identity && found?.kind?.key == MiBand.key, "\(address)")
            }
        }
    }

    /// Beside its data from another address, as after a new random address.
    @Test func `a band is followed by its advertisements until it is not heard any more`() async throws {
        let band = SimulatedMiBand(address: "C0:DE:57:01:00:99", identity: "C0:DE:57:01:00:06", steps: 100)
        try await withStack([band]) { stack in
            let (figures, reported) = AsyncStream<Int?>.makeStream()
            let followed = Task { [access = access(stack), pedometer = pedometer(1, MiBand.key, band.identity)] in
                try await access.follow(pedometer, known: 0) { reported.yield($0) }
            }
            var next = figures.makeAsyncIterator()
            #expect(await next.next() == .some(nil), "it is heard")
            #expect(await next.next() == 100)
            band.content.steps = 0xff_ffff  // on which the readers of its data disagree
            band.content.steps = 117
            while let steps = await next.next() {
                #expect(steps == 100 || steps == 117)
                if steps == 117 { break }
            }
            #expect(await stack.snapshot.connected.isEmpty)
            await stack.inject(.outOfRange, for: band.address)
            await #expect(throws: BluetoothError.peripheralNotFound(band.identity, seconds: 2)) {
                _ = try await followed.value
            }
        }
    }

    @Test func `following a band ends with its task, and leaves no scan`() async throws {
        let band = SimulatedMiBand()
        try await withStack([band]) { stack in
            let (figures, reported) = AsyncStream<Int?>.makeStream()
            let followed = Task { [access = access(stack), pedometer = pedometer(1, MiBand.key, band.address)] in
                try await access.follow(pedometer, known: 0) { reported.yield($0) }
            }
            for await _ in figures { break }
            followed.cancel()
            await #expect(throws: CancellationError.self) { _ = try await followed.value }
        }
    }

    @Test func `a device without the services of the registered model is refused`() async throws {
        let band = SimulatedGeneric.infiniTime()
        try await withStack([band]) { stack in
            let wrong = PedometerError.wrongDevice(
                model: BangleJS.title, missing: SimulatedBangle.service.text, actual: InfiniTime.title)
            await #expect(throws: wrong) {
                try await access(stack).read(pedometer(1, BangleJS.key, band.address), into: RecordingReceiver())
            }
        }
    }
}
