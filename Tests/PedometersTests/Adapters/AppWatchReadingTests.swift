import BlueZ
import DBus
import Foundation
import Pedometers
import SimulatedBlueZ
import StepDomain
import Synchronization
import TestSupport
import Testing

/// Readings of simulated watches and bands that are made for an app of their maker, over a real D-Bus.
@Suite(.timeLimit(.minutes(5))) final class AppWatchReadingTests: Sendable {
    private static let zone = TimeZone(secondsFromGMT: 2 * 3_600)!
    /// 2026-05-20 15:40 in that zone.
    private static let now = Timestamp(Day("2026-05-20")!.daysSince1970 * 86_400 + 13 * 3_600 + 2_400)
    private static func memory() -> BandMemory {
        BandMemory(days: 3, zone: zone) { Date(timeIntervalSince1970: TimeInterval(now.seconds)) }
    }
    /// What this machine's clock shows.
    private let time = Mutex(now)

    struct Case: Sendable, CustomTestStringConvertible {
        let model: any LinkedPedometerModel.Type
        let make: @Sendable (BandMemory) -> SimulatedSerialBand
        /// By what it advertises; nil if only a connection shows what it is.
        let evidence: KindEvidence?
        var holdsHistory = false
        var hasOwnServices = false
        var setsClock = false
        var testDescription: String { model.key }
    }

    private static let cases = [
        Case(model: Casio.self, make: { .casio($0) }, evidence: .name),
        Case(model: FitPro.self, make: { .fitPro($0) }, evidence: .name, holdsHistory: true, setsClock: true),
        Case(model: Garmin.self, make: { .garmin($0) }, evidence: nil, hasOwnServices: true),
    ]

    private func withReader(
        _ band: SimulatedSerialBand,
        _ body: (_ access: BluetoothAccess, _ stack: SimulatedBlueZ) async throws -> Void
    ) async throws {
        let stack = try await SimulatedBlueZ.start(peripherals: [band], timing: .immediate)
        let central: @Sendable () async throws -> Central = {
            try await Central.open(.address(stack.address), clock: ScaledClock.slow)
        }
        var limits = ConnectionLimits()
        limits.attempts = 1
        limits.scan = .seconds(2)
        let access = BluetoothAccess(
            limits: limits, localTime: .zone(Self.zone), now: { [self] in time.withLock { $0 } }, central: central)
        do {
            try await body(access, stack)
        } catch {
            await stack.stop()
            throw error
        }
        let snapshot = await stack.snapshot
        #expect(snapshot.connected.isEmpty && snapshot.discovering.isEmpty)
        await stack.stop()
    }

    private func pedometer(_ test: Case, _ band: SimulatedSerialBand) -> Pedometer {
        Pedometer(id: 1, user: 1, model: test.model.key, address: band.address, addressType: "random", name: "mine")
    }

    @Test(arguments: cases)
    func `it is recognised, checked and read, and a second reading adds what was walked since`(_ test: Case)
        async throws
    {
        let memory = Self.memory()
        let band = test.make(memory)
        try await withReader(band) { access, _ in
            let found = try await access.first(ScanConditions(address: band.address), seconds: 10, passed: { _ in }) {
                _ in true
            }
            #expect(found?.kind?.key == test.evidence.map { _ in test.model.key } && found?.evidence == test.evidence)
            #expect(test.model.kind.isExperimental)
            #expect(
                try await access.probe(band.address).kinds.map(\.key) == (test.hasOwnServices ? [test.model.key] : []))
            var pedometer = pedometer(test, band)
            try await access.check(pedometer)
            let first = RecordingReceiver()
            let report = try await access.read(pedometer, into: first)
            let held = test.holdsHistory ? memory.steps : memory.stepsToday
            #expect(first.total == held && memory.stepsToday > 0)
            #expect(report.notices.isEmpty && (report.clockSet != nil) == test.setsClock)
            #expect(!first.batches.flatMap(\.frames).isEmpty)
            pedometer.cursor = first.cursor
            report.clockSet.map { pedometer.clock.record($0, memory: 40 * 86_400) }
            memory.walk(27)
            time.withLock { $0 = $0 + 60 }
            let second = RecordingReceiver()
            _ = try await access.read(pedometer, into: second)
            let all = first.steps.merging(second.steps, uniquingKeysWith: max).values.reduce(0, +)
            #expect(all == held + 27)
        }
    }

    /// The watch advertises after a button was pressed, and at some times of the day.
    @Test func `the error of a Casio watch that does not advertise says which button to press, and then it is read`()
        async throws
    {
        let memory = Self.memory()
        let watch = SimulatedSerialBand.casio(memory)
        try await withReader(watch) { access, stack in
            let pedometer = Pedometer(
                id: 1, user: 1, model: Casio.key, address: watch.address, addressType: "random", name: "CASIO")
            await stack.inject(.outOfRange, for: watch.address)
            do {
                _ = try await access.read(pedometer, into: RecordingReceiver())
                Issue.record("it was read")
            } catch let error as PedometerError {
                #expect(error.description.hasPrefix("\(watch.address) was not heard within 2 s. The Casio"))
                #expect(
                    error.advice?.contains("hold its lower left button") == true
                        && error.advice?.contains("`istep sync`") == true)
                #expect(FailureCause(error) == .outOfRange && error.category == .temporary)
            }
            await stack.remove(.outOfRange, for: watch.address)
            let receiver = RecordingReceiver()
            _ = try await access.read(pedometer, into: receiver)
            #expect(receiver.total == memory.stepsToday)
        }
    }
}

extension RecordingReceiver {
    fileprivate var total: Int { steps.values.reduce(0, +) }
}
