import StepDomain
import Testing

@testable import StepDatabase

@Suite struct CoverageTests {
    /// Hours of the day in numbers: merging pairs of them gives what is listed.
    @Test(arguments: [
        ([0, 1, 2, 3], [0, 1, 2, 3]),                       // apart
        ([2, 3, 0, 1], [0, 1, 2, 3]),                       // apart, the later first
        ([0, 1, 1, 2], [0, 2]),                             // adjoining
        ([1, 2, 0, 1], [0, 2]),
        ([0, 2, 1, 3], [0, 3]),                             // overlapping
        ([0, 3, 1, 2], [0, 3]),                             // inside
        ([1, 2, 0, 3], [0, 3]),                             // around
        ([0, 1, 2, 3, 4, 5, 1, 4], [0, 5]),                 // bridging three
        ([0, 1, 4, 5, 8, 9, 3, 6], [0, 1, 3, 6, 8, 9]),     // around the middle one
        ([0, 1, 0, 1], [0, 1]),                             // again
        ([5, 5], []),                                       // empty
    ])
    func spansMerge(hours: [Int], expected: [Int]) throws {
        try withFixture { history in
            for span in spans(hours) {
                _ = try history.database.merge(SampleBatch(coverage: [span]), sync: history.sync)
            }
            #expect(try history.data().tracks.flatMap(\.coverage) == spans(expected))
        }
    }

    @Test func everyOrderGivesTheSame() throws {
        // All 24 orders of four spans, one of which fills a gap.
        let pieces = spans([0, 2, 3, 5, 2, 3, 7, 8])
        for order in permutations(pieces) {
            try withFixture { history in
                _ = try history.database.merge(SampleBatch(coverage: order), sync: history.sync)
                #expect(try history.data().tracks.first?.coverage == spans([0, 5, 7, 8]))
            }
        }
    }

    @Test func onlySpansThatTouchTheDayAreTold() throws {
        try withFixture { history in
            let before = TimeSpan(midnight - 7200, midnight)
            let across = TimeSpan(midnight + 86_000, midnight + 90_000)
            let after = TimeSpan(midnight + 100_000, midnight + 100_001)
            _ = try history.database.merge(SampleBatch(coverage: [before, across, after]), sync: history.sync)
            #expect(try history.data().tracks.first?.coverage == [across])
        }
    }

    @Test func spansOutOfTheCalendarAreCut() throws {
        try withFixture { history in
            let span = TimeSpan(Timestamp(.min), Timestamp(.max))
            _ = try history.database.merge(SampleBatch(coverage: [span]), sync: history.sync)
            #expect(try history.data().tracks.first?.coverage == [TimeSpan(Timestamp(0), Timestamp(253_402_300_800))])
        }
    }

    private func spans(_ hours: [Int]) -> [TimeSpan] {
        stride(from: 0, to: hours.count, by: 2).map {
            TimeSpan(midnight + hours[$0] * 3600, midnight + hours[$0 + 1] * 3600)
        }
    }

    private func permutations<T>(_ items: [T]) -> [[T]] {
        guard items.count > 1 else { return [items] }
        return items.indices.flatMap { i in
            var rest = items
            let item = rest.remove(at: i)
            return permutations(rest).map { [item] + $0 }
        }
    }
}
