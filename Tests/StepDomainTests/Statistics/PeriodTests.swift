import StepDomain
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct PeriodTests {
    private func period(_ unit: Period.Unit, _ word: String, _ weekStart: Weekday = .monday) throws -> Period {
        Period(unit, containing: try #require(Day(word)), weekStart: weekStart)
    }

    @Test(arguments: [
        (Period.Unit.day, "2014-04-20", "2014-04-20", "2014-04-20"), (.week, "2014-04-20", "2014-04-14", "2014-04-20"),
        (.week, "2014-04-21", "2014-04-21", "2014-04-27"), (.month, "2014-02-11", "2014-02-01", "2014-02-28"),
        (.month, "2016-02-29", "2016-02-01", "2016-02-29"), (.month, "2014-12-31", "2014-12-01", "2014-12-31"),
        (.year, "2014-04-20", "2014-01-01", "2014-12-31"),
    ])
    func `a period has the days of the calendar`(unit: Period.Unit, word: String, first: String, last: String) throws {
        let found = try period(unit, word).days
        #expect("\(found.lowerBound)" == first && "\(found.upperBound)" == last)
    }

    @Test(arguments: [
        (Weekday.sunday, "2014-04-20"), (.saturday, "2014-04-19"), (.monday, "2014-04-14"), (.tuesday, "2014-04-15"),
    ])
    func `a week begins on the chosen weekday`(weekStart: Weekday, first: String) throws {
        let week = try period(.week, "2014-04-20", weekStart)
        #expect("\(week.days.lowerBound)" == first && week.days.lowerBound.weekday == weekStart && week.count == 7)
        #expect(week.isoWeek == nil || weekStart == .monday)
    }

    @Test(arguments: Period.Unit.allCases) func `next and previous periods adjoin and lead back`(unit: Period.Unit)
        throws
    {
        var current = try period(unit, "2015-12-30")
        for _ in 0..<40 {
            let next = try #require(current.next)
            #expect(next.days.lowerBound == current.days.upperBound.advanced(by: 1) && next.previous == current)
            current = next
        }
    }

    @Test func `a range is followed by one with as many days`() throws {
        let range = Period(try #require(Day("2014-04-01"))...(try #require(Day("2014-04-10"))))
        let (previous, next) = (try #require(range.previous), try #require(range.next))
        #expect("\(previous.days)" == "2014-03-22...2014-03-31" && "\(next.days)" == "2014-04-11...2014-04-20")
        #expect(next.previous == range)
    }

    @Test func `the calendar has an end`() throws {
        #expect(try period(.year, "9999-05-05").next == nil && period(.year, "0001-05-05").previous == nil)
        #expect(try period(.day, "9999-12-31").next == nil && period(.day, "0001-01-01").previous == nil)
        #expect(try period(.month, "9999-12-31").days.upperBound == Period.calendar.upperBound)
    }

    /// By ISO 8601, week 1 is that of the first Thursday.
    @Test(arguments: [
        ("2014-12-29", 2015, 1), ("2016-01-03", 2015, 53), ("2014-04-20", 2014, 16), ("2021-01-03", 2020, 53),
    ])
    func `weeks have the numbers of the standard`(word: String, year: Int, week: Int) throws {
        let found = try #require(try period(.week, word).isoWeek)
        #expect(found.year == year && found.week == week)
        #expect(try period(.month, word).isoWeek == nil)
    }
}
