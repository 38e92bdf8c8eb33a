import StepDomain
import TestSupport
import Testing

@testable import Pedometers

/// A counter of today, where the pedometer's clock or this machine's is set between two readings.
@Suite(.timeLimit(.minutes(5)), .cpuBound) struct ClockJumpTests: CounterReadings {
    private func sum(_ result: CounterResult) -> Int { result.batch.samples.reduce(0) { $0 + $1.steps } }

    @Test func `a small clock drift is not treated as a clock change`() throws {
        let before = DeviceClock(wall: 20 * 3600)
        func jump(_ gain: Int, hours: Int = 13) -> ClockJump? {
            ClockJump(from: before, to: DeviceClock(wall: before.wall + hours * 3600 + gain), seconds: hours * 3600)
        }
        #expect(jump(120) == nil && jump(-120) == nil)
        // Put back, or forward by less than the hour of the reset.
        #expect(try #require(jump(-3600)).hasReset)
        #expect(try #require(jump(3600)).hasReset)
        // Put forward past the hour of the reset, or back to the day before.
        #expect(try #require(jump(5400)).hasReset == false)
        #expect(try #require(jump(-36_000)).hasReset == false)
        // A second midnight was not skipped.
        #expect(try #require(jump(5400, hours: 37)).hasReset)
    }

    @Test func `a machine clock that was ahead past midnight, and is right again, credits each step once`() throws {
        // 09:15, and the machine's clock shows 01:15 of the next day.
        let ahead = reading(5050, 25.25)
        let first = counter(after(reading(5000, 9), clockOffset: 0)).steps(
            ahead, clock: clock(ahead, clockOffset: -16 * 3600))
        #expect(first.batch.samples.map(\.steps) == [50] && first.batch.samples.map(\.day) == [day])
        #expect(first.batch.coverage == [], "when they were made is not certain")
        let cursor = try #require(first.batch.cursor)
        #expect(cursor.clockOffset == 3600 - 16 * 3600)
        let right = reading(5300, 10)
        #expect(counter(cursor).dependsOnClock(right))
        let second = counter(cursor).steps(right, clock: clock(right, clockOffset: 0))
        #expect(
            second.batch.samples == [StepSample(start: midnight + 33_300, length: 2700, steps: 250, utcOffset: 3600)])
        #expect(second.batch.cursor == after(right, clockOffset: 0))
    }

    @Test func `a machine clock that was behind midnight, and is right again, credits each step once`() {
        // 09:00, and the machine's clock shows 17:00 of the day before.
        let behind = after(reading(5000, -7), clockOffset: 16 * 3600)
        let right = reading(5300, 10)
        #expect(sum(counter(behind).steps(right, clock: clock(right, clockOffset: 0))) == 300)
    }

    @Test func `after a cursor in the future, a new day is counted from the pedometer's midnight`() {
        let ahead = after(reading(300, 72), clockOffset: -64 * 3600)
        let right = reading(600, 24 + 12)
        #expect(sum(counter(ahead).steps(right, clock: clock(right, clockOffset: 0))) == 600)
    }

    @Test func `a pedometer's clock that was put forward past midnight credits each step once`() throws {
        // At 22:00 it was set to 01:00: it had no reset.
        let next = reading(9100, 33)
        let result = counter(after(reading(9000, 20), clockOffset: 0)).steps(
            next, clock: clock(next, clockOffset: 3 * 3600))
        #expect(sum(result) == 100 && result.batch.coverage == [])
        let later = reading(9600, 36)
        let cursor = try #require(result.batch.cursor)
        #expect(sum(counter(cursor).steps(later, clock: clock(later, clockOffset: 3 * 3600))) == 500)
    }

    @Test func `a clock that a phone puts forward by an hour does not hide a reset`() {
        let next = reading(9000, 45)
        #expect(
            sum(counter(after(reading(3000, 20), clockOffset: 0)).steps(next, clock: clock(next, clockOffset: 3600)))
                == 9000)
    }

    @Test func `a clock that istep has set implies that the counter was reset at midnight`() {
        let (last, next) = (reading(3000, 20), reading(9000, 45))
        let behind = after(last, clockOffset: -3 * 3600)
        let setting = ClockState.Setting(at: last.at, utcOffset: 3600)
        #expect(sum(counter(behind, clockSet: setting).steps(next, clock: clock(next, clockOffset: 0))) == 9000)
        #expect(sum(counter(behind).steps(next, clock: clock(next, clockOffset: 0))) == 6000)
        // A setting from before the last reading does not count: another program has set it since.
        let old = ClockState.Setting(at: last.at - 3600, utcOffset: 3600)
        #expect(sum(counter(behind, clockSet: old).steps(next, clock: clock(next, clockOffset: 0))) == 6000)
    }

    @Test func `without a known difference the clock decides as before`() {
        let last = reading(8000, 20)
        let next = reading(9000, 45)
        #expect(sum(counter(after(last)).steps(next, clock: clock(next, clockOffset: 0))) == 9000)
    }

    @Test func `a reading without the clock keeps the clock difference of the cursor`() throws {
        let cursor = after(reading(4000, 10), clockOffset: -60)
        let later = reading(4500, 11)
        #expect(counter(cursor).steps(later).batch.cursor?.clockOffset == 3540)
        #expect(counter(cursor).batch(of: later, clock: clock(later, clockOffset: 7)).cursor?.clockOffset == 3607)
    }

    // MARK: All jumps

    /// Each clock jumps by up to twelve hours in both directions, at all hours around midnight, and back again. A jump
    /// of the pedometer's clock and back is not seen if the clock is not read in between.
    @Test(arguments: [true, false], [true, false])
    func `no step is counted twice, whichever clock jumps`(isMachine: Bool, isAlwaysRead: Bool) {
        for first in stride(from: 1, to: 48, by: 5) {
            for length in stride(from: -24, through: 24, by: 3) where length != 0 {
                for pause in stride(from: 1, through: 40, by: 3) {
                    for jump in Set([first, first + pause / 2, first + pause]) {
                        var run = JumpRun(isMachine: isMachine, isAlwaysRead: isAlwaysRead)
                        run.jumps = [jump: length]
                        if isMachine || isAlwaysRead { run.jumps[first + pause + 8] = -length }
                        run.go(readings: [
                            first, first + pause, first + pause + 4, first + pause + 10, first + pause + 33,
                        ])
                        #expect(
                            run.fault == nil,
                            "read at \(first), jump of \(length) at \(jump), pause \(pause): \(run.fault ?? "")")
                    }
                }
            }
        }
    }
}

/// A watch that is worn day and night, whose counter follows InfiniTime's: it becomes zero when the clock first shows
/// an hour of 0. Times are half hours since the first midnight.
private struct JumpRun {
    /// Steps of half an hour.
    private static let pace = 50
    /// The clock that jumps.
    let isMachine: Bool
    /// Whether the clock is read with each reading, or only if the reading depends on it.
    let isAlwaysRead: Bool
    /// Half hours by which the clock jumps, by the time at which it does.
    var jumps: [Int: Int] = [:]
    private(set) var fault: String?
    private var cursor = PedometerCursor()
    private var credited = 0
    private var value = 0
    /// Half hours by which each clock is ahead.
    private var (machine, watch) = (0, 0)
    private let zone = LocalTime.fixed(3600)
    private let midnight: Timestamp

    init(isMachine: Bool, isAlwaysRead: Bool) {
        self.isMachine = isMachine
        self.isAlwaysRead = isAlwaysRead
        midnight = zone.moment(Day("2026-05-20")!)
    }

    mutating func go(readings: [Int]) {
        for time in 0...(readings.max() ?? 0) {
            if hour(time) == 0, hour(time - 1) != 0 { value = 0 }
            if let jump = jumps[time] {
                let before = hour(time)
                if isMachine { machine += jump } else { watch += jump }
                if hour(time) == 0, before != 0 { value = 0 }
            }
            if readings.contains(time) { read(time) }
            value += Self.pace
        }
    }

    /// The hour that the watch shows.
    private func hour(_ time: Int) -> Int { ((time + watch) % 48 + 48) % 48 / 2 }

    private mutating func read(_ time: Int) {
        let reading = CounterReading(at: midnight + (time + machine) * 1800, value: value, utcOffset: 3600)
        let clock = DeviceClock(wall: midnight.seconds + 3600 + (time + watch) * 1800)
        let counter = CounterOfToday(cursor: cursor, localTime: zone)
        let batch =
            isAlwaysRead
            ? counter.batch(of: reading, clock: clock)
            : counter.steps(reading, clock: counter.dependsOnClock(reading) ? clock : nil).batch
        credited += batch.samples.filter(\.isPlausible).reduce(0) { $0 + $1.steps }
        cursor = batch.cursor ?? cursor
        if credited > time * Self.pace, fault == nil { fault = "\(credited) of \(time * Self.pace) at \(time)" }
    }
}
