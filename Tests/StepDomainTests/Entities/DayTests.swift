import Foundation
import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct DayTests {
    @Test func `a day equals the day made from its components`() throws {
        for days in stride(from: -719_162, through: 2_932_896, by: 97) {
            let day = Day(daysSince1970: days)
            let parts = day.components
            #expect(Day(year: parts.year, month: parts.month, day: parts.day) == day)
            #expect(Day(day.description) == day)
        }
    }

    @Test(arguments: [
        ("1970-01-01", 0, Weekday.thursday), ("2014-04-20", 16_180, .sunday), ("2000-02-29", 11_016, .tuesday),
        ("1969-12-31", -1, .wednesday), ("0001-01-01", -719_162, .monday), ("9999-12-31", 2_932_896, .friday),
    ])
    func `known days have the right number and weekday`(text: String, days: Int, weekday: Weekday) {
        #expect(Day(text)?.daysSince1970 == days)
        #expect(Day(text)?.weekday == weekday)
        #expect(Day(daysSince1970: days).description == text)
    }

    @Test(arguments: [
        "", "2014", "2014-4-20", "2014-04-31", "2014-02-29", "1900-02-29", "0000-01-01", "2014-13-01", "2014-00-10",
        "2014-04-00", "2014/04/20", " 2014-04-20", "2014-04-20 ", "+014-04-20", "２014-04-2", "20140420xx",
    ])
    func `text that is not a valid date is rejected`(text: String) { #expect(Day(text) == nil) }

    @Test func `a day is encoded in JSON as text`() throws {
        let days = [try #require(Day("2014-04-20"))]
        let json = try JSONEncoder().encode(days)
        #expect(String(decoding: json, as: UTF8.self) == #"["2014-04-20"]"#)
        #expect(try JSONDecoder().decode([Day].self, from: json) == days)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Day].self, from: Data(#"["2014-02-30"]"#.utf8))
        }
    }
}
