import StepDomain
import Testing

@testable import Pedometers

/// What a counter of today shows live, and what of it is stored.
@Suite(.timeLimit(.minutes(5))) struct LiveCounterTests: CounterReadings {
    private func live(_ cursor: PedometerCursor, known: Int) -> LiveCounter { LiveCounter(cursor, known: known) }

    @Test func `after a restart the steps made before it remain`() {
        var live = live(after(reading(1_000, 9)), known: 1_000)
        #expect(live.steps(1_200, on: day) == 1_200)
        #expect(live.steps(19, on: day) == 1_219)
        #expect(live.steps(25, on: day) == 1_225)
    }

    @Test func `a new day begins with no steps, whenever the counter is set to zero`() {
        let next = day.advanced(by: 1)
        var prompt = live(after(reading(1_000, 9)), known: 1_300)
        #expect(prompt.steps(1_100, on: day) == 1_400)
        #expect(prompt.steps(0, on: next) == 0)
        #expect(prompt.steps(7, on: next) == 7)
        var late = live(after(reading(1_000, 9)), known: 1_000)
        #expect(late.steps(1_100, on: day) == 1_100)
        #expect(late.steps(1_150, on: next) == 50)
        #expect(late.steps(3, on: next) == 53)
        // Nothing was walked between the reading and midnight.
        var resting = live(after(reading(1_000, 9)), known: 1_000)
        #expect(resting.steps(0, on: next) == 0)
        #expect(resting.steps(7, on: next) == 7)
        var asleep = live(after(reading(1_000, 9)), known: 1_000)
        #expect(asleep.steps(1_020, on: next) == 20)
    }

    @Test func `after an impossible value the steps go on`() {
        var live = live(after(reading(4_000, 9)), known: 900)
        #expect(live.steps(536_870_912, on: day) == nil)
        #expect(live.steps(4_020, on: day) == 920)
    }

    @Test func `without a reading the counter is shown as it is, and an undecided one by its growth`() {
        var first = live(PedometerCursor(), known: 0)
        #expect(first.steps(300, on: day) == 300)
        var cursor = after(reading(1_000, -3))
        cursor.undecided = reading(1_500, 7)
        var undecided = live(cursor, known: 0)
        #expect(undecided.steps(1_520, on: day) == 20)
        #expect(undecided.steps(250_000, on: day) == nil)
    }

    @Test func `a watch shows its steps, and its counter may be stored`() throws {
        let pedometer = Pedometer.sample(InfiniTime.self, cursor: after(reading(1_000, 9), clockOffset: 0))
        var live = try #require(InfiniTime.live(pedometer, known: 1_000))
        #expect(live.storableCount == nil)
        let now = reading(0, 10).at
        #expect(live.steps(after: [0xb0, 4, 0, 0], at: now, utcOffset: 3_600) == 1_200 && live.storableCount == 1_200)
        #expect(
            live.steps(after: [0xff, 0xff, 0xff, 0x20], at: now, utcOffset: 3_600) == nil && live.storableCount == 1_200
        )
        #expect(live.steps(after: [19, 0, 0, 0], at: now, utcOffset: 3_600) == 1_219 && live.storableCount == 19)
    }

    /// 1,200 shown live at 10:00; a restart; 19 read at 11:00. And 900 shown at 23:58; a midnight; 50 read at 7:00.
    @Test func `what was shown before a restart or a midnight is counted once`() throws {
        var pedometer = Pedometer.sample(InfiniTime.self, cursor: after(reading(1_000, 9), clockOffset: 0))
        func sum(_ batch: SampleBatch?) throws -> Int {
            let batch = try #require(batch)
            pedometer.cursor = try #require(batch.cursor)
            return batch.samples.reduce(0) { $0 + $1.steps }
        }
        func stored(_ reading: CounterReading) throws -> Int {
            try sum(InfiniTime.batch(ofLive: reading, SessionContext(pedometer: pedometer, localTime: zone)))
        }
        func read(_ reading: CounterReading) throws -> Int {
            let counter = CounterOfToday(cursor: pedometer.cursor, localTime: zone, reset: .onTime)
            return try sum(counter.batch(of: reading, clock: clock(reading, clockOffset: 0)))
        }
        #expect(try stored(reading(1_200, 10)) == 200)
        #expect(try read(reading(19, 11)) == 19)
        #expect(try stored(reading(900, 23.96)) == 881)
        #expect(try read(reading(50, 31)) == 50)
    }
}
