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

    @Test func `an implausible value is not used for the next difference`() {
        let result = growing(after(reading(5000, 10))).steps(reading(4_000_000_000, 10.5))
        #expect(result.batch.samples.map(\.isPlausible) == [false])
        #expect(result.batch.cursor == nil)
        #expect(result.batch.coverage.isEmpty)
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
