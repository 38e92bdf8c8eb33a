import StepDomain
import Testing

/// On 2026-05-20, an hour east of Greenwich, with a reading every 15 minutes.
@Suite(.timeLimit(.minutes(5))) struct ReadingScheduleTests {
    private let localTime = LocalTime.fixed(3600)
    private let schedule = ReadingSchedule(interval: 900)

    /// A time of the day there, as hour and minute.
    private func at(_ hour: Int, _ minute: Int = 0) -> Timestamp {
        localTime.moment(Day(year: 2026, month: 5, day: 20)!, seconds: hour * 3600 + minute * 60)
    }

    private func due(
        _ now: Timestamp, last: Timestamp? = nil, failed: Timestamp? = nil, _ failures: Int = 0, todayOnly: Bool = false
    ) -> Timestamp {
        let standing = ReadingSchedule.State(
            lastComplete: last, lastFailure: failed, failures: failures, holdsTodayOnly: todayOnly)
        return schedule.due(standing, now: now, localTime: localTime)
    }

    @Test func `a pedometer that was never read is due immediately`() { #expect(due(at(12)) == at(12)) }

    @Test func `a pedometer in range is read at intervals`() {
        #expect(due(at(12, 3), last: at(12)) == at(12, 15))
        #expect(due(at(14), last: at(12)) <= at(14))
    }

    @Test func `a reading far in the future is ignored`() {
        #expect(due(at(12), last: at(18)) == at(12))
        #expect(due(at(12), last: at(12) + 30) == at(12, 15) + 30)
    }

    @Test(arguments: [(1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (6, 30), (60, 30), (10_000, 30)])
    func `the backoff after failures grows up to 30 minutes`(failures: Int, minutes: Int) {
        #expect(due(at(12), failed: at(12), failures) == at(12, minutes))
        // But not earlier than the regular reading.
        #expect(due(at(12), last: at(11, 58), failed: at(12), failures) == max(at(12, 13), at(12, minutes)))
    }

    @Test func `a failure with a future time does not delay a sync`() {
        #expect(due(at(12), failed: at(18), 3) == at(12))
    }

    @Test func `a count of today is read once more before midnight`() {
        #expect(due(at(23, 50), last: at(23, 49), todayOnly: true) == at(23, 55))
        #expect(due(at(23, 50), last: at(23, 49), todayOnly: false) == at(24, 4))
        #expect(due(at(23, 56), last: at(23, 55), todayOnly: true) == at(24, 10))
        // After midnight it is the next day, with the regular interval.
        #expect(due(at(24, 1), last: at(23, 55), todayOnly: true) == at(24, 10))
    }

    @Test func `a failure shortly before midnight is retried after a minute`() {
        #expect(due(at(23, 57), last: at(22), failed: at(23, 57), 5, todayOnly: true) == at(23, 58))
        #expect(due(at(23, 57), last: at(22), failed: at(23, 57), 5) == at(24, 13))
        #expect(due(at(23, 57), failed: at(23, 57), 5, todayOnly: true) == at(23, 58))
    }

    @Test func `midnight follows the local time zone`() throws {
        // Clocks are put back at 03:00: the day has 25 hours.
        let day = try #require(Day(year: 2026, month: 10, day: 25))
        let change = Timestamp(day.daysSince1970 * 86_400 + 3600)
        let berlin = LocalTime { $0 < change ? 7200 : 3600 }
        let last = berlin.moment(day, seconds: 0)
        let standing = ReadingSchedule.State(lastComplete: last, holdsTodayOnly: true)
        #expect(
            ReadingSchedule(interval: 86_400 * 2).due(standing, now: last + 60, localTime: berlin) == last + 25 * 3600
                - 300)
    }

    @Test func `an interval is at least one minute`() { #expect(ReadingSchedule(interval: -5).interval == 60) }
}
