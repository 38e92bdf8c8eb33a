import ArgumentParser
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
        ("all", .all, nil), ("2013-W01", .week, "2012-12-31"), ("2009w53", .week, "2009-12-28"),
    ])
    func `words select a week, month or year`(_ words: String, _ named: PeriodRequest.Named, _ day: String?) throws {
        let today = try #require(Day("2014-04-20"))
        let request = try PeriodArgument(words: words.split(separator: " ").map(String.init)).request(today: today)
        let isISOWeek = words.lowercased().contains("w") && !words.contains("week")
        #expect(request == PeriodRequest(named: named, day: day.flatMap { Day($0) }, isISOWeek: isISOWeek))
    }

    @Test(arguments: [
        ("2013-W53", "not a period"), ("2013-W00", "not a period"), ("w", "not a period"), ("2013-13", "not a period"),
        ("2014-04-01 yesterday", "--from 2014-04-01 --to yesterday"),
    ])
    func `what is no period is refused`(_ words: String, _ message: String) {
        let error = #expect(throws: ValidationError.self) {
            try PeriodArgument(words: words.split(separator: " ").map(String.init))
        }
        #expect(error?.message.contains(message) == true)
    }

    @Test(arguments: ["week", "2014", "2014-04", "2014-W16", "all"])
    func `a period in place of a day is named with the command for it`(_ word: String) {
        let error = #expect(throws: ValidationError.self) { try DayArgument(word: word) }
        #expect(error?.message.contains("istep history \(word)") == true)
    }

    @Test func `a day is a range of one day`() throws {
        let today = try #require(Day("2014-04-20")), yesterday = today.advanced(by: -1)
        #expect(
            try PeriodArgument(words: ["yesterday"]).request(today: today)
                == PeriodRequest(first: yesterday, last: yesterday))
    }
}

struct TimeArgumentTests {
    @Test(arguments: [
        ("10:30", 37_800), ("24:00", 86_400), ("3:30pm", 55_800), ("3:30 PM", 55_800), ("12am", 0), ("12:15am", 900),
        ("12pm", 43_200), ("1 a.m.", 3600),
    ])
    func `a time is read with 24 hours or with 12`(_ text: String, _ seconds: Int) throws {
        #expect(try ArgumentRules.time(text) == seconds)
    }

    @Test(arguments: ["13pm", "0am", "3:60pm", "3", "24:01", "3:5pm", "pm"])
    func `what is no time is refused`(_ text: String) {
        #expect(throws: (any Error).self) { try ArgumentRules.time(text) }
    }
}
