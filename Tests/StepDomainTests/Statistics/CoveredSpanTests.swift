import StepDomain
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(5))) struct CoveredSpanTests {
    private let localTime = LocalTime.berlin

    @Test func `a span is split where the UTC offset changes`() {
        // 2014-03-30 and 2014-10-26, 01:00 UTC.
        let spring = Timestamp(1_396_141_200), autumn = Timestamp(1_414_285_200)
        let year = TimeSpan(localTime.at("2014-01-01", 0), localTime.at("2015-01-01", 0))
        #expect(
            localTime.covered(year) == [
                CoveredSpan(TimeSpan(year.start, spring), utcOffset: 3600),
                CoveredSpan(TimeSpan(spring, autumn), utcOffset: 7200),
                CoveredSpan(TimeSpan(autumn, year.end), utcOffset: 3600),
            ])
        #expect(localTime.covered(TimeSpan(spring - 1, spring + 1)).map(\.span.length) == [1, 1])
        #expect(localTime.covered(TimeSpan(spring, spring + 9)).map(\.utcOffset) == [7200])
        #expect(localTime.covered(TimeSpan(spring - 9, spring)).map(\.utcOffset) == [3600])
        #expect(localTime.covered(TimeSpan(spring, spring)).isEmpty)
    }

    @Test func `the part of a day uses the UTC offset of the span`() throws {
        let day = try #require(Day("2014-04-20"))
        let greenwich = LocalTime.fixed(0).span(of: day)
        #expect(CoveredSpan(greenwich, utcOffset: 0).part(of: day) == greenwich)
        #expect(CoveredSpan(greenwich, utcOffset: 0).part(of: day.advanced(by: 1)) == nil)
        #expect(
            CoveredSpan(greenwich, utcOffset: 7200).part(of: day) == TimeSpan(greenwich.start, greenwich.end - 7200))
        #expect(CoveredSpan(greenwich, utcOffset: 7200).part(of: day.advanced(by: 1))?.length == 7200)
    }

    @Test func `only spans that overlap or adjoin a day decide it`() throws {
        let day = try #require(Day("2014-04-20"))
        let span = localTime.span(of: day)
        let own = CoveredSpan(TimeSpan(span.start, span.start + 3600), utcOffset: 7200)
        let adjoining = CoveredSpan(TimeSpan(span.start - 900, span.start), utcOffset: 3600)
        let fringe = CoveredSpan(TimeSpan(span.start - 9000, span.start - 8000), utcOffset: 7200)
        #expect([fringe, adjoining, own].deciding(day) == [adjoining, own])
        #expect([fringe].deciding(day).isEmpty)
    }
}
