import BlueZ
import DBus
import Foundation
import Pedometers
import SimulatedBlueZ
import StepDomain
import TestSupport
import Testing

/// Readings of the simulated experimental bands and rings over a real D-Bus.
@Suite(.timeLimit(.minutes(5))) struct BandReadingTests {
    private static let zone = TimeZone(secondsFromGMT: 2 * 3_600)!
    /// 2026-05-20 15:40 in that zone.
    private static let now = Timestamp(Day("2026-05-20")!.daysSince1970 * 86_400 + 13 * 3_600 + 2_400)
    private static let memory = BandMemory(days: 3, zone: zone) {
        Date(timeIntervalSince1970: TimeInterval(now.seconds))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let model: any LinkedPedometerModel.Type
        let band: @Sendable () -> SimulatedSerialBand
        let evidence: KindEvidence
        let holdsHistory: Bool
        var testDescription: String { model.key }
    }

    private static let cases = [
        Case(
            model: Jring.self, band: { .jring(memory, days: 3, isSparse: false) }, evidence: .advertisedService,
            holdsHistory: true),
        Case(model: YCBT.self, band: { .ycbt(memory) }, evidence: .advertisedData, holdsHistory: true),
        Case(
            model: MoYoung.self, band: { .moYoung(memory, .stepsFirst) }, evidence: .advertisedService,
            holdsHistory: false),
        Case(model: ID115.self, band: { .id115(memory) }, evidence: .advertisedService, holdsHistory: false),
        Case(model: Lefun.self, band: { .lefun(memory) }, evidence: .advertisedData, holdsHistory: true),
        Case(model: No1F1.self, band: { .no1f1(memory) }, evidence: .advertisedService, holdsHistory: true),
        Case(model: CRP.self, band: { .crp(memory) }, evidence: .advertisedService, holdsHistory: true),
    ]

    @Test(arguments: cases)
    func `a band is recognised, checked and read, and a second reading adds nothing`(_ test: Case) async throws {
        let band = test.band()
        let stack = try await SimulatedBlueZ.start(peripherals: [band], timing: .immediate)
        let central: @Sendable () async throws -> Central = {
            try await Central.open(.address(stack.address), clock: ScaledClock.slow)
        }
        var limits = ConnectionLimits()
        limits.attempts = 1
        limits.scan = .seconds(2)
        // Days that a ring does not have are silence, which takes long on the slow clock.
        let access = BluetoothAccess(
            limits: limits, days: 3, localTime: .zone(Self.zone), now: { Self.now }, central: central)
        do {
            let found = try await access.first(ScanConditions(address: band.address), seconds: 10, passed: { _ in }) {
                $0.kind != nil
            }
            #expect(
                found?.kind?.key == test.model.key && found?.evidence == test.evidence
                    && found?.kind?.isExperimental == true)
            #expect(try await access.probe(band.address).kinds.map(\.key) == [test.model.key])
            var pedometer = Pedometer(
                id: 1, user: 1, model: test.model.key, address: band.address, addressType: "random", name: "band")
            try await access.check(pedometer)
            let first = RecordingReceiver()
            let report = try await access.read(pedometer, into: first)
            #expect(first.steps.values.reduce(0, +) == (test.holdsHistory ? Self.memory.steps : Self.memory.stepsToday))
            #expect(report.notices.isEmpty && report.clockSet != nil)
            #expect(!first.batches.flatMap(\.frames).isEmpty)
            pedometer.cursor = first.cursor
            report.clockSet.map { pedometer.clock.record($0, memory: 40 * 86_400) }
            let second = RecordingReceiver()
            _ = try await access.read(pedometer, into: second)
            // The history replaces a slot by the same slot.
            let again = second.steps.filter { first.steps[$0.key] != $0.value }
            #expect(again.isEmpty)
        } catch {
            await stack.stop()
            throw error
        }
        let snapshot = await stack.snapshot
        #expect(snapshot.connected.isEmpty && snapshot.discovering.isEmpty)
        await stack.stop()
    }

    /// Bands of other protocols have names such as `ID115 (ID-1A2B)`, too.
    @Test func `a band with the name of an ID115 and other services is not one`() async throws {
        let band = SimulatedSerialBand.id115LookAlike()
        let stack = try await SimulatedBlueZ.start(peripherals: [band], timing: .immediate)
        let central: @Sendable () async throws -> Central = {
            try await Central.open(.address(stack.address), clock: ScaledClock.slow)
        }
        var limits = ConnectionLimits()
        limits.attempts = 1
        let access = BluetoothAccess(
            limits: limits, localTime: .zone(Self.zone), now: { Self.now }, central: central)
        do {
            let found = try await access.first(ScanConditions(address: band.address), seconds: 10, passed: { _ in }) {
                $0.name != nil
            }
            #expect(found?.name == "ID115 (ID-1A2B)" && found?.kind == nil && found?.evidence == nil)
            #expect(try await access.probe(band.address).kinds.isEmpty)
            let pedometer = Pedometer(
                id: 1, user: 1, model: ID115.key, address: band.address, addressType: "random", name: "band")
            let wrong = PedometerError.wrongDevice(
                model: ID115.title, missing: "00000af0-0000-1000-8000-00805f9b34fb", actual: nil)
            await #expect(throws: wrong) { try await access.check(pedometer) }
            #expect(band.written.isEmpty)
        } catch {
            await stack.stop()
            throw error
        }
        await stack.stop()
    }

    @Test func `a ring of another protocol behind a known name is refused`() async throws {
        let ring = SimulatedSerialBand.jring(Self.memory, days: 1)
        let stack = try await SimulatedBlueZ.start(peripherals: [ring], timing: .immediate)
        var limits = ConnectionLimits()
        limits.attempts = 1
        let access = BluetoothAccess(
            limits: limits, localTime: .zone(Self.zone), now: { Self.now },
            central: { try await Central.open(.address(stack.address), clock: ScaledClock.slow) })
        let pedometer = Pedometer(
            id: 1, user: 1, model: Lefun.key, address: ring.address, addressType: "random", name: "band")
        await #expect(
            throws: PedometerError.wrongDevice(
                model: Lefun.title, missing: "000018d0-0000-1000-8000-00805f9b34fb", actual: Jring.title)
        ) {
            try await access.read(pedometer, into: RecordingReceiver())
        }
        await stack.stop()
    }
}
