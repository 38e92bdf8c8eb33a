import StepDomain
import Testing

@testable import StepDatabase

@Suite(.timeLimit(.minutes(5))) struct CoverageTests {
    /// Hours of the day in numbers: merging pairs of them gives what is listed.
    @Test(arguments: [
        ([0, 1, 2, 3], [0, 1, 2, 3]),  // apart
        ([2, 3, 0, 1], [0, 1, 2, 3]),  // apart, the later first
        ([0, 1, 1, 2], [0, 2]),  // adjoining
        ([1, 2, 0, 1], [0, 2]),
        ([0, 2, 1, 3], [0, 3]),  // overlapping
        ([0, 3, 1, 2], [0, 3]),  // inside
        ([1, 2, 0, 3], [0, 3]),  // around
        ([0, 1, 2, 3, 4, 5, 1, 4], [0, 5]),  // bridging three
        ([0, 1, 4, 5, 8, 9, 3, 6], [0, 1, 3, 6, 8, 9]),  // around the middle one
        ([0, 1, 0, 1], [0, 1]),  // repeated
        ([5, 5], []),  // empty
    ])
    func `adjoining and overlapping spans are merged`(hours: [Int], expected: [Int]) throws {
        try withFixture { history in
            for span in spans(hours) {
                _ = try history.database.merge(SampleBatch(coverage: [span]), sync: history.sync)
            }
            #expect(try history.data().tracks.flatMap(\.coverage).map(\.span) == spans(expected))
        }
    }

    @Test func `the order of merged spans does not matter`() throws {
        // All 24 orders of four spans, one of which fills a gap.
        let pieces = spans([0, 2, 3, 5, 2, 3, 7, 8])
        for order in permutations(pieces) {
            try withFixture { history in
                _ = try history.database.merge(SampleBatch(coverage: order), sync: history.sync)
                #expect(try history.data().tracks.first?.coverage.map(\.span) == spans([0, 5, 7, 8]))
            }
        }
    }

    @Test func `only spans that overlap the day are returned`() throws {
        try withFixture { history in
            let before = TimeSpan(midnight - 7200, midnight)
            let across = TimeSpan(midnight + 86_000, midnight + 90_000)
            let after = TimeSpan(midnight + 100_000, midnight + 100_001)
            _ = try history.database.merge(SampleBatch(coverage: [before, across, after]), sync: history.sync)
            #expect(try history.data().tracks.first?.coverage.map(\.span) == [across])
        }
    }

    @Test func `spans beyond the calendar are cut`() throws {
        try withFixture { history in
            let span = TimeSpan(Timestamp(.min), Timestamp(.max))
            _ = try history.database.merge(SampleBatch(coverage: [span]), sync: history.sync)
            #expect(
                try history.data().tracks.first?.coverage.map(\.span) == [
                    TimeSpan(Timestamp(0), Timestamp(253_402_300_800))
                ])
        }
    }

    @Test func `covered time keeps its first UTC offset`() throws {
        try withFixture { history in
            let hours = { (from: Int, to: Int) in TimeSpan(midnight + from * 3600, midnight + to * 3600) }
            _ = try history.database.merge(
                SampleBatch(coverage: [hours(0, 24)]), sync: history.sync, localTime: .fixed(0))
            // Read again after a journey, with some hours more.
            let berlin = LocalTime.fixed(7200)
            _ = try history.database.merge(
                SampleBatch(coverage: [hours(-2, 26)]), sync: history.sync, localTime: berlin)
            let expected = [
                CoveredSpan(hours(-2, 0), utcOffset: 7200), CoveredSpan(hours(0, 24), utcOffset: 0),
                CoveredSpan(hours(24, 26), utcOffset: 7200),
            ]
            #expect(try history.data().tracks.first?.coverage == expected)
            let changes = try history.totalChanges()
            _ = try history.database.merge(SampleBatch(coverage: [hours(3, 25)]), sync: history.sync, localTime: berlin)
            #expect(try history.data().tracks.first?.coverage == expected)
            let rows = try history.strings("SELECT count(*) FROM coverage")
            #expect(rows == ["3"])
            #expect(try history.totalChanges() - changes <= 3, "the sync's own row and its checksum at most")
        }
    }

    @Test func `a covered day leaves the adjacent days without coverage`() throws {
        try withFixture { history in
            _ = try history.database.merge(
                SampleBatch(coverage: [TimeSpan(midnight, midnight + 86_400)]), sync: history.sync)
            for other in [-1, 1] { #expect(try history.data(on: day.advanced(by: other)).tracks.isEmpty) }
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
