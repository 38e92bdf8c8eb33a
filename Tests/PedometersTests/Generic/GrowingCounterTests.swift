import StepDomain
import Testing

@testable import Pedometers

/// A counter that only grows.
@Suite(.timeLimit(.minutes(5))) struct GrowingCounterTests: CounterReadings {
    @Test func `the first reading only starts the count`() {
        let result = growing(after(nil)).steps(reading(5000, 10))
        #expect(result.batch.samples.isEmpty)
        #expect(result.batch.coverage.isEmpty)
        #expect(result.batch.cursor?.counter?.value == 5000)
        #expect(result.notices == [.countingStarted])
    }

    @Test func `the difference between two readings is the number of steps`() {
        let result = growing(after(reading(5000, 10))).steps(reading(5600, 12))
        #expect(
            result.batch.samples == [StepSample(start: midnight + 36_000, length: 7200, steps: 600, utcOffset: 3600)])
        #expect(result.batch.coverage == [TimeSpan(midnight + 36_000, midnight + 43_200)])
    }

    @Test func `steps across midnight are divided by time without loss`() {
        let result = growing(after(reading(0, -1))).steps(reading(1001, 3))
        #expect(result.batch.samples.map(\.steps) == [250, 751])
        #expect(result.batch.samples.map(\.day) == [day.advanced(by: -1), day])
    }

    @Test func `a restart is reported and the steps after it count`() {
        let result = growing(after(reading(5000, 10))).steps(reading(40, 12))
        #expect(result.batch.samples.map(\.steps) == [40])
        #expect(result.batch.coverage == [])  // steps lost in the restart fall into this time
        #expect(result.notices == [.counterRestarted])
    }

    @Test func `an overflow of a small counter is not a restart`() {
        let result = growing(after(reading(65_000, 10)), modulus: 65_536).steps(reading(300, 12))
        #expect(result.batch.samples.map(\.steps) == [836])
        #expect(result.notices.isEmpty)
    }

    @Test func `an implausible value is not used for the next difference`() throws {
        let result = growing(after(reading(5000, 10))).steps(reading(4_000_000_000, 10.5))
        #expect(result.batch.samples.map(\.isPlausible) == [false])
        #expect(result.batch.cursor?.counter == reading(5000, 10))
        #expect(result.batch.coverage.isEmpty)
        let next = growing(try #require(result.batch.cursor)).steps(reading(5100, 11))
        #expect(next.batch.samples.map(\.steps) == [100] && next.notices.isEmpty)
        #expect(next.batch.cursor?.alternative == nil)
    }

    /// The whole count was stored as the steps of a day.
    @Test func `a low value between two that fit is a glitch`() throws {
        let low = growing(after(reading(100_000, 8))).steps(reading(0, 9))
        #expect(low.batch.samples.isEmpty && low.notices == [.counterRestarted])
        let cursor = try #require(low.batch.cursor)
        for (value, hour) in [(100_020, 9.25), (100_800, 14.75)] {
            let next = growing(cursor).steps(reading(value, hour))
            #expect(next.batch.samples.map(\.steps) == [value - 100_000] && next.notices.isEmpty, "\(value)")
            #expect(next.batch.coverage == [TimeSpan(reading(0, 8).at, reading(0, hour).at)])
            #expect(next.batch.cursor?.counter?.value == value && next.batch.cursor?.alternative == nil)
        }
        // It has restarted, and has come as far again within a day.
        let restarted = growing(after(reading(500, 8))).steps(reading(0, 9))
        let later = growing(try #require(restarted.batch.cursor)).steps(reading(4_000, 20))
        #expect(later.batch.samples.map(\.steps) == [4_000])
    }

    /// It was reported for a week, and then stored.
    @Test func `a count that jumps for good goes on from where it is, and no day gets the jump`() throws {
        var cursor = after(reading(5_000, 8)), steps: [Int] = []
        for (index, value) in [3_005_000, 3_012_000, 3_019_000].enumerated() {
            let result = growing(cursor).steps(reading(value, 32 + 24 * Double(index)))
            steps += result.batch.samples.filter(\.isPlausible).map(\.steps)
            cursor = result.batch.cursor ?? cursor
        }
        #expect(steps.reduce(0, +) == 14_000)
        let week = growing(after(reading(5_000, 8))).steps(reading(3_005_000, 8 + 24 * 7))
        #expect(week.batch.samples.isEmpty && week.notices == [.implausible(samples: 1)])
        #expect(week.batch.cursor?.counter?.value == 5_000)
    }

    @Test func `a machine clock set back a little changes nothing`() {
        #expect(growing(after(reading(5000, 10))).steps(reading(5100, 9.975)) == CounterResult())
    }

    @Test func `a cursor in the future does not stop a counter`() throws {
        let ahead = growing(after(reading(5000, 30 * 24))).steps(reading(5600, 12))
        #expect(
            ahead.batch.samples.isEmpty && ahead.batch.cursor?.counter == reading(5600, 12)
                && ahead.notices == [.countingStarted])
        let next = growing(try #require(ahead.batch.cursor)).steps(reading(5700, 13))
        #expect(next.batch.samples.map(\.steps) == [100])
        // As far as clocks drift, it is waited for.
        let drifted = growing(after(CounterReading(at: reading(0, 12).at + 60, value: 5000, utcOffset: 3600)))
        #expect(drifted.steps(reading(5600, 12)) == CounterResult())
    }
}
