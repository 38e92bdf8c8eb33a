import Foundation
import StepDomain
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(5))) struct LocalTimeTests {
    private let localTime = LocalTime.berlin

    @Test(arguments: [("2014-04-20", 24), ("2014-03-30", 23), ("2014-10-26", 25), ("2024-02-29", 24)])
    func `a day has 23, 24 or 25 hours`(word: String, hours: Int) throws {
        #expect(localTime.span(of: try #require(Day(word))).length == hours * 3600)
    }

    @Test func `days follow one another without a gap`() throws {
        let first = try #require(Day("2013-12-31"))
        for day in first..<first.advanced(by: 800) {
            #expect(localTime.span(of: day).end == localTime.span(of: day.advanced(by: 1)).start)
            #expect(localTime.day(of: localTime.span(of: day).start) == day)
            #expect(localTime.day(of: localTime.span(of: day).end - 1) == day)
        }
    }

    @Test func `a time that clocks skip maps to the moment of the change`() throws {
        let day = try #require(Day("2014-03-30"))
        let change = localTime.moment(day, seconds: 3 * 3600)
        #expect(localTime.moment(day, seconds: 2 * 3600) == change)
        #expect(localTime.moment(day, seconds: 2 * 3600 + 1800) == change)
        #expect(localTime.moment(day, seconds: 2 * 3600 - 1) == change - 1)
    }

    @Test func `a time that occurs twice maps to its first occurrence`() throws {
        let day = try #require(Day("2014-10-26"))
        #expect(localTime.moment(day, seconds: 9000).iso8601(utcOffset: 7200) == "2014-10-26T02:30:00+02:00")
    }

    @Test(arguments: [
        "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia", "UTC",
    ])
    func `days agree with the calendar of Foundation`(name: String) throws {
        guard let zone = TimeZone(identifier: name) else { return }  // a machine without a zone table
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let localTime = LocalTime.zone(zone)
        for seconds in stride(from: 1_300_000_000, to: 1_420_000_000, by: 1_234_567) {
            let date = Date(timeIntervalSince1970: TimeInterval(seconds))
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            let day = localTime.day(of: Timestamp(seconds))
            #expect(day == Day(year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0))
            #expect(localTime.span(of: day).start.seconds == Int(calendar.startOfDay(for: date).timeIntervalSince1970))
        }
    }

    @Test func `the time zone of the process agrees with Foundation`() {
        for seconds in stride(from: 1_300_000_000, to: 1_420_000_000, by: 12_345_678) {
            let offset = TimeZone.current.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(seconds)))
            #expect(LocalTime.system.utcOffset(Timestamp(seconds)) == offset)
        }
    }
}
