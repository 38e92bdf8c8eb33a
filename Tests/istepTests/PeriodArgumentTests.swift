import StepDomain
import StepServices
import Testing

@testable import istep

struct PeriodArgumentTests {
    @Test(arguments: [
        ("week", PeriodRequest.Named.week, nil), ("last week", .week, "2014-04-13"),
        ("last month", .month, "2014-03-31"),
        ("last year", .year, "2013-12-31"), ("2013", .year, "2013-01-01"), ("2013-02", .month, "2013-02-01"),
        ("THIS month", .month, nil),
        ("all", .all, nil),
    ])
    func `words select a week, month or year`(_ words: String, _ named: PeriodRequest.Named, _ day: String?) throws {
        let today = try #require(Day("2014-04-20"))
        let request = try PeriodArgument(words: words.split(separator: " ").map(String.init)).request(today: today)
        #expect(request == PeriodRequest(named: named, day: day.flatMap { Day($0) }))
    }

    @Test func `a day is a range of one day`() throws {
        let today = try #require(Day("2014-04-20")), yesterday = today.advanced(by: -1)
        #expect(
            try PeriodArgument(words: ["yesterday"]).request(today: today)
                == PeriodRequest(first: yesterday, last: yesterday))
    }
}
