import BlueZ
import DBus
import Foundation
import Pedometers
import SimulatedBlueZ
import StepDomain
import TestSupport
import Testing

/// The examination of a pedometer: it reports whether the pedometer answers, and changes nothing on it.
@Suite(.timeLimit(.minutes(5))) struct ExaminationTests {
    private static let zone = TimeZone(secondsFromGMT: 2 * 3600)!
    /// 2026-05-20 15:40 in that zone.
    private static let now = Timestamp(Day("2026-05-20")!.daysSince1970 * 86_400 + 13 * 3600 + 2400)

    /// - Parameter check: called with the events of the stack.
    private func examine(
        _ peripheral: any SimulatedPeripheral, _ pedometer: Pedometer, _ faults: Fault...,
        check: ([SimulationEvent]) -> Void = { _ in }
    ) async throws -> ReadReport {
        let stack = try await SimulatedBlueZ.start(peripherals: [peripheral], timing: .immediate)
        for fault in faults { await stack.inject(fault, for: peripheral.address) }
        var limits = ConnectionLimits()
        limits.attempts = 1
        limits.operation = .seconds(1)
        let access = BluetoothAccess(
            limits: limits, localTime: .zone(Self.zone), now: { Self.now },
            central: { try await Central.open(.address(stack.address), clock: ScaledClock.slow) })
        let result: Result<ReadReport, any Error>
        do { result = .success(try await access.examine(pedometer)) } catch { result = .failure(error) }
        let snapshot = await stack.snapshot
        #expect(snapshot.connected.isEmpty && snapshot.bonded.isEmpty && !snapshot.hasAgent)
        check(stack.history)
        await stack.stop()
        return try result.get()
    }

    private func ring(_ clock: SimulatedColmi.ClockSetting) -> (SimulatedColmi, Pedometer) {
        let ring = SimulatedColmi(clock: clock, now: { Date(timeIntervalSince1970: TimeInterval(Self.now.seconds)) })
        return (
            ring,
            Pedometer(id: 1, user: 1, model: Colmi.key, address: ring.address, addressType: "random", name: "ring")
        )
    }

    @Test func `a ring is examined without setting its clock`() async throws {
        let (ring, pedometer) = ring(.local(Self.zone))
        let report = try await examine(ring, pedometer)
        #expect(report.battery == Int(ring.battery))
        #expect(report.notices == [])
        #expect(report.clockSet == nil)
        #expect(Set(ring.received.map { $0[0] }) == [0x03, 0x43], "battery and steps, and no clock set")
        #expect(ring.received.count { $0[0] == 0x43 } == 1, "today alone")
    }

    @Test func `a wrong clock is reported`() async throws {
        let ahead = TimeZone(secondsFromGMT: 8 * 3600)!
        let (ring, pedometer) = ring(.local(ahead))
        let report = try await examine(ring, pedometer)
        guard case .clockWasOff? = report.notices.first else {
            Issue.record("\(report.notices)")
            return
        }
        #expect(!ring.received.contains { $0[0] == 0x01 })
    }

    @Test func `a missing service is reported`() async throws {
        let (ring, pedometer) = ring(.local(Self.zone))
        await #expect(throws: PedometerError.wrongDevice(model: Colmi.title, missing: SimulatedColmi.service.text)) {
            try await examine(ring, pedometer, .missingService(SimulatedColmi.service))
        }
    }

    private func watch(_ security: SimulatedCharacteristic.Security) -> (SimulatedGeneric, Pedometer) {
        let watch = SimulatedGeneric(
            address: "C0:DE:00:00:00:07", name: "Watch", advertisedServices: [],
            steps: CharacteristicID("fff0", "fff1"), source: .manual(4321),
            security: security)
        return (
            watch,
            Pedometer(
                id: 1, user: 1, model: Generic.key, address: watch.address, addressType: "random", name: "watch",
                options: ["service": "fff0", "characteristic": "fff1", "counts": "today"])
        )
    }

    @Test func `the value of a counter is read`() async throws {
        let (watch, pedometer) = watch(.open)
        let report = try await examine(watch, pedometer) { events in
            #expect(events.contains(.read(watch.address, watch.steps.characteristic)), "\(events)")
        }
        #expect(report.notices == [])
    }

    @Test func `a pedometer that requires pairing is not paired`() async throws {
        let (watch, pedometer) = watch(.encrypted)
        await #expect(throws: BluetoothError.self) { try await examine(watch, pedometer) }
    }
}
