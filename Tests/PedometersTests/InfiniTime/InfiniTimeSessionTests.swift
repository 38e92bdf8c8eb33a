import BlueZ
import Foundation
import SimulatedBlueZ
import StepDomain
import TestSupport
import Testing

@testable import Pedometers

/// A session on a simulated watch whose counter and clock follow the firmware, over days.
@Suite(.timeLimit(.minutes(5))) struct InfiniTimeSessionTests {
    @Test func `steps, clock and firmware are read, and nothing is written to a watch that is right`() {
        let fixture = WornWatch()
        fixture.watch.walk(1_200)
        let outcome = fixture.sync()
        #expect(outcome.steps == 1_200)
        #expect(outcome.report?.firmware == "1.15.0")
        #expect(outcome.notices == [])
        #expect(fixture.watch.clockWrites == [])
    }

    @Test func `each midnight begins a new day`() {
        let fixture = WornWatch()
        for _ in 0..<3 {
            fixture.pass(to: 12)
            fixture.watch.walk(1_000)
            fixture.sync()
            fixture.pass(to: 23, 50)
            fixture.watch.walk(500)
            fixture.sync()
        }
        #expect(["2026-05-20", "2026-05-21", "2026-05-22"].map(fixture.steps) == [1_500, 1_500, 1_500])
    }

    @Test func `a restart of the watch keeps the steps counted before`() {
        let fixture = WornWatch()
        fixture.watch.walk(3_000)
        fixture.sync()
        fixture.pass(3_600)
        fixture.watch.reboot()
        fixture.watch.walk(400)
        let outcome = fixture.sync()
        #expect(outcome.notices == [.counterRestarted])
        #expect(fixture.steps(on: "2026-05-20") == 3_400)
    }

    @Test func `a late first reading of a day loses nothing of that day`() {
        let fixture = WornWatch()
        fixture.watch.walk(3_000)
        fixture.sync()
        fixture.pass(to: 0, 5)
        fixture.watch.walk(200)
        fixture.pass(to: 14)
        fixture.watch.walk(5_000)
        fixture.sync()
        #expect(fixture.steps(on: "2026-05-20") == 3_000)
        #expect(fixture.steps(on: "2026-05-21") == 5_200)
    }

    @Test(arguments: [536_870_912, 4_294_967_295, 200_001])
    func `an implausible value is left out, and the next one is compared with the last plausible one`(number: Int) {
        let fixture = WornWatch()
        fixture.watch.walk(1_000)
        fixture.sync()
        fixture.watch.setGlitch(number)
        fixture.pass(600)
        let outcome = fixture.sync()
        #expect(outcome.notices == [.implausible(samples: 1)])
        #expect(outcome.cursor == nil && outcome.samples.isEmpty)
        fixture.watch.setGlitch(nil)
        fixture.watch.walk(100)
        fixture.pass(600)
        fixture.sync()
        #expect(fixture.steps(on: "2026-05-20") == 1_100)
    }

    @Test func `a watch that never counts has no steps`() {
        let fixture = WornWatch()
        fixture.sync()
        fixture.pass(3_600)
        let outcome = fixture.sync()
        #expect(outcome.samples.isEmpty && outcome.error == nil && outcome.notices == [])
    }

    @Test func `a value of another length is an error`() {
        let session = InfiniTimeSession(
            SessionContext(pedometer: .sample(InfiniTime.self), localTime: .fixed(0)), setsClock: true)
        let outcome = SessionPlayer(read: { _ in [1, 2] }).play(session, at: Timestamp(1_779_272_000))
        #expect(outcome.error == .undecodable("2 bytes where 4 were expected"))
    }

    // MARK: The clock

    @Test func `a clock that is an hour off is set after the steps were read, with ten bytes`() {
        let fixture = WornWatch()
        fixture.watch.walk(700)
        fixture.watch.setClock(WallClock(year: 2026, month: 5, day: 20, hour: 8, minute: 0))
        let outcome = fixture.sync()
        #expect(outcome.steps == 700)
        #expect(outcome.notices == [.clockCorrected(seconds: -3_600)])
        #expect(fixture.watch.clockWrites == [[0xea, 0x07, 5, 20, 9, 0, 0, 3, 0, 2]])
        #expect(outcome.report?.clockSet == ClockState.Setting(at: fixture.now, utcOffset: 3_600))
        #expect(outcome.cursor?.clockOffset == 0, "as it was when the steps were read")
        fixture.pass(to: 13)
        fixture.watch.walk(300)
        #expect(fixture.sync().notices == [])
        #expect(fixture.steps(on: "2026-05-20") == 1_000)
    }

    @Test func `a clock that is two minutes off is left alone`() {
        let fixture = WornWatch()
        fixture.watch.setClock(WallClock(seconds: fixture.watch.clock.seconds + 120))
        #expect(fixture.sync().notices == [])
        #expect(fixture.watch.clockWrites == [])
    }

    @Test func `an examination reports the clock and does not set it`() {
        let fixture = WornWatch()
        fixture.watch.setClock(WallClock(seconds: fixture.watch.clock.seconds + 600))
        #expect(fixture.sync(setsClock: false).report?.notices == [.clockWasOff(seconds: 600)])
        #expect(fixture.watch.clockWrites == [])
    }

    @Test(arguments: [
        (23, 40, -600), (0, 20, -600), (10, 0, -11 * 3_600 - 1_800), (22, 0, 3 * 3_600), (2, 0, -3 * 3_600),
    ])
    func `near midnight, and across one, the clock is not set`(hour: Int, minute: Int, clockOffset: Int) {
        let fixture = WornWatch()
        fixture.pass(to: hour, minute)
        fixture.watch.setClock(WallClock(seconds: fixture.now.seconds + 3_600 + clockOffset))
        fixture.sync()
        #expect(fixture.watch.clockWrites == [])
    }

    @Test func `a watch that is on yesterday is set after its own midnight, and counts right on both days`() {
        let fixture = WornWatch()
        fixture.pass(to: 12)
        fixture.watch.walk(2_000)
        fixture.sync()
        // Another program sets it four hours back, such as for another zone.
        fixture.watch.setClock(WallClock(seconds: fixture.watch.clock.seconds - 4 * 3_600))
        fixture.pass(to: 23, 30)
        fixture.watch.walk(1_000)
        fixture.sync()
        fixture.pass(to: 2)
        #expect(fixture.watch.clockWrites == [], "neither near midnight, nor while the watch is on yesterday")
        fixture.sync()
        #expect(fixture.watch.clockWrites == [])
        fixture.pass(to: 9)
        fixture.watch.walk(400)
        fixture.sync()
        #expect(fixture.watch.clockWrites.count == 1)
        fixture.pass(to: 23, 30)
        fixture.watch.walk(600)
        fixture.sync()
        #expect(fixture.steps(on: "2026-05-20") == 3_000)
        #expect(fixture.steps(on: "2026-05-21") == 1_000)
    }

    @Test
    func
        `a clock that a phone sets past midnight leaves yesterday's steps in the counter, and they are not counted twice`()
    {
        let fixture = WornWatch()
        fixture.pass(to: 23, 55)
        fixture.watch.walk(4_000)
        fixture.sync()
        fixture.pass(to: 1)
        // The watch was on 23:52, and jumps over the hour 0: its counter stays.
        fixture.watch.setClock(WallClock(year: 2026, month: 5, day: 20, hour: 23, minute: 52))
        fixture.watch.reboot()
        fixture.watch.walk(4_000)
        fixture.sync()
        fixture.watch.setClock(WallClock(year: 2026, month: 5, day: 21, hour: 1))
        #expect(fixture.watch.count == 4_000, "no reset")
        fixture.pass(to: 1, 30)
        fixture.watch.walk(50)
        fixture.sync()
        #expect(fixture.steps(on: "2026-05-21") == 50)
    }

    @Test func `a clock that a phone sets from the evening into the next day credits no step twice`() {
        let fixture = WornWatch()
        fixture.pass(to: 20)
        fixture.watch.walk(9_000)
        fixture.sync()
        fixture.pass(to: 22, 5)
        fixture.watch.setClock(WallClock(year: 2026, month: 5, day: 21, hour: 1, minute: 5))
        fixture.pass(to: 9)
        fixture.watch.walk(100)
        #expect(fixture.watch.count == 9_100, "no reset")
        fixture.sync()
        #expect(fixture.steps(on: "2026-05-20") + fixture.steps(on: "2026-05-21") == 9_100)
    }

    @Test func `after a restart without a clock the date of 1970 is replaced`() {
        let fixture = WornWatch()
        fixture.watch.reboot()
        fixture.watch.setClock(WallClock(year: 1970, month: 1, day: 1, hour: 2))
        fixture.watch.walk(80)
        let outcome = fixture.sync()
        #expect(fixture.watch.clockWrites.count == 1)
        #expect(fixture.watch.clock.year == 2026)
        #expect(outcome.notices.contains { if case .clockCorrected = $0 { true } else { false } })
    }

    @Test func `a watch that refuses to be set is reported`() {
        let fixture = WornWatch()
        fixture.watch.refuseClock()
        fixture.watch.setClock(WallClock(seconds: fixture.watch.clock.seconds + 3_600))
        #expect(fixture.sync().notices == [.clockWasOff(seconds: 3_600)])
    }

    @Test func `the model is recognised from advertised name and services`() throws {
        let address = try #require(DeviceAddress("C0:DE:00:00:00:07"))
        #expect(InfiniTime.evidence(in: Discovery(address: address, name: "InfiniTime", services: ["180d"])) == .name)
        #expect(InfiniTime.evidence(in: Discovery(address: address, name: "Infini")) == nil)
        for name in ["Pinetime-JF", "Pinetime-JF 1.2", "InfiniTime-anna", "My InfiniTime"] {
            #expect(InfiniTime.evidence(in: Discovery(address: address, name: name)) == .name)
        }
        #expect(
            InfiniTime.evidence(in: Discovery(address: address, services: [InfiniTime.service])) == .advertisedService)
        #expect(PedometerRegistry.models(withServices: ["180f", InfiniTime.service]).map { $0.key } == ["infinitime"])
    }
}
