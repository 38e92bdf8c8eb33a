import SimulatedBlueZ
import StepDomain
import TestSupport
import Testing

@testable import Pedometers

/// Random weeks with a watch of each firmware: it sleeps, wakes and restarts, and is read in the morning or at any
/// time.
@Suite(.timeLimit(.minutes(10)), .cpuBound) struct InfiniTimePropertyTests {
    private typealias Firmware = SimulatedInfiniTime.Firmware

    @Test(arguments: [Firmware?.none] + Firmware.allCases)
    func `no step is counted twice, whatever the watch does`(firmware: SimulatedInfiniTime.Firmware?) {
        var counted = 0
        for seed in 0..<Endurance.rounds(50, year: 150) {
            var week = WatchWeek(firmware, seed: UInt64(seed))
            week.softResets = seed % 3 == 0
            week.readings = .anytime
            week.go()
            #expect(week.fault == nil, "seed \(seed): \(week.fault ?? "")")
            counted += week.worn.counted
        }
        #expect(counted > 0)
    }

    /// What is shown when it is read is counted: of 1.16 at any time, of 1.15 if it is read each day. A soft reset is
    /// not seen if the count is higher afterwards, so there are none.
    @Test(arguments: [Firmware.v15: WatchWeek.Readings.daily, .v16: .anytime])
    fileprivate func `everything that a watch has shown is counted`(
        firmware: SimulatedInfiniTime.Firmware, readings: WatchWeek.Readings
    ) {
        for seed in 0..<Endurance.rounds(50, year: 150) {
            var week = WatchWeek(firmware, seed: UInt64(seed))
            week.readings = readings
            week.go()
            #expect(
                week.fault == nil && week.worn.counted == week.seen, "seed \(seed): \(week.log.joined(separator: "; "))"
            )
        }
    }

    @Test(arguments: [Firmware.v15, .v16])
    func `one sync each morning counts what it shows on its day`(firmware: SimulatedInfiniTime.Firmware) {
        for seed in 0..<60 {
            var week = WatchWeek(firmware, seed: UInt64(seed))
            week.readings = .mornings
            week.coldBoots = false
            week.go()
            #expect(week.fault == nil)
            for (day, steps) in week.mornings where week.worn.steps(on: day) < steps {
                Issue.record(
                    "seed \(seed), \(day): \(week.worn.steps(on: day)) of \(steps): \(week.log.joined(separator: "; "))"
                )
            }
        }
    }
}

private struct WatchWeek {
    enum Readings { case anytime, daily, mornings }

    var readings = Readings.anytime
    var softResets = false
    var coldBoots = true
    let worn: WornWatch
    private(set) var fault: String?
    private(set) var log: [String] = []
    /// What a morning's sync has shown, by day.
    private(set) var mornings: [String: Int] = [:]
    private var walked = 0
    /// The highest number that a reading has shown between two resets.
    private var shown: [Int: Int] = [:]
    private var random: SeededGenerator

    var seen: Int { shown.values.reduce(0, +) }

    init(_ firmware: SimulatedInfiniTime.Firmware?, seed: UInt64) {
        worn = WornWatch(hour: 6, firmware: firmware)
        random = SeededGenerator(seed: seed)
    }

    private mutating func roll(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func go() {
        for day in 20..<28 {
            let morning = roll(5...40)
            worn.pass(to: 6, morning)
            if readings != .anytime { act(day, steps: 200 + 100 * (day - 20)) }
            if readings == .daily || readings == .mornings { read(day) }
            for hour in [8, 10, 13, 16, 19, 22] {
                worn.pass(to: hour, roll(0...59))
                act(day, steps: roll(0...2) == 0 ? 0 : roll(1...3_000))
                if readings != .mornings, roll(0...2) == 0 { read(day) }
            }
            if readings == .anytime, roll(0...3) == 0 {
                worn.pass(to: 1, roll(0...59))
                read(day + 1)
            }
        }
    }

    private mutating func act(_ day: Int, steps: Int) {
        switch roll(0...19) {
        case 0 where coldBoots:
            worn.watch.bootCold()
            log.append("\(day) boot")
        case 1 where softResets:
            worn.watch.reboot()
            log.append("\(day) reset")
        default: break
        }
        worn.pass(600)
        worn.watch.walk(steps)
        walked += steps
        if roll(0...1) == 0 { worn.watch.wake() }
        if roll(0...1) == 0 { worn.watch.sleep() }
        log.append("\(day) walk \(steps)")
    }

    private mutating func note() {
        let count = worn.watch.count
        shown[worn.watch.resets, default: 0] = max(shown[worn.watch.resets] ?? 0, count)
    }

    private mutating func read(_ day: Int) {
        note()
        let outcome = worn.sync()
        note()
        if readings == .mornings { mornings["2026-05-\(day)"] = worn.watch.count }
        log.append("\(day) read \(worn.watch.count): \(outcome.steps) \(outcome.notices)")
        if worn.counted > walked, fault == nil {
            fault = "\(worn.counted) of \(walked): " + log.joined(separator: "; ")
        }
        if !outcome.samples.allSatisfy(\.isPlausible), fault == nil {
            fault = "an implausible sample: " + log.joined(separator: "; ")
        }
    }
}
