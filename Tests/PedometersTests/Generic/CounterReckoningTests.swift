import StepDomain
import Testing

@testable import Pedometers

@Suite struct CounterReckoningTests {
    private let day = Day("2026-05-20")!
    private let zone = LocalTime.fixed(3600)
    private var midnight: Timestamp { zone.moment(day) }

    private func reading(_ value: Int, _ hours: Double) -> CounterReading {
        CounterReading(at: midnight + Int(hours * 3600), value: value, utcOffset: 3600)
    }

    private func reckoning(_ cursor: PedometerCursor, modulus: Int = 1 << 32) -> CounterReckoning {
        CounterReckoning(cursor: cursor, localTime: zone, modulus: modulus)
    }

    private func after(_ last: CounterReading?) -> PedometerCursor { PedometerCursor(readThrough: last?.at, counter: last) }

    // MARK: A counter that only grows

    @Test func theFirstReadingIsOnlyABeginning() {
        let result = reckoning(after(nil)).stepsInAll(reading(5000, 10))
        #expect(result.batch.samples.isEmpty)
        #expect(result.batch.coverage.isEmpty)
        #expect(result.batch.cursor?.counter?.value == 5000)
    }

    @Test func theDifferenceIsWhatWasWalked() {
        let result = reckoning(after(reading(5000, 10))).stepsInAll(reading(5600, 12))
        #expect(result.batch.samples == [StepSample(start: midnight + 36_000, length: 7200, steps: 600, utcOffset: 3600)])
        #expect(result.batch.coverage == [TimeSpan(midnight + 36_000, midnight + 43_200)])
    }

    @Test func aSpanOverMidnightIsSharedByTimeAndKeepsItsSum() {
        let result = reckoning(after(reading(0, -1))).stepsInAll(reading(1001, 3))
        #expect(result.batch.samples.map(\.steps) == [250, 751])
        #expect(result.batch.samples.map(\.day) == [day.advanced(by: -1), day])
    }

    @Test func aRestartIsToldAndWhatCameAfterCounts() {
        let result = reckoning(after(reading(5000, 10))).stepsInAll(reading(40, 12))
        #expect(result.batch.samples.map(\.steps) == [40])
        #expect(result.batch.coverage == [])      // what it took with it is in there
        #expect(result.notices == [.counterRestarted])
    }

    @Test func aSmallCounterRunsOver() {
        let result = reckoning(after(reading(65_000, 10)), modulus: 65_536).stepsInAll(reading(300, 12))
        #expect(result.batch.samples.map(\.steps) == [836])
        #expect(result.notices.isEmpty)
    }

    @Test func anImpossibleValueIsKeptApartAndNotMeasuredAgainst() {
        let result = reckoning(after(reading(5000, 10))).stepsInAll(reading(4_000_000_000, 10.5))
        #expect(result.batch.samples.map(\.isPlausible) == [false])
        #expect(result.batch.cursor == nil)
        #expect(result.batch.coverage.isEmpty)
    }

    @Test func aMachineClockPutBackChangesNothing() {
        #expect(reckoning(after(reading(5000, 10))).stepsInAll(reading(5100, 9)) == CounterReckoning.Result())
    }

    // MARK: A counter that midnight sets back

    @Test func theFirstReadingOfTodayCountsFromMidnight() {
        let result = reckoning(after(nil)).stepsOfToday(reading(4000, 10))
        #expect(result.batch.samples == [StepSample(start: midnight, length: 36_000, steps: 4000, utcOffset: 3600)])
        #expect(result.batch.coverage == [TimeSpan(midnight, midnight + 36_000)])
    }

    @Test func laterTodayCountsTheDifference() {
        let result = reckoning(after(reading(4000, 10))).stepsOfToday(reading(4500, 11))
        #expect(result.batch.samples.map(\.steps) == [500])
    }

    @Test func aRestartTodayKeepsWhatWasCreditedBefore() {
        let result = reckoning(after(reading(4000, 10))).stepsOfToday(reading(70, 11))
        #expect(result.batch.samples.map(\.steps) == [70])
        #expect(result.batch.coverage == [])
        #expect(result.notices == [.counterRestarted])
    }

    @Test func aNewDayCountsFromMidnightAndTellsWhatIsMissing() {
        let result = reckoning(after(reading(9000, -2))).stepsOfToday(reading(500, 8))
        #expect(result.batch.samples == [StepSample(start: midnight, length: 8 * 3600, steps: 500, utcOffset: 3600)])
        #expect(result.notices == [.dayNotClosed(day.advanced(by: -1))])
    }

    @Test func soonAfterMidnightAValueNotFallenIsDoubtful() {
        let result = reckoning(after(reading(9000, -2))).stepsOfToday(reading(9100, 0.1))
        #expect(result.batch.samples.isEmpty)
        #expect(result.batch.cursor?.quarantined?.value == 9100)
        #expect(result.batch.cursor?.counter?.value == 9000)
    }

    @Test func fallenSinceTheDoubtfulValueCompletesYesterday() {
        var cursor = after(reading(9000, -2))
        cursor.quarantined = reading(9100, 0.1)
        let result = reckoning(cursor).stepsOfToday(reading(800, 8))
        #expect(result.batch.samples.map(\.steps) == [800, 100])
        #expect(result.batch.samples.map(\.day) == [day, day.advanced(by: -1)])
        #expect(result.batch.coverage.contains(TimeSpan(midnight - 7200, midnight)))
        #expect(result.batch.cursor?.quarantined == nil)
        #expect(result.notices.isEmpty)
    }

    @Test func notFallenSinceTheDoubtfulValueWasTodays() {
        var cursor = after(reading(90, -2))
        cursor.quarantined = reading(100, 0.1)
        let result = reckoning(cursor).stepsOfToday(reading(800, 8))
        #expect(result.batch.samples.map(\.steps) == [800])
        #expect(result.notices == [.dayNotClosed(day.advanced(by: -1))])
    }

    @Test func aDoubtfulValueThatNoSecondOneSettlesIsNotLost() {
        var cursor = after(reading(1000, -2))
        cursor.quarantined = reading(1200, 1)
        let result = reckoning(cursor).stepsOfToday(reading(700, 32))
        #expect(result.batch.samples.map(\.steps) == [133, 67, 700])
        #expect(result.batch.samples.map(\.day) == [day.advanced(by: -1), day, day.advanced(by: 1)])
        #expect(result.batch.coverage == [TimeSpan(midnight + 86_400, midnight + 32 * 3600)])
        #expect(result.notices == [.dayNotClosed(day.advanced(by: -1)), .dayNotClosed(day)])
        #expect(result.batch.cursor == after(reading(700, 32)))
    }

    @Test func readNightAfterNightEachDoubtIsLeftForTheNext() {
        var cursor = after(reading(1000, -2))
        var steps = 0
        for (value, hours) in [(1200, 1.0), (5000, 25), (6000, 49), (10, 60)] {
            let result = reckoning(cursor).stepsOfToday(reading(value, hours))
            steps += result.batch.samples.reduce(0) { $0 + $1.steps }
            cursor = result.batch.cursor ?? cursor
        }
        // 1,000 were told before; the last one shows that the 6,000 were yesterday's, and counts from its own midnight.
        #expect(steps == 6000 - 1000 + 10)
        #expect(cursor == after(reading(10, 60)))
    }

    @Test func aDoubtfulValueOfADayNeverReadCountsWhole() {
        var cursor = after(reading(900, -48))
        cursor.quarantined = reading(1000, 0.5)
        let result = reckoning(cursor).stepsOfToday(reading(10, 8))
        #expect(result.batch.samples.map(\.steps) == [10, 1000])
        #expect(result.batch.samples.map(\.start) == [midnight, midnight - 86_400])
        #expect(result.notices == [.dayNotClosed(day.advanced(by: -2))])
    }

    @Test func inTheEveningAGreaterValueIsTodays() {
        let result = reckoning(after(reading(9000, -2))).stepsOfToday(reading(11_000, 21))
        #expect(result.batch.samples.map(\.steps) == [11_000])
    }
}
