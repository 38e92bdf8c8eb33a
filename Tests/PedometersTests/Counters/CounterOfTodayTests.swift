import StepDomain
import Testing

@testable import Pedometers

/// A counter that midnight sets to zero, of a pedometer without a clock.
@Suite(.timeLimit(.minutes(5))) struct CounterOfTodayTests: CounterReadings {
    // MARK: Marks of a machine whose clock was ahead

    @Test func `after a cursor in the future, the first count is undecided and the next one counts`() throws {
        let first = counter(after(reading(5000, 30 * 24))).batch(of: reading(600, 12))
        #expect(first.samples.isEmpty && first.coverage.isEmpty && first.notices == [.undecided(steps: 600)])
        let cursor = try #require(first.cursor)
        #expect(cursor.counter == nil && cursor.undecided == reading(600, 12) && cursor.readThrough == nil)
        let next = counter(cursor).batch(of: reading(900, 14))
        #expect(next.samples.reduce(0) { $0 + $1.steps } == 900 && next.cursor?.counter == reading(900, 14))
    }

    @Test func `an undecided reading of the future is dropped`() {
        var cursor = after(reading(100, 9))
        cursor.undecided = reading(5000, 30 * 24)
        let result = counter(cursor).batch(of: reading(600, 12))
        #expect(result.samples.reduce(0) { $0 + $1.steps } == 500 && result.cursor?.undecided == nil)
    }

    // MARK: A counter that is reset at midnight

    @Test func `the first reading of today counts from midnight`() {
        let result = counter(after(nil)).steps(reading(4000, 10))
        #expect(result.batch.samples == [StepSample(start: midnight, length: 36_000, steps: 4000, utcOffset: 3600)])
        #expect(result.batch.coverage == [TimeSpan(midnight, midnight + 36_000)])
    }

    @Test func `a later reading of today counts the difference`() {
        let result = counter(after(reading(4000, 10))).steps(reading(4500, 11))
        #expect(result.batch.samples.map(\.steps) == [500])
    }

    @Test func `a restart during the day preserves the steps counted before`() {
        let result = counter(after(reading(4000, 10))).steps(reading(70, 11))
        #expect(result.batch.samples.map(\.steps) == [70])
        #expect(result.batch.coverage == [])
        #expect(result.notices == [.counterRestarted])
    }

    @Test func `a new day counts from midnight and reports an unfinished yesterday`() {
        let result = counter(after(reading(9000, -2))).steps(reading(500, 8))
        #expect(result.batch.samples == [StepSample(start: midnight, length: 8 * 3600, steps: 500, utcOffset: 3600)])
        #expect(result.notices == [.dayNotClosed(day.advanced(by: -1))])
    }

    /// 23:55 is when the last run of the nightly timer begins; the day lacks five minutes and is partial.
    @Test(arguments: [(-1.0 / 12, false), (-1.0 / 6, false), (-0.25, true), (-9, true)])
    func `steps lost at midnight are reported, except those after a reading shortly before midnight`(
        hours: Double, isReported: Bool
    ) {
        let result = counter(after(reading(9000, hours))).steps(reading(500, 8))
        #expect(result.notices == (isReported ? [.dayNotClosed(day.advanced(by: -1))] : []))
        #expect(result.batch.coverage == [TimeSpan(midnight, midnight + 8 * 3600)], "the day before stays partial")
    }

    /// Each night at 23:55 and each morning at 8, for a week; one evening is missed.
    @Test func `over a week of nightly readings each lost evening is reported once`() {
        var cursor = after(reading(9000, -1.0 / 12))
        var notices: [SyncNotice] = []
        for night in 0..<7 {
            let start = Double(24 * night)
            for (value, hours) in [(800, 8.0), (801, 9), (5000, 24 - 1.0 / 12)] where night != 3 || hours < 23 {
                let result = counter(cursor).steps(reading(value, start + hours))
                notices += result.notices
                cursor = result.batch.cursor ?? cursor
            }
        }
        #expect(notices == [.dayNotClosed(day.advanced(by: 3))])
    }

    @Test func `a higher value soon after midnight is undecided`() {
        let result = counter(after(reading(9000, -2))).steps(reading(9100, 0.1))
        #expect(result.batch.samples.isEmpty)
        #expect(result.batch.cursor?.undecided?.value == 9100)
        #expect(result.batch.cursor?.counter?.value == 9000)
    }

    @Test func `a lower value after an undecided one completes yesterday`() {
        var cursor = after(reading(9000, -2))
        cursor.undecided = reading(9100, 0.1)
        let result = counter(cursor).steps(reading(800, 8))
        #expect(result.batch.samples.map(\.steps) == [800, 100])
        #expect(result.batch.samples.map(\.day) == [day, day.advanced(by: -1)])
        #expect(result.batch.coverage.contains(TimeSpan(midnight - 7200, midnight)))
        #expect(result.batch.cursor?.undecided == nil)
        #expect(result.notices.isEmpty)
    }

    @Test func `an undecided value that does not fall counts for today`() {
        var cursor = after(reading(90, -2))
        cursor.undecided = reading(100, 0.1)
        let morning = counter(cursor).steps(reading(800, 8))
        #expect(morning.isUndecided, "a clock that is ahead by three hours would be reset at 21:00")
        let result = counter(morning.batch.cursor!).steps(reading(800, 22))
        #expect(result.batch.samples.map(\.steps) == [800])
        #expect(result.notices == [.dayNotClosed(day.advanced(by: -1))])
    }

    @Test func `an undecided value without a second reading that day is not lost`() {
        var cursor = after(reading(1000, -2))
        cursor.undecided = reading(1200, 1)
        let result = counter(cursor).steps(reading(700, 32))
        #expect(result.batch.samples.map(\.steps) == [133, 67, 700])
        #expect(result.batch.samples.map(\.day) == [day.advanced(by: -1), day, day.advanced(by: 1)])
        #expect(result.batch.coverage == [TimeSpan(midnight + 86_400, midnight + 32 * 3600)])
        #expect(result.notices == [.dayNotClosed(day.advanced(by: -1)), .dayNotClosed(day)])
        #expect(result.batch.cursor == after(reading(700, 32)))
    }

    @Test func `each undecided value of a night is decided by a later reading`() {
        var cursor = after(reading(1000, -2))
        var steps = 0
        for (value, hours) in [(1200, 1.0), (5000, 25), (6000, 49), (10, 60)] {
            let result = counter(cursor).steps(reading(value, hours))
            steps += result.batch.samples.reduce(0) { $0 + $1.steps }
            cursor = result.batch.cursor ?? cursor
        }
        // 1,000 were counted before; the last value shows that the 6,000 were yesterday's, and counts from its own
        // midnight.
        #expect(steps == 6000 - 1000 + 10)
        #expect(cursor == after(reading(10, 60)))
    }

    @Test func `an undecided value of a day without readings counts completely`() {
        var cursor = after(reading(900, -48))
        cursor.undecided = reading(1000, 0.5)
        let result = counter(cursor).steps(reading(10, 8))
        #expect(result.batch.samples.map(\.steps) == [10, 1000])
        #expect(result.batch.samples.map(\.start) == [midnight, midnight - 86_400])
        #expect(result.notices == [.dayNotClosed(day.advanced(by: -2))])
    }

    @Test func `a higher value in the evening counts for today`() {
        let result = counter(after(reading(9000, -2))).steps(reading(11_000, 21))
        #expect(result.batch.samples.map(\.steps) == [11_000])
    }

    // MARK: The first reading

    @Test func `a first reading soon after midnight waits for a second`() {
        let first = counter(after(nil)).steps(reading(9600, 0.2))
        #expect(first.batch.samples == [] && first.batch.coverage == [])
        #expect(first.notices == [.undecided(steps: 9600)])
        let second = counter(first.batch.cursor!).steps(reading(700, 9))
        #expect(second.batch.samples.map(\.steps) == [700, 9600])
        #expect(second.batch.samples.map(\.day) == [day, day.advanced(by: -1)])
        #expect(second.batch.cursor == after(reading(700, 9)))
        #expect(second.notices == [], "no restart, nothing lost")
    }

    @Test func `a first reading is credited to today if a later value that day is not lower`() {
        let first = counter(after(nil)).steps(reading(100, 0.5))
        let second = counter(first.batch.cursor!).steps(reading(800, 8))
        #expect(second.batch.samples.map(\.steps) == [800])
        #expect(second.notices == [])
    }

    @Test func `a second reading that is soon after midnight too decides only if it has fallen`() {
        let first = counter(after(nil)).steps(reading(9600, 0.2))
        let second = counter(first.batch.cursor!).steps(reading(9650, 0.6))
        #expect(second.isUndecided && second.batch.samples == [])
        let third = counter(second.batch.cursor!).steps(reading(20, 1.2))
        #expect(third.batch.samples.map(\.steps) == [20, 9650])
    }

    @Test func `a first reading without a second one that day is credited to the day before if implausible`() {
        let first = counter(after(nil)).steps(reading(9600, 0.2))
        let next = counter(first.batch.cursor!).steps(reading(500, 24 + 9))
        #expect(next.batch.samples.map(\.steps) == [9600, 500])
        #expect(next.batch.samples.map(\.day) == [day.advanced(by: -1), day.advanced(by: 1)])
        #expect(!next.notices.contains(.counterRestarted))
    }

    /// Read at 01:00 each night, before a reset at 02:00: a value below that of the night before decides nothing.
    @Test func `nights before a late reset credit each value to the day before`() {
        var cursor = after(nil)
        var steps: [Day: Int] = [:]
        for (value, hours) in [(9600, 0.3), (3000, 24.3), (2000, 48.3), (10, 60)] {
            let result = counter(cursor).steps(reading(value, hours))
            for sample in result.batch.samples { steps[sample.day, default: 0] += sample.steps }
            cursor = result.batch.cursor ?? cursor
            #expect(!result.notices.contains(.counterRestarted))
        }
        #expect(steps[day.advanced(by: -1)] == 9600)
        let credited = steps[day] ?? 0
        #expect((2900...3000).contains(credited))
        let walked = 9600 + 3000 + 2000 + 10
        let stored = steps.values.reduce(0, +)
        #expect(stored == walked)
    }

    // MARK: Resets hours after midnight

    @Test func `a value that is unchanged after midnight is not counted for today`() {
        let first = counter(after(reading(8000, -1.0 / 12))).steps(reading(8000, 4.25))
        #expect(first.batch.samples == [] && first.isUndecided)
        #expect(first.notices == [.undecided(steps: 8000)])
        let second = counter(first.batch.cursor!).steps(reading(2000, 12))
        #expect(second.batch.samples.map(\.steps) == [2000])
        #expect(second.batch.samples.map(\.day) == [day])
        #expect(second.notices == [], "no restart")
    }

    @Test func `an undecided value that has not fallen hours later is not credited`() {
        var cursor = after(reading(8000, -1.0 / 12))
        for (value, hours) in [(8000, 0.5), (8000, 4.25), (8100, 9)] {
            let result = counter(cursor).steps(reading(value, hours))
            #expect(result.batch.samples == [] && result.isUndecided, "at \(hours)")
            cursor = result.batch.cursor!
        }
        let result = counter(cursor).steps(reading(30, 10))
        #expect(result.batch.samples.map(\.steps) == [30, 100])
    }

    @Test func `growth beyond yesterday's last value is counted where it does not fit before midnight`() {
        var cursor = after(reading(8000, -1.0 / 60))
        cursor.undecided = reading(9000, 5)
        let result = counter(cursor).steps(reading(30, 10))
        #expect(result.batch.samples.map(\.steps).reduce(0, +) == 1030)
        let isPlausible = result.batch.samples.allSatisfy(\.isPlausible)
        #expect(isPlausible)
    }

    @Test func `a higher value in the afternoon waits, and counts in the evening`() {
        let last = reading(8000, -1.0 / 12)
        let afternoon = counter(after(last)).steps(reading(9000, 15))
        #expect(afternoon.isUndecided && afternoon.batch.samples == [])
        let evening = counter(afternoon.batch.cursor!).steps(reading(9200, 20))
        #expect(evening.batch.samples.map(\.steps) == [9200])
        #expect(evening.batch.samples.map(\.day) == [day])
        #expect(counter(after(last)).steps(reading(9000, 20)).batch.samples.map(\.steps) == [9000])
    }

    @Test func `a day between two readings contains a reset`() {
        let result = counter(after(reading(3000, -3))).steps(reading(3100, 21))
        #expect(result.batch.samples.map(\.steps) == [3100])
        #expect(counter(after(reading(3000, -3))).steps(reading(3100, 19)).isUndecided)
    }

    @Test func `an unchanged counter that is never reset is not counted again`() {
        var cursor = after(reading(8000, -2))
        var steps = 0
        for hours in stride(from: 4.25, to: 200, by: 8) {
            let result = counter(cursor).steps(reading(8000, hours))
            steps += result.batch.samples.reduce(0) { $0 + $1.steps }
            cursor = result.batch.cursor ?? cursor
        }
        #expect(steps == 0)
        #expect(counter(cursor).steps(reading(40, 201)).batch.samples.map(\.steps) == [40])
    }
}
