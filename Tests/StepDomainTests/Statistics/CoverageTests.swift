import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct CoverageTests {
    private func span(_ start: Int, _ end: Int) -> TimeSpan { TimeSpan(Timestamp(start), Timestamp(end)) }

    @Test func `spans are merged in any order`() {
        let coverage = Coverage([span(50, 60), span(0, 10), span(10, 20), span(15, 18), span(30, 30)])
        #expect(coverage.spans == [span(0, 20), span(50, 60)])
    }

    @Test func `covered seconds are clipped to the span`() {
        let coverage = Coverage([span(0, 20), span(50, 60)])
        #expect(coverage.seconds(of: span(10, 55)) == 15)
        #expect(coverage.seconds(of: span(20, 50)) == 0)
    }

    @Test func `gaps are the uncovered parts of a span`() {
        let coverage = Coverage([span(10, 20), span(50, 60)])
        #expect(coverage.gaps(in: span(0, 100)) == [span(0, 10), span(20, 50), span(60, 100)])
        #expect(coverage.gaps(in: span(10, 20)).isEmpty)
        #expect(Coverage([]).gaps(in: span(1, 2)) == [span(1, 2)])
    }
}
