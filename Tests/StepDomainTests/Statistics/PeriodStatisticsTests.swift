import TestSupport
import Testing

@testable import StepDomain

/// Days as words: `8000` complete, `8000~` partial, `?` unknown, `8000!` entered by hand; a goal of 6,000 on all days
/// but those marked with `r`, which are rest days. The last is today.
private func figures(_ words: String, from first: String = "2014-03-31", goal: Int? = 6000) -> DaySeries {
    let start = Day(first) ?? Day(daysSince1970: 0)
    let texts = words.split(separator: " ")
    let days = texts.enumerated().map { index, text in
        let isRest = text.contains("r")
        let steps = Int(text.filter(\.isNumber))
        let completeness: DaySummary.Completeness =
            text.contains("?") ? .unknown : text.contains("~") ? .partial : .complete
        let isLast = index == texts.count - 1
        return DayFigures(
            DaySums(
                day: start.advanced(by: index), gaits: GaitSums(walkingSteps: steps ?? 0),
                hours: completeness == .unknown
                    ? [] : Array(repeating: 0, count: 8) + [steps ?? 0] + Array(repeating: 0, count: 15),
                completeness: completeness),
            correction: text.contains("!") ? steps.map { StepCorrection(steps: $0) } : nil, profile: nil,
            plan: goal.map { SportPlan(validFrom: start, everyDay: isRest ? 0 : $0) }, isInProgress: isLast)
    }
    return DaySeries(user: User(id: 1, name: "Ada"), today: days.last?.day ?? start, days: days)
}

private func day(_ word: String) -> Day { Day(word) ?? Day(daysSince1970: 0) }

@Suite(.timeLimit(.minutes(5))) struct PeriodStatisticsTests {
    private let april = Period(.month, containing: day("2014-04-20"))

    @Test func `unknown days never count as zero`() {
        // Monday 31 March to Sunday 6 April, which is running.
        let all = figures("1000 2000 ? 4000~ ? 9000! 500")
        let week = all.statistics(of: Period(.week, containing: day("2014-04-02")))
        #expect(week.total == 16_500)
        #expect(week.mean == 4000, "of the four known days that are over")
        #expect(week.median == 3000)
        #expect(week.best?.day == day("2014-04-05"))
        #expect((week.completeDays, week.partialDays, week.unknownDays, week.daysInProgress) == (3, 1, 2, 1))
        #expect(week.correctedDays == 1 && week.knownDays == 5)
        #expect(week.goalDays == 1 && week.daysWithGoal == 4)
    }

    @Test func `the mean of a week is compared with the goals of the same days, of which rest days demand nothing`() {
        var days = figures("10000 10000 10000 10000 10000 1000 1000").days
        for index in days.indices {
            let isRestDay = index > 4
            (days[index].goal, days[index].isRestDay) = (isRestDay ? nil : 10_000, isRestDay)
            days[index].isInProgress = false
        }
        // Today has another goal, and is not over.
        var today = days[6]
        (today.day, today.goal, today.isInProgress) = (days[6].day.advanced(by: 1), 40_000, true)
        let all = DaySeries(user: User(id: 1, name: "Ada"), today: today.day, days: days + [today])
        let whole = all.statistics(of: Period(days[0].day...today.day))
        #expect(whole.perDay.map { Int($0.steps) } == 7428 && whole.perDayGoal.map { Int($0) } == 7142)
        #expect(whole.meanGoal == 15_000)
    }

    @Test func `a period that has nothing known has no figures`() {
        let all = figures("? ? ?")
        let week = all.statistics(of: Period(.week, containing: day("2014-04-01")))
        #expect(
            week.total == nil && week.mean == nil && week.median == nil && week.best == nil && week.meanGoal == 6000)
        #expect(week.unknownDays == 2 && week.daysInProgress == 1 && week.hourlyMeans.isEmpty)
        #expect(all.statistics(of: Period(.year, containing: day("2013-04-01"))).days.isEmpty)
        #expect(all.comparison(of: Period(.week, containing: day("2014-04-01"))) == nil)
        let nothing = DaySeries(user: User(id: 1, name: "Ada"), today: day("2014-04-01"), days: [])
        #expect(
            nothing.known == nil && nothing.statistics(of: april).days.isEmpty
                && nothing.statistics(of: april, by: .week).isEmpty)
    }

    @Test func `only the days of the period between the first known day and today count`() {
        let all = figures("1000 2000 3000 4000 5000", from: "2014-03-30")
        let month = all.statistics(of: april)
        #expect(month.shown == day("2014-04-01")...day("2014-04-03") && month.total == 12_000 && month.mean == 3500)
        #expect(all.statistics(of: Period(day("2014-01-01")...day("2014-12-31"))).days.count == 5)
        #expect(all[day("2014-01-01")...day("2014-03-30")].map(\.steps) == [1000])
    }

    @Test func `a day in progress whose goal is met counts among the days with a goal`() {
        let all = figures("7000 5000 6000")
        let week = all.statistics(of: Period(.week, containing: day("2014-04-01")))
        #expect(week.goalDays == 2 && week.daysWithGoal == 3 && week.restDays == 0)
        let started = figures("7000 5000 100").statistics(of: Period(.week, containing: day("2014-04-01")))
        #expect(started.goalDays == 1 && started.daysWithGoal == 2)
    }

    @Test func `the parts of a period have all its days once`() {
        let all = figures((0..<120).map { "\($0 * 10)" }.joined(separator: " "), from: "2014-01-15")
        let period = Period(day("2014-01-20")...day("2014-04-10"))
        for unit in Period.Unit.allCases {
            let parts = all.statistics(of: period, by: unit)
            #expect(parts.flatMap(\.days) == all.statistics(of: period).days, "\(unit)")
            #expect(parts.compactMap(\.total).reduce(0, +) == all.statistics(of: period).total)
            #expect(parts.allSatisfy { !$0.days.isEmpty && $0.period.unit == unit })
        }
    }

    @Test func `weekdays and hours are means of known days that are over`() {
        let all = figures("1000 ? 3000 4000 5000 6000 7000 3000 2000! ? 1")
        let statistics = all.statistics(of: Period(.month, containing: day("2014-04-01"), weekStart: .sunday))
        let days = statistics.weekdays
        #expect(days.map(\.weekday) == [.sunday, .monday, .tuesday, .wednesday, .thursday, .friday, .saturday])
        // April: 1 unknown, 2 to 6 with 3000 to 7000, 7 with 3000, 8 corrected to 2000, 9 unknown, 10 is running.
        #expect(days.map(\.mean) == [7000, 3000, 2000, 3000, 4000, 5000, 6000])
        #expect(days.map(\.days) == [1, 1, 1, 1, 1, 1, 1])
        #expect(days[0].mean(hour: 8) == 7000 && days[0].mean(hour: 9) == 0 && days[0].mean(hour: 24) == nil)
        #expect(statistics.hourlyMeans[8] == 30_000.0 / 7)
        #expect(statistics.hourlyMeans.count == 24)
    }

    @Test func `an unknown hour is not included in a mean`() {
        let start = day("2014-04-07")  // a Monday
        // Two Mondays; of the second, nothing is known from 15:00 on, and of a third nothing at all.
        let days = [(0, 24), (7, 15), (14, 0)].map { later, known in
            let hours: [Int?] = Array(repeating: 100, count: known) + Array(repeating: nil, count: 24 - known)
            return DaySums(
                day: start.advanced(by: later), gaits: GaitSums(walkingSteps: 100 * known),
                hours: known == 0 ? [] : hours,
                completeness: known == 24 ? .complete : known == 0 ? .unknown : .partial)
        }
        let all = (0..<15).map { index in
            let sums = days.first { $0.day == start.advanced(by: index) } ?? DaySums(day: start.advanced(by: index))
            return DayFigures(sums, correction: nil, profile: nil, plan: nil, isInProgress: false)
        }
        let statistics = PeriodStatistics(Period(start...start.advanced(by: 14)), all[...])
        let monday = statistics.weekdays[0]
        #expect(monday.mean(hour: 14) == 100 && monday.mean(hour: 15) == 100, "not 50")
        #expect(monday.daysByHour[14] == 2 && monday.daysByHour[15] == 1 && monday.days == 2 && monday.unknownDays == 1)
        #expect(statistics.hourlyMeans[15] == 100)
        let partial = PeriodStatistics(Period(start...start.advanced(by: 14)), all[7...7])
        #expect(partial.hourlyMeans[14] == 100 && partial.hourlyMeans[15] == nil && partial.hourlyMeans.count == 24)
    }

    @Test func `a weekday that has not begun is distinguished from an unknown one`() {
        // Monday and Tuesday, which is running.
        let days = figures("7000 100").statistics(of: Period(.week, containing: day("2014-04-01"))).weekdays
        #expect(days.map(\.isOver) == [true, false, false, false, false, false, false])
        #expect(figures("? 100").statistics(of: Period(.week, containing: day("2014-04-01"))).weekdays[0].isOver)
    }

    @Test func `the running share of a bar is of the days that count in its mean`() throws {
        let start = day("2014-04-07")
        let all = [(3000, 1000), (1000, 0), (8000, 8000)].enumerated().map { index, steps in
            DayFigures(
                DaySums(
                    day: start.advanced(by: index),
                    gaits: GaitSums(walkingSteps: steps.0 - steps.1, runningSteps: steps.1),
                    completeness: .complete),
                correction: nil, profile: nil, plan: nil, isInProgress: index == 2)
        }
        let perDay = try #require(PeriodStatistics(Period(.week, containing: start), all[...]).perDay)
        #expect(perDay.steps == 2000 && perDay.running == 500, "without today")
        let today = try #require(PeriodStatistics(Period(.week, containing: start), all[2...]).perDay)
        #expect(today.steps == 8000 && today.running == 8000)
        #expect(PeriodStatistics(Period(.week, containing: start), []).perDay == nil)
    }

    @Test func `a comparison takes as many days as have elapsed`() throws {
        // 1 March to 3 April, which is running: two days of April beside two of March.
        let words = (1...31).map { $0 <= 2 ? "1000" : "9999" } + ["2000", "3000", "7"]
        let all = figures(words.joined(separator: " "), from: "2014-03-01")
        let comparison = try #require(all.comparison(of: april))
        #expect(
            comparison.days == day("2014-04-01")...day("2014-04-02")
                && comparison.previousDays == day("2014-03-01")...day("2014-03-02"))
        #expect(
            comparison.mean == 2500 && comparison.previousMean == 1000 && comparison.difference == 1500
                && comparison.percentage == 150)
    }

    @Test func `a period of which less than half is known is not compared`() {
        func march(known: Int) -> Comparison? {
            let february = (1...28).map { $0 <= known ? "1000" : "?" }, march = Array(repeating: "2000", count: 31)
            return figures((february + march + ["5"]).joined(separator: " "), from: "2014-02-01").comparison(
                of: Period(.month, containing: day("2014-03-05")))
        }
        #expect(march(known: 3) == nil && march(known: 13) == nil)
        #expect(march(known: 14)?.percentage == 100)
    }

    @Test func `whole periods are compared with whole periods`() throws {
        let words = Array(repeating: "1000", count: 28) + Array(repeating: "2000", count: 31) + ["?", "5"]
        let all = figures(words.joined(separator: " "), from: "2014-02-01")
        let march = try #require(all.comparison(of: Period(.month, containing: day("2014-03-05"))))
        #expect(march.previousDays == day("2014-02-01")...day("2014-02-28") && march.percentage == 100)
        #expect(all.comparison(of: april) == nil, "no day of April is known that is over")
        #expect(all.comparison(of: Period(.month, containing: day("2014-02-05"))) == nil, "nothing is known of January")
        #expect(figures("0 0 8000 9", from: "2014-03-30").comparison(of: april)?.percentage == nil)
        let idle = (Array(repeating: "0", count: 31) + ["8000", "9"]).joined(separator: " ")
        let afterNothing = figures(idle, from: "2014-03-01").comparison(of: april)
        #expect(afterNothing?.difference == 8000 && afterNothing?.percentage == nil)
    }
}

@Suite(.timeLimit(.minutes(5))) struct StreaksTests {
    @Test(arguments: [
        // days, current, longest, count of the last one
        ("7000 7000 100", 2, 2),  // today does not break
        ("7000 7000 7000", 3, 3),  // and counts once it is met
        ("7000 100 7000 5", 1, 1),  // a missed goal ends
        ("7000 50r 7000 5", 2, 2),  // a rest day neither counts nor ends
        ("7000 ?r 7000 5", 2, 2),  // known or not
        ("7000 7000 ? 7000 5", 1, 2),  // an unknown day ends
        ("7000 7000~ 7000 5", 3, 3),  // a partial day that met its goal counts
        ("7000 7000 50~ 7000 5", 1, 2),  // and ends where it did not
        ("7000 100 5", nil, 1), ("100 100 5", nil, nil), ("7000! 7000 5", 2, 2),
    ])
    func `the current and the longest streak follow the same rule`(words: String, current: Int?, longest: Int?) {
        let streaks = figures(words).streaks
        #expect(streaks.current?.count == current)
        #expect(streaks.longest?.count == longest)
    }

    @Test func `a streak has the reason for its end`() {
        #expect(figures("7000 ? 5").streaks.last?.end == .unknown(day("2014-04-01")))
        #expect(figures("7000 9~ 5").streaks.last?.end == .unknown(day("2014-04-01")))
        #expect(figures("7000 9 5").streaks.last?.end == .missed(day("2014-04-01")))
        // More steps than anyone makes are no reached goal.
        #expect(figures("7000 300000 5").streaks.last?.end == .unknown(day("2014-04-01")))
        let streak = figures("9 7000 7000 3r 7000 5").streaks.current
        #expect(streak == Streak(first: day("2014-04-01"), last: day("2014-04-04"), count: 3))
    }

    @Test func `without a plan there are no streaks`() {
        let streaks = figures("7000 8000 9000", goal: nil).streaks
        #expect(streaks.current == nil && streaks.longest == nil && streaks.last == nil)
    }

    @Test func `the latest of equal streaks is the longest one`() {
        let streaks = figures("7000 7000 9 7000 7000 9 5").streaks
        #expect(streaks.longest?.first == day("2014-04-03") && streaks.longest?.end == .missed(day("2014-04-05")))
    }
}
