import BlueZ
import DBus
import Foundation
import Pedometers
import SimulatedBlueZ
import StepDomain
import Synchronization
import Testing

/// A reading of a simulated ring over a real D-Bus: the ring's own truth is what must come out.
@Suite(.timeLimit(.minutes(5))) struct RingReadingTests {
    private static let zone = TimeZone(secondsFromGMT: 2 * 3600)!
    /// 2026-05-20 15:40 in that zone.
    private static let now = Timestamp(Day("2026-05-20")!.daysSince1970 * 86_400 + 13 * 3600 + 2400)

    private final class Merged: Sendable {
        private let batches = Mutex<[SampleBatch]>([])
        func add(_ batch: SampleBatch) { batches.withLock { $0.append(batch) } }
        var all: [SampleBatch] { batches.withLock { $0 } }
        var steps: Int { all.flatMap(\.samples).reduce(0) { $0 + $1.steps } }
        var cursor: PedometerCursor { all.compactMap(\.cursor).last ?? PedometerCursor() }
    }

    private func ring(_ clock: SimulatedRing.ClockSetting = .local(zone)) -> SimulatedRing {
        SimulatedRing(clock: clock, now: { Date(timeIntervalSince1970: TimeInterval(Self.now.seconds)) })
    }

    private func read(
        _ stack: SimulatedBlueZ, _ ring: SimulatedRing, cursor: PedometerCursor = PedometerCursor(), into merged: Merged
    ) async throws -> ReadReport {
        var limits = ConnectionLimits()
        limits.attempts = 1
        let reader = BluetoothPedometerReader(
            limits: limits, localTime: .zone(Self.zone), now: { Self.now },
            central: { try await Central.open(.address(stack.address)) })
        let pedometer = Pedometer(
            id: 1, user: 1, model: Colmi.key, address: ring.address, addressType: "random", name: "ring", cursor: cursor)
        return try await reader.read(pedometer, progress: { _ in }, merge: { merged.add($0) })
    }

    private func withStack(_ ring: SimulatedRing, _ body: (SimulatedBlueZ) async throws -> Void) async throws {
        let stack = try await SimulatedBlueZ.start(peripherals: [ring], timing: .immediate)
        do { try await body(stack) } catch {
            await stack.stop()
            throw error
        }
        await stack.stop()
    }

    /// Bluetooth manners: whatever happened, no link and no scan is left behind.
    private func expectNothingOpen(_ stack: SimulatedBlueZ) async {
        let snapshot = await stack.snapshot
        #expect(snapshot.connected.isEmpty)
        #expect(snapshot.discovering.isEmpty)
    }

    @Test func aWeekComesHomeAsItWasWalked() async throws {
        let ring = ring()
        try await withStack(ring) { stack in
            let merged = Merged()
            let report = try await read(stack, ring, into: merged)
            let truth = ring.truth()
            #expect(truth.count > 100)
            #expect(merged.steps == truth.reduce(0) { $0 + $1.steps })
            #expect(merged.all.flatMap(\.samples).count == truth.count { $0.steps > 0 })
            #expect(report.battery == Int(ring.battery))
            #expect(report.notices == [])
            await expectNothingOpen(stack)
        }
    }

    @Test func aDropInTheMiddleLosesNothing() async throws {
        let ring = ring()
        try await withStack(ring) { stack in
            let merged = Merged()
            await stack.inject(.drop(afterPackets: 120), for: ring.address)
            await #expect { _ = try await read(stack, ring, into: merged) } throws: { error in
                guard case .linkLost? = error as? BluetoothError else { return false }
                return true
            }
            let before = merged.all.count
            #expect(before > 1)
            await stack.clearFaults()
            _ = try await read(stack, ring, cursor: merged.cursor, into: merged)
            let byStart = Dictionary(merged.all.flatMap(\.samples).map { ($0.start, $0.steps) }, uniquingKeysWith: max)
            #expect(byStart.values.reduce(0, +) == ring.truth().reduce(0) { $0 + $1.steps })
        }
    }

    @Test func anotherDeviceUnderTheRingsAddressIsNamed() async throws {
        let ring = ring()
        try await withStack(ring) { stack in
            await stack.inject(.missingService(SimulatedRing.service), for: ring.address)
            await #expect(throws: PedometerError.wrongDevice(model: Colmi.title, missing: SimulatedRing.service.text)) {
                _ = try await read(stack, ring, into: Merged())
            }
            await expectNothingOpen(stack)
        }
    }
}
