import StepDomain
import TestSupport
import Testing

@testable import Pedometers

/// Counters of today with wrong clocks and late resets, read at random times.
@Suite(.timeLimit(.minutes(10)), .cpuBound) struct CounterOfTodayPropertyTests {
    /// Clocks of all zones, behind and ahead, in steps of half an hour; resets up to eight hours late, equally late
    /// every day.
    @Test func `no step is counted twice, whatever the clock and the reset`() {
        for half in -24...28 {
            for seed in 0..<12 {
                var random = SeededGenerator(seed: UInt64((half + 24) * 100 + seed))
                let late = seed == 0 ? 0 : Int.random(in: 0...8 * 60, using: &random)
                var run = CounterRun(clockOffset: half * 30, lateness: [late], random: random)
                run.go(clockIsReadable: seed % 3 == 2)
                #expect(run.fault == nil, "offset \(half * 30) min, \(late) min late, seed \(seed): \(run.fault ?? "")")
                #expect(run.credited <= run.walked)
            }
        }
    }

    /// A watch that is reset when it is woken: at another time each day.
    @Test func `no step is counted twice where each reset is late by another time`() {
        for seed in 0..<300 {
            var random = SeededGenerator(seed: UInt64(seed))
            let lateness = (0..<20).map { _ in Int.random(in: 0..<8 * 60, using: &random) }
            var run = CounterRun(clockOffset: 0, lateness: lateness, random: random)
            run.go(clockIsReadable: seed % 2 == 1)
            #expect(run.fault == nil, "seed \(seed): \(run.fault ?? "")")
        }
    }

    /// Clocks that are right or up to eight hours behind, and a pedometer that is first read in the night. One that is
    /// ahead is reset during our day: if the next value of that day is not lower, the reset is not noticed, and the
    /// steps counted before it are missing.
    @Test func `with a readable clock every step that was read is counted`() {
        for half in -16...0 {
            for seed in 0..<12 {
                var run = CounterRun(
                    clockOffset: half * 30, lateness: [0],
                    random: SeededGenerator(seed: UInt64((half + 24) * 100 + seed)))
                run.readsBeforeReset = true
                run.go(clockIsReadable: true)
                #expect(run.fault == nil, "offset \(half * 30) min, seed \(seed): \(run.fault ?? "")")
                #expect(
                    run.credited == run.walked,
                    "offset \(half * 30) min, seed \(seed): \(run.log.joined(separator: "; "))")
            }
        }
    }

    @Test func `with a readable clock in any zone at least 95 % of the steps are counted`() {
        var (credited, walked) = (0, 0)
        for half in -24...28 {
            for seed in 0..<4 {
                var run = CounterRun(
                    clockOffset: half * 30, lateness: [0],
                    random: SeededGenerator(seed: UInt64((half + 24) * 100 + seed)))
                run.readsBeforeReset = true
                run.go(clockIsReadable: true)
                #expect(run.fault == nil, "offset \(half * 30) min, seed \(seed): \(run.fault ?? "")")
                (credited, walked) = (credited + run.credited, walked + run.walked)
            }
        }
        #expect(credited * 100 >= walked * 95, "\(credited) of \(walked)")
    }

    @Test func `most steps are counted without a clock as well`() {
        var (credited, seen) = (0, 0)
        for half in -24...28 {
            var run = CounterRun(
                clockOffset: half * 30, lateness: [0], random: SeededGenerator(seed: UInt64(half + 24)))
            run.go(clockIsReadable: false)
            (credited, seen) = (credited + run.credited, seen + run.seen)
        }
        #expect(credited * 10 >= seen * 9, "\(credited) of \(seen)")
    }
}

/// Ten days with a counter. Times are minutes since the first midnight here.
private struct CounterRun {
    static let days = 10
    /// Whether it is also read a minute before each reset; no steps are made in that minute.
    var readsBeforeReset = false
    private(set) var credited = 0
    private(set) var walked = 0
    /// What a reader that knows the resets could count: the last value read before each of them.
    private(set) var seen = 0
    private(set) var fault: String?
    private(set) var log: [String] = []
    private let clockOffset: Int
    private let resets: Set<Int>
    private var random: SeededGenerator
    private let zone = LocalTime.fixed(3600)
    private let first = Day("2026-05-20")!

    /// - Parameters:
    ///   - clockOffset: minutes that its clock is ahead of ours.
    ///   - lateness: minutes after its midnight at which it is reset, day by day.
    init(clockOffset: Int, lateness: [Int], random: SeededGenerator) {
        self.clockOffset = clockOffset
        self.random = random
        resets = Set((0...Self.days + 1).map { $0 * 1440 - clockOffset + lateness[$0 % lateness.count] })
    }

    /// Steps of each minute: some in every hour, few at night, and two walks a day, hours apart.
    private mutating func walk() -> [Int] {
        var steps = [Int](repeating: 0, count: (Self.days + 1) * 1440)
        for minute in steps.indices {
            let isDay = (7 * 60..<23 * 60).contains(minute % 1440)
            if Int.random(in: 0..<(isDay ? 10 : 60), using: &random) == 0 {
                steps[minute] = Int.random(in: 1...60, using: &random)
            }
        }
        for day in 0...Self.days {
            for hour in [9, 19] where Bool.random(using: &random) {
                let start = day * 1440 + hour * 60 + Int.random(in: 0..<60, using: &random)
                for minute in start..<start + 25 { steps[minute] += 90 }
            }
        }
        if readsBeforeReset { for reset in resets where steps.indices.contains(reset - 1) { steps[reset - 1] = 0 } }
        return steps
    }

    private mutating func readingTimes() -> Set<Int> {
        var times: Set<Int> = []
        for day in 0..<Self.days {
            for usual in [30, 4 * 60 + 15, 23 * 60 + 55] where Int.random(in: 0..<4, using: &random) > 0 {
                times.insert(day * 1440 + usual)
            }
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                times.insert(day * 1440 + Int.random(in: 1..<1440, using: &random))
            }
        }
        return times
    }

    mutating func go(clockIsReadable: Bool) {
        let steps = walk()
        var times = readingTimes()
        if readsBeforeReset { times.insert(5) }
        if readsBeforeReset { times.formUnion(resets.filter { 0 < $0 && $0 < Self.days * 1440 }.map { $0 - 1 }) }
        let end = readsBeforeReset ? times.max()! : Self.days * 1440
        var cursor = PedometerCursor()
        var (value, shown) = (0, 0)
        for minute in 0...end {
            if resets.contains(minute) {
                seen += shown
                (value, shown) = (0, 0)
            }
            if times.contains(minute) {
                shown = value
                read(value, minute, clockIsReadable, &cursor)
                if credited > seen + shown, fault == nil {
                    fault = "\(credited) of \(seen + shown): " + log.joined(separator: "; ")
                }
            }
            guard minute < end else { break }
            value += steps[minute]
            walked += steps[minute]
        }
        seen += shown
    }

    private mutating func read(_ value: Int, _ minute: Int, _ clockIsReadable: Bool, _ cursor: inout PedometerCursor) {
        let reading = CounterReading(at: zone.moment(first) + minute * 60, value: value, utcOffset: 3600)
        let counter = CounterOfToday(cursor: cursor, localTime: zone)
        let isAsked = clockIsReadable && counter.dependsOnClock(reading)
        let clock = isAsked ? DeviceClock(wall: reading.at.seconds + 3600 + clockOffset * 60) : nil
        let result = counter.steps(reading, clock: clock)
        let steps = result.batch.samples.reduce(0) { $0 + $1.steps }
        credited += steps
        if !result.batch.samples.allSatisfy(\.isPlausible), fault == nil { fault = "an implausible sample" }
        cursor = result.batch.cursor ?? cursor
        log.append(
            "day \(minute / 1440) \(minute % 1440 / 60):\(minute % 60) \(value)\(isAsked ? " clock" : ""): \(steps) \(result.notices)"
        )
    }
}
