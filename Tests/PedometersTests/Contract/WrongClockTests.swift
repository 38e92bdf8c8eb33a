import Foundation
import SimulatedBlueZ
import StepDomain
import TestSupport
import Testing

@testable import Pedometers

/// A sync whose machine has a wrong clock loses nothing, whichever pedometer it reads: what the next syncs store, once
/// the clock is right, is what they would have stored without it.
@Suite(.timeLimit(.minutes(5))) struct WrongClockTests {
    typealias Kind = MisreadDevice.Kind
    typealias Clock = MisreadDevice.MachineClock

    private static let zone = MisreadDevice.zone
    private static func memory(_ time: TestTime, days: Int) -> BandMemory {
        BandMemory(days: days, zone: zone, now: time.date)
    }

    private static func band(
        _ model: any LinkedPedometerModel.Type, days: Int = 7,
        _ make: @escaping @Sendable (BandMemory) -> SimulatedSerialBand
    ) -> Kind { Kind(model: model, make: { make(memory($0, days: days)) }) }

    private static func counter(_ counts: String) -> Kind {
        Kind(
            model: Generic.self,
            make: { time in
                let steps = CharacteristicID("fff0", "fff1")
                let walks = WalkingHistory(seed: 5)
                let source: SimulatedGeneric.Source =
                    counts == "today"
                    ? .today(walks, zone) : .counter(walks, zone, since: WallClock(year: 2026, month: 5, day: 1))
                return SimulatedGeneric(
                    address: "C0:DE:00:00:00:07", name: "counter", advertisedServices: [], steps: steps, source: source,
                    now: time.date)
            }, options: ["service": "fff0", "characteristic": "fff1", "format": "u32le", "counts": counts])
    }

    /// Every model of the registry.
    static let kinds: [Kind] = [
        Kind(model: Colmi.self) { SimulatedColmi(clock: .local(zone), now: $0.date) },
        Kind(model: BangleJS.self) { SimulatedBangle(zone: zone, days: 7, now: $0.date) },
        Kind(model: InfiniTime.self) { SimulatedInfiniTime(zone: zone, now: $0.date) },
        Kind(model: MiBand.self) { SimulatedMiBand(steps: UInt32(memory($0, days: 1).stepsToday)) },
        band(Jring.self) { .jring($0, days: 7) }, band(YCBT.self) { .ycbt($0) }, band(Lefun.self) { .lefun($0) },
        band(No1F1.self) { .no1f1($0) }, band(ID115.self) { .id115($0) }, band(FitPro.self) { .fitPro($0) },
        Kind(
            model: FitPro.self, make: { SimulatedSerialBand.fitPro(memory($0, days: 7), deletes: true) },
            name: "deletes"),
        band(MoYoung.self) { .moYoung($0, .stepsFirst) }, band(CRP.self) { .crp($0) }, band(Casio.self) { .casio($0) },
        band(Garmin.self) { .garmin($0) }, counter("today"), counter("total"),
    ]

    @Test func `every model is among these`() {
        #expect(Set(Self.kinds.map { $0.model.key }) == Set(PedometerRegistry.models.map { $0.key }))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let kind: Kind
        /// Days by which the clock of the first sync is ahead.
        let clockOffset: Int
        let isSameBoot: Bool
        var testDescription: String {
            "\(kind.testDescription) \(clockOffset) \(isSameBoot ? "same start" : "restarted")"
        }
    }

    static let cases = kinds.flatMap { kind in
        [-3, 3].flatMap { clockOffset in
            [true, false].map { Case(kind: kind, clockOffset: clockOffset, isSameBoot: $0) }
        }
    }

    /// 2026-05-20, 11:40 in the zone of the pedometers.
    private static let start = BandFixture.now - 4 * 3_600

    /// - Parameter first: the clock of the first sync. Two others follow on the same day, one on the next.
    private static func stored(_ kind: Kind, first: Clock, then: Clock = Clock()) throws -> MisreadDevice {
        let device = MisreadDevice(kind, at: start)
        try device.sync(first)
        for pause in [3 * 3_600, 3 * 3_600, 20 * 3_600] {
            device.pass(pause)
            try device.sync(then)
        }
        return device
    }

    /// The first sync of a board without a battery, before a time server has set its clock.
    @Test(arguments: cases) func `a first sync under a wrong clock loses nothing and completes no day`(_ test: Case)
        throws
    {
        let right = try Self.stored(test.kind, first: Clock())
        let wrong = try Self.stored(
            test.kind, first: Clock(clockOffset: test.clockOffset * 86_400, isTrusted: false),
            then: Clock(boot: test.isSameBoot ? "a" : "b"))
        #expect(right.steps > 0 && !right.overlaps && !wrong.overlaps)
        // A number that only grows is counted from the first reading whose time is known.
        if !test.isSameBoot, test.kind.testDescription == "generic total" {
            #expect(wrong.steps <= right.steps)
        } else {
            #expect(wrong.stepsOfDays == right.stepsOfDays)
        }
        for day in Day("2026-05-10")!...Day("2026-05-26")! where wrong.isComplete(day) {
            #expect(right.isComplete(day), "\(day) is complete by mistake")
        }
        // A reading takes some time.
        #expect(!wrong.covers(after: Self.start + 26 * 3_600 + 600))
        // The clock that may be wrong has not set the pedometer's.
        #expect(wrong.settings.allSatisfy { $0.at >= Self.start && $0.at < Self.start + 30 * 3_600 })
    }

    /// A time server that is wrong, or a test with a shifted clock: nothing shows it before the clock is right.
    @Test(arguments: kinds) func `a wrong clock that seems to be right loses nothing once it is put right`(_ kind: Kind)
        throws
    {
        // A band that deletes what it has sent cannot send it again. Rings of Colmi and Bangle.js: a part of two days
        // is not counted.
        let others = [Colmi.key, BangleJS.key, "fitpro deletes"]
        guard !kind.model.holdsTodayOnly(Pedometer.sample(kind.model)), !others.contains(kind.testDescription) else {
            return
        }
        let right = try Self.stored(kind, first: Clock())
        let wrong = try Self.stored(kind, first: Clock(clockOffset: -3 * 86_400))
        #expect(!wrong.overlaps)
        #expect(wrong.stepsOfDays == right.stepsOfDays)
        for day in Day("2026-05-10")!...Day("2026-05-26")! where wrong.isComplete(day) {
            #expect(right.isComplete(day), "\(day)")
        }
    }

    /// In the middle of a life: the machine restarts with a clock that is some hours behind, and is set right.
    @Test(arguments: kinds) func `a sync after a restart, before the clock is set, loses nothing`(_ kind: Kind) throws {
        func stored(_ second: Clock) throws -> MisreadDevice {
            let device = MisreadDevice(kind, at: Self.start)
            try device.sync()
            device.pass(3 * 3_600)
            try device.sync(second)
            for pause in [600, 3 * 3_600, 20 * 3_600] {
                device.pass(pause)
                try device.sync(Clock(boot: "b"))
            }
            return device
        }
        let (right, wrong) = (
            try stored(Clock(boot: "b")), try stored(Clock(clockOffset: -5 * 3_600, boot: "b", isTrusted: false))
        )
        #expect(wrong.stepsOfDays == right.stepsOfDays && !wrong.overlaps)
        #expect(wrong.settings.allSatisfy { $0.at >= Self.start })
    }
}
