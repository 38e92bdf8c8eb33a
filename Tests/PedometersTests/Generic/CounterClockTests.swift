import StepDomain
import Testing

@testable import Pedometers

/// A counter of today whose pedometer has a clock that can be read.
@Suite(.timeLimit(.minutes(5))) struct CounterClockTests: CounterReadings {
    @Test func `a clock that is behind midnight credits the steps to yesterday at once`() {
        let first = reading(9600, 0.05)
        #expect(counter(after(nil)).dependsOnClock(first))
        let result = counter(after(nil)).steps(first, clock: clock(first, clockOffset: -300))
        #expect(
            result.batch.samples == [StepSample(start: midnight - 86_400, length: 86_400, steps: 9600, utcOffset: 3600)]
        )
        #expect(result.batch.coverage == [TimeSpan(midnight - 86_400, midnight)])
        #expect(result.notices == [])
        // The reset that follows is no restart, and yesterday is closed.
        let next = counter(result.batch.cursor!).steps(reading(400, 9))
        #expect(next.batch.samples.map(\.steps) == [400])
        #expect(next.notices == [])
    }

    @Test func `a clock on another zone is reported, and its steps are yesterday's`() {
        let first = reading(9600, 0.5)
        let result = counter(after(nil)).steps(first, clock: clock(first, clockOffset: -3600))
        #expect(result.batch.samples.map(\.day) == [day.advanced(by: -1)])
        #expect(result.batch.samples.map(\.steps) == [9600])
        #expect(result.notices == [.clockWasOff(seconds: -3600)])
    }

    @Test func `a correct clock shows that the steps are today's`() {
        let first = reading(900, 0.5)
        let result = counter(after(nil)).steps(first, clock: clock(first, clockOffset: 5))
        #expect(result.batch.samples.map(\.steps) == [900])
        #expect(result.batch.samples.map(\.day) == [day])
    }

    @Test func `a correct clock does not decide a value shortly after midnight`() {
        let first = reading(9600, 0.1)
        #expect(counter(after(nil)).steps(first, clock: clock(first, clockOffset: 5)).isUndecided)
    }

    @Test func `a clock that is hours off determines when the counter was reset`() {
        // 10:00 here, 21:00 of the day before there: it counts since 13:00.
        let first = reading(2100, 10)
        let result = counter(after(nil)).steps(first, clock: clock(first, clockOffset: -13 * 3600))
        #expect(result.batch.coverage == [TimeSpan(midnight - 11 * 3600, midnight + 36_000)])
        #expect(result.batch.samples.map(\.steps).reduce(0, +) == 2100)
        #expect(result.notices == [.clockWasOff(seconds: -13 * 3600)])
        // Its reset at 13:00 is no restart.
        let next = reading(300, 20)
        #expect(counter(result.batch.cursor!).dependsOnClock(next))
        let later = counter(result.batch.cursor!).steps(next, clock: clock(next, clockOffset: -13 * 3600))
        #expect(
            later.batch.samples == [
                StepSample(start: midnight + 13 * 3600, length: 7 * 3600, steps: 300, utcOffset: 3600)
            ])
        #expect(later.notices == [.clockWasOff(seconds: -13 * 3600)])
    }

    @Test func `the pedometer's clock decides about a count after a mark of the future`() {
        let now = reading(600, 12)
        let ahead = counter(after(reading(5000, 30 * 24)))
        #expect(ahead.dependsOnClock(now))
        let result = ahead.batch(of: now, clock: DeviceClock(wall: now.at.seconds + now.utcOffset))
        #expect(result.samples.map(\.steps) == [600] && result.notices.isEmpty)
    }

    @Test func `a clock that is hours behind is used at any time of the day`() {
        // 04:15 here, 22:45 there.
        let night = reading(8050, 4.25)
        #expect(counter(after(reading(8000, -1.0 / 12))).dependsOnClock(night))
        let first = counter(after(reading(8000, -1.0 / 12))).steps(night, clock: clock(night, clockOffset: -19_800))
        #expect(first.batch.samples.map(\.steps) == [50])
        #expect(first.batch.samples.map(\.day) == [day.advanced(by: -1)])
        #expect(first.notices == [.clockWasOff(seconds: -19_800)])
        let next = counter(first.batch.cursor!).steps(reading(2000, 12))
        #expect(next.batch.samples.map(\.steps) == [2000])
        #expect(!next.notices.contains(.counterRestarted))
    }

    @Test func `a clock shows that a higher value is today's`() {
        let afternoon = reading(9000, 15)
        let last = after(reading(8000, -1.0 / 12))
        #expect(counter(last).dependsOnClock(afternoon))
        #expect(
            counter(last).steps(afternoon, clock: clock(afternoon, clockOffset: 3)).batch.samples.map(\.steps) == [9000]
        )
        // At night the clock does not show whether the reset is late.
        let night = reading(8050, 4.25)
        #expect(counter(last).steps(night, clock: clock(night, clockOffset: 3)).isUndecided)
    }

    @Test func `a clock without a date still shows whether its midnight has passed`() {
        let last = after(reading(8000, -1.0 / 12))
        let afternoon = reading(9000, 15)
        let unset = DeviceClock(wall: 15 * 3600)
        #expect(counter(last).steps(afternoon, clock: unset).batch.samples.map(\.steps).reduce(0, +) == 9000)
        let behind = DeviceClock(wall: 22 * 3600)
        #expect(counter(last).steps(afternoon, clock: behind).batch.samples.map(\.steps).reduce(0, +) == 1000)
    }

    @Test func `an ordinary reading does not depend on the clock`() {
        #expect(!counter(after(reading(4000, 10))).dependsOnClock(reading(4500, 11)))
        #expect(!counter(after(reading(9000, -2))).dependsOnClock(reading(500, 8)))
        #expect(counter(after(reading(9000, -2))).dependsOnClock(reading(9100, 0.1)))
    }

    @Test func `the current time is decoded, and an invalid value is rejected`() {
        let value: [UInt8] = [0xea, 0x07, 5, 20, 0, 10, 30, 3, 0, 0]
        #expect(DeviceClock(currentTime: value) == DeviceClock(wall: day.daysSince1970 * 86_400 + 630))
        #expect(DeviceClock(currentTime: Array(value.prefix(6))) == nil)
        #expect(DeviceClock(currentTime: [0, 0, 0, 0, 0, 0, 0]) == nil)
        #expect(DeviceClock(currentTime: [0xea, 0x07, 2, 30, 1, 1, 1]) == nil)
        #expect(DeviceClock(currentTime: [0xea, 0x07, 5, 20, 24, 0, 0]) == nil)
    }
}
