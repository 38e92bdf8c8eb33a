import StepDomain
import StepServices
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct StepStatisticsTests {
    private let localTime = LocalTime.berlin
    private var today: Day { localTime.day(of: now) }
    private var now: Timestamp { localTime.at("2014-04-20", 15) }

    @Test func `figures reach from the first known day to today`() async throws {
        let history = InMemoryHistory()
        let user = history.addUser(named: "Ada")
        let service = StepStatistics(history, localTime: localTime, now: { [now] in now })
        let nothing = try await service.figures(of: user)
        #expect(nothing.days.isEmpty && nothing.today == today && nothing.known == nil)

        history.setPlan(SportPlan(validFrom: Day(daysSince1970: 0), everyDay: 6000), of: user.id)
        history.setCorrection(7000, of: user.id, on: today.advanced(by: -3), at: now)
        // A clock that is fast claims a day that has not begun.
        history.setCorrection(9, of: user.id, on: today.advanced(by: 2), at: now)
        let figures = try await service.figures(of: user)
        #expect(figures.known == today.advanced(by: -3)...today)
        #expect(figures.days.map(\.steps) == [7000, nil, nil, nil] && figures.days.last?.isInProgress == true)
        #expect(figures.streaks.longest?.count == 1)
    }

    @Test func `a cancelled calculation ends`() async throws {
        let history = InMemoryHistory()
        let user = history.addUser(named: "Ada")
        history.setCorrection(7000, of: user.id, on: today, at: now)
        let service = StepStatistics(history, localTime: localTime, now: { [now] in now })
        struct Enough: Error {}
        // The default of the port calculates all at once; what progress throws ends the call of a history that reports
        // any.
        #expect(try service.figures(of: user, progress: { _, _ in throw Enough() }).days.count == 1)
    }
}

@Suite(.timeLimit(.minutes(5))) struct PeriodRequestTests {
    private let today = Day("2014-04-20") ?? Day(daysSince1970: 0)
    private var known: ClosedRange<Day> { today.advanced(by: -400)...today }
    private func day(_ word: String) -> Day { Day(word) ?? today }

    private func period(_ request: PeriodRequest, known: ClosedRange<Day>?) throws -> Period {
        try request.period(in: known, today: today, weekStart: .monday)
    }

    @Test func `the default period is the last thirty days`() throws {
        #expect(try period(PeriodRequest(), known: known).days == day("2014-03-22")...today)
        #expect(try period(PeriodRequest(), known: nil).count == 30)
    }

    @Test func `a named period is the current one or the one that contains the given day`() throws {
        #expect(try period(PeriodRequest(named: .week), known: known).days == day("2014-04-14")...today)
        #expect(
            try period(PeriodRequest(named: .month, day: day("2014-02-03")), known: known).days == day(
                "2014-02-01")...day("2014-02-28"))
        #expect(try period(PeriodRequest(named: .year), known: known).unit == .year)
        #expect(try period(PeriodRequest(named: .all), known: known).days == known)
        #expect(try period(PeriodRequest(named: .all), known: nil).days == today...today)
    }

    @Test func `a week of ISO 8601 begins on Monday, wherever the user's begin`() throws {
        var request = PeriodRequest(named: .week, day: day("2014-04-07"))
        func days() throws -> ClosedRange<Day> {
            try request.period(in: known, today: today, weekStart: .sunday).days
        }
        #expect(try days() == day("2014-04-06")...day("2014-04-12"))
        request.isISOWeek = true
        #expect(try days() == day("2014-04-07")...day("2014-04-13"))
    }

    @Test func `a range may be open at one end`() throws {
        #expect(try period(PeriodRequest(first: day("2014-04-01")), known: known).days == day("2014-04-01")...today)
        #expect(
            try period(PeriodRequest(last: day("2014-04-01")), known: known).days == known
                .lowerBound...day("2014-04-01"))
        #expect(
            try period(PeriodRequest(last: day("2014-04-01")), known: nil).days == day("2014-04-01")...day("2014-04-01")
        )
    }

    @Test func `a reversed range and a range of days to come are rejected, and one before the history is not`() throws {
        let (early, late) = (day("2014-04-01"), day("2014-04-02"))
        #expect(throws: ServiceError.rangeReversed(late, early)) {
            try period(PeriodRequest(first: late, last: early), known: known)
        }
        let tomorrow = today.advanced(by: 1)
        for request in [
            PeriodRequest(first: tomorrow), PeriodRequest(last: tomorrow), PeriodRequest(named: .week, day: tomorrow),
        ] {
            #expect(throws: ServiceError.dayNotBegun(tomorrow, today: today)) { try period(request, known: known) }
        }
        let before = known.lowerBound.advanced(by: -1)
        #expect(try period(PeriodRequest(last: before), known: known).days == before...before)
        let asked = day("2000-01-01")
        #expect(
            try period(PeriodRequest(named: .month, day: asked), known: known).days == asked...day("2000-01-31"))
        #expect(ServiceError.rangeReversed(late, early).category == .usage)
    }
}
