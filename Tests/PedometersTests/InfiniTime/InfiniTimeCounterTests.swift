import BlueZ
import SimulatedBlueZ
import StepDomain
import TestSupport
import Testing

@testable import Pedometers

/// The counter of a watch by the version of its firmware: asleep, in the morning, after a restart, and with a wrong
/// date.
@Suite(.timeLimit(.minutes(5))) struct InfiniTimeCounterTests {
    private typealias Firmware = SimulatedInfiniTime.Firmware
    private static let reading = [Firmware.v15, .v16]
    private static let careful = [Firmware?.none, .v13, .v14]

    // MARK: Asleep

    /// 6,000 at 18:00; 8,000 when it is looked at, at 23:00; asleep at 9:00; then 5,000.
    private func sleepingWatch(_ firmware: Firmware?) -> WornWatch {
        let worn = WornWatch(firmware: firmware)
        worn.watch.walk(100)
        worn.sync()
        worn.pass(to: 18)
        worn.watch.walk(5_900)
        worn.sync()
        worn.pass(to: 23)
        worn.watch.walk(2_000)
        worn.watch.sleep()
        worn.pass(to: 9)
        worn.sync()
        worn.pass(to: 10)
        worn.watch.wake()
        worn.pass(to: 18)
        worn.watch.walk(5_000)
        worn.sync()
        return worn
    }

    @Test(arguments: careful)
    func `a count that a sleeping watch shows in the morning is yesterday's, if the firmware is old or not known`(
        firmware: SimulatedInfiniTime.Firmware?
    ) {
        let worn = sleepingWatch(firmware)
        #expect(worn.steps(on: "2026-05-20") == 8_000)
        #expect(worn.steps(on: "2026-05-21") == 5_000)
    }

    /// With 1.16 the reset is not late: what was not read before midnight is lost. With 1.15 the watch still shows it
    /// in the morning.
    @Test(arguments: [Firmware.v15: 8_000, .v16: 6_000])
    func `a watch that updates its counter is read on each day`(firmware: SimulatedInfiniTime.Firmware, steps: Int) {
        let worn = sleepingWatch(firmware)
        #expect(worn.steps(on: "2026-05-20") == steps)
        #expect(worn.steps(on: "2026-05-21") == 5_000)
    }

    @Test(arguments: careful)
    func `a count that has grown since the morning is of this day`(firmware: SimulatedInfiniTime.Firmware?) throws {
        let worn = WornWatch(firmware: firmware)
        worn.watch.walk(3_000)
        #expect(worn.sync().notices == [.undecided(steps: 3_000)])
        worn.pass(to: 12)
        worn.watch.walk(1_000)
        let outcome = worn.sync()
        #expect(outcome.steps == 4_000 && outcome.notices == [] && outcome.coverage == [])
        #expect(worn.cursor.undecided == nil)
    }

    @Test(arguments: careful)
    func `a watch that is never looked at is never counted again`(firmware: SimulatedInfiniTime.Firmware?) {
        let worn = WornWatch(firmware: firmware)
        worn.watch.walk(1_000)
        worn.sync()
        worn.watch.walk(1_000)
        worn.pass(to: 18)
        worn.sync()
        worn.watch.walk(1_000)
        worn.watch.sleep()
        for _ in 0..<9 {
            worn.pass(9 * 3_600)
            worn.sync()
        }
        worn.watch.wake()
        worn.pass(3_600)
        worn.watch.walk(10)
        worn.sync()
        worn.pass(3_600)
        worn.watch.walk(10)
        worn.sync()
        #expect(worn.counted == 3_020)
    }

    @Test func `a sleeping watch of version 1_15 has its overdue reset carried out by a sync, and by no examination`() {
        let worn = WornWatch(firmware: .v15)
        worn.watch.walk(1_000)
        worn.watch.sleep()
        worn.pass(to: 8)
        worn.sync(setsClock: false)
        #expect(worn.watch.count == 1_000)
        worn.samples = []
        worn.cursor = PedometerCursor()
        worn.sync()
        #expect(worn.watch.count == 0)
        #expect(worn.steps(on: "2026-05-20") == 1_000 && worn.steps(on: "2026-05-21") == 0)
    }

    @Test func `what a watch showed before its overdue reset is kept if the link is lost`() {
        let worn = WornWatch(firmware: .v15)
        worn.watch.walk(1_000)
        worn.sync()
        worn.watch.walk(500)
        worn.watch.sleep()
        worn.pass(to: 8)
        let steps: [UInt8] = [0xdc, 0x05, 0, 0]
        var session = InfiniTimeSession(
            SessionContext(pedometer: .sample(InfiniTime.self, cursor: worn.cursor), localTime: .fixed(3_600)),
            setsClock: true)
        for event in [SessionEvent.started, .value(Array("1.15.0".utf8)), .value(steps), .value([0, 0, 0, 0, 0, 4])] {
            _ = session.next(after: event, at: worn.now)
        }
        guard case .deliver(let batch, _) = session.next(after: .linkLost, at: worn.now) else {
            Issue.record("nothing is delivered")
            return
        }
        worn.cursor = batch.cursor ?? worn.cursor
        worn.watch.wake()
        worn.pass(60)
        worn.sync()
        #expect(worn.steps(on: "2026-05-20") == 1_500)
    }

    @Test func `a watch without motion values is read with care`() {
        let session = InfiniTimeSession(
            SessionContext(pedometer: .sample(InfiniTime.self), localTime: .fixed(0)), setsClock: true)
        let outcome = SessionPlayer(
            read: { address in
                switch address {
                case InfiniTime.firmware: Array("1.15.0".utf8)
                case InfiniTime.steps: [100, 0, 0, 0]
                default: nil
                }
            }
        ).play(session, at: Timestamp(1_779_272_000))
        #expect(outcome.notices == [.undecided(steps: 100)])
    }

    @Test(arguments: ["1.15.0": true, "1.15.1": true, "1.16.0": false, "2.0.0": false])
    func `the version shows that the clock decides, and whether a subscription is needed`(
        version: String, updates: Bool
    ) {
        let behavior = InfiniTimeBehavior(firmware: version)
        #expect(behavior.reset == .onTime && behavior.updatesWhenSubscribed == updates)
    }

    @Test(arguments: [nil, "", "1.14.0", "1.13.0", "0.99.1", "1", "v1.16", "1.x.0", ".16.0", "dev"])
    func `an old or unknown version is read with care`(version: String?) {
        #expect(InfiniTimeBehavior(firmware: version) == InfiniTimeBehavior(firmware: nil))
        #expect(InfiniTimeBehavior(firmware: version).reset == .whenAwake)
    }

    // MARK: Mornings

    /// A sync at an earlier time each morning, less than a day after the last, with a higher count.
    @Test(arguments: reading)
    func `one sync each morning counts each morning's steps on its day`(firmware: SimulatedInfiniTime.Firmware) {
        let worn = WornWatch(hour: 7, firmware: firmware)
        for morning in 0..<8 {
            worn.watch.walk(1_000 + 200 * morning)
            let outcome = worn.sync()
            #expect(!outcome.notices.contains { if case .undecided = $0 { true } else { false } })
            worn.pass(to: 20)
            worn.watch.walk(3_000)
            worn.pass(to: 6, 50 - 5 * morning)
        }
        for morning in 0..<8 { #expect(worn.steps(on: "2026-05-\(20 + morning)") == 1_000 + 200 * morning) }
    }

    @Test(arguments: reading)
    func `a restart in the morning is not the reset of midnight`(firmware: SimulatedInfiniTime.Firmware) {
        let worn = WornWatch(firmware: firmware)
        worn.watch.walk(2_000)
        worn.pass(to: 23, 55)
        worn.sync()
        worn.pass(to: 6)
        worn.watch.walk(2_400)
        worn.sync()
        worn.watch.reboot()
        worn.pass(to: 7)
        worn.watch.walk(50)
        #expect(worn.sync().notices == [.counterRestarted])
        #expect(worn.steps(on: "2026-05-20") == 2_000 && worn.steps(on: "2026-05-21") == 2_450)
    }

    @Test(arguments: reading)
    func `a count that equals yesterday's is counted`(firmware: SimulatedInfiniTime.Firmware) {
        let worn = WornWatch(firmware: firmware)
        worn.watch.walk(2_000)
        worn.sync()
        worn.pass(to: 7)
        worn.watch.walk(2_000)
        worn.sync()
        #expect(worn.steps(on: "2026-05-20") == 2_000 && worn.steps(on: "2026-05-21") == 2_000)
    }

    /// A second before its midnight and a second after it look alike.
    @Test(arguments: reading, [(0, -30), (0, 30), (-600, 600), (-600, 610)])
    func `at its midnight nothing is counted twice`(
        firmware: SimulatedInfiniTime.Firmware, _ times: (clockOffset: Int, second: Int)
    ) {
        let worn = WornWatch(firmware: firmware)
        worn.watch.walk(2_000)
        worn.watch.setClock(WallClock(seconds: worn.watch.clock.seconds + times.clockOffset))
        worn.pass(to: 23, 40)
        worn.sync()
        worn.pass(to: 0)
        worn.pass(times.second)
        if times.second < 0 { worn.pass(-86_400) }
        worn.sync()
        worn.pass(300)
        worn.sync()
        worn.pass(to: 9)
        worn.watch.walk(100)
        worn.sync()
        #expect(worn.counted == 2_100)
    }

    // MARK: Restarts

    @Test(arguments: Firmware.allCases)
    func `a restart that lost the clock is noticed, though the count is higher than before`(
        firmware: SimulatedInfiniTime.Firmware
    ) {
        let worn = WornWatch(firmware: firmware)
        worn.watch.walk(500)
        worn.sync()
        worn.pass(3_600)
        worn.watch.walk(500)
        worn.sync()
        worn.pass(3_600)
        worn.watch.bootCold()
        worn.pass(3_600)
        worn.watch.walk(1_500)
        let outcome = worn.sync()
        #expect(outcome.notices.contains(.counterRestarted))
        #expect(worn.steps(on: "2026-05-20") == 2_500)
        #expect(worn.watch.clock.month == 5)
        worn.pass(3_600)
        worn.watch.walk(30)
        #expect(worn.sync().notices == [])
        #expect(worn.steps(on: "2026-05-20") == 2_530)
    }

    @Test(arguments: reading)
    func `a restart that lost the clock in the night is counted once`(firmware: SimulatedInfiniTime.Firmware) {
        let worn = WornWatch(firmware: firmware)
        worn.watch.walk(1_000)
        worn.pass(to: 22)
        worn.sync()
        worn.pass(600)
        worn.watch.bootCold()
        worn.pass(to: 8)
        worn.watch.walk(1_500)
        worn.sync()
        #expect(worn.counted == 2_500)
    }

    // MARK: The date

    @Test(arguments: [80_000, 82_000, 86_000, 86_390, 43_200, 90_000])
    func `a date that is about a day off is set`(seconds: Int) {
        for clockOffset in [-seconds, seconds] {
            let worn = WornWatch()
            worn.watch.walk(1_000)
            worn.sync()
            worn.watch.setClock(WallClock(seconds: worn.watch.clock.seconds + clockOffset))
            for _ in 0..<24 {
                worn.watch.walk(10)
                worn.pass(3_600)
                worn.sync()
            }
            #expect(worn.watch.clockWrites.count == 1, "\(clockOffset)")
            worn.pass(to: 23)
            worn.watch.walk(10)
            worn.sync()
            #expect(worn.counted <= 1_250, "\(clockOffset): \(worn.counted)")
        }
    }

    @Test func `a watch whose battery was empty is set while it still shows the first hour of its year`() {
        let worn = WornWatch(hour: 15)
        worn.watch.bootCold()
        worn.pass(1_200)
        worn.watch.walk(20)
        worn.sync()
        #expect(worn.watch.clockWrites.count == 1 && worn.watch.count == 20)
        worn.pass(to: 20)
        worn.watch.walk(30)
        #expect(worn.sync().notices == [])
        #expect(worn.counted == 50)
    }
}
