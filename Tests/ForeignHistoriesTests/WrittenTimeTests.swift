import StepDomain
import Testing

@testable import ForeignHistories

@Suite struct WrittenTimeTests {
    private func time(_ text: String, _ order: WrittenTime.Order? = nil) -> String? {
        guard let time = WrittenTime(Array(text.utf8)[...], order: order) else { return nil }
        if let moment = time.moment { return "\(moment.seconds)" }
        let clock = time.clock.map { " \($0)" } ?? ""
        return "\(time.day)\(clock)\(time.utcOffset.map { " \($0)" } ?? "")"
    }

    @Test(arguments: [
        ("2014-04-20", "2014-04-20"), ("2014/4/2", "2014-04-02"), ("2014.04.20", "2014-04-20"),
        ("20140420", "2014-04-20"),
        ("20-Apr-2014 00:05", "2014-04-20 300"), ("Apr 20, 2014", "2014-04-20"), ("20. Mai 2014", "2014-05-20"),
        ("2014-04-20T10:00:30Z", "2014-04-20 36030 0"), ("2014-04-20 10:00:30.250 +0200", "2014-04-20 36030 7200"),
        ("2014-04-20T10:00-03:30", "2014-04-20 36000 -12600"), ("2014-04-20 1:05 PM", "2014-04-20 47100"),
        ("2014-04-20 12:05 am", "2014-04-20 300"), ("1398000000", "1398000000"), ("1398000000123", "1398000000"),
        ("2014-04-20T24:00", "2014-04-21 0"), ("2014-12-31 24:00:00Z", "2015-01-01 0 0"),
        ("2014-04-20 1:05\u{202f}PM", "2014-04-20 47100"), ("2014-04-20 1:05 p. m.", "2014-04-20 47100"),
        ("2014-04-20 1:05 a.m.", "2014-04-20 3900"), ("2014. 4. 20.", "2014-04-20"),
    ])
    func `dates that can be read in one way`(text: String, read: String) { #expect(time(text) == read) }

    @Test func `the order of a date of digits is the given one`() {
        #expect(time("1/2/20 1:11", .monthFirst) == "2020-01-02 4260")
        #expect(time("1/2/2020", .dayFirst) == "2020-02-01")
        #expect(time("13/2/2020", .monthFirst) == nil)
    }

    @Test(arguments: [
        "", "steps", "2014-13-01", "2014-04-31", "2014-04-20 25:00", "2014-04-20 10:00 +99", "12", "8705", "<begin>",
    ])
    func `other texts are no dates`(text: String) { #expect(time(text) == nil) }
}
