import StepDomain
import Testing

@testable import StepDatabase

/// Which days a change of the history touches, and which it leaves alone.
@Suite(.timeLimit(.minutes(5))) struct ChangedDayTests {
    private let next = day.advanced(by: 1)

    @Test func `days changed together share a revision and later changes increment it`() throws {
        try withFixture { history in
            try history.merge(slot(0, 10), slot(15, 10), slot(24 * 60, 10))
            #expect(try history.revisions() == ["2014-04-20 1", "2014-04-21 1"])
            try history.merge(slot(30, 10))
            #expect(try history.revisions() == ["2014-04-20 2", "2014-04-21 1"])
            try history.database.setCorrection(5, of: history.user.id, on: next, at: noon)
            #expect(try history.revisions() == ["2014-04-20 2", "2014-04-21 3"])
        }
    }

    /// A repair has lost the newest rows; the change would have been skipped.
    @Test func `a change is above what a destination has seen`() throws {
        try withFixture { history in
            try history.merge(slot(0, 10))
            try history.execute("INSERT INTO share_watermark VALUES ('diary', \(history.user.id), '2014-01-01', 50)")
            try history.merge(slot(24 * 60, 10))
            #expect(try history.revisions() == ["2014-04-20 1", "2014-04-21 51"])
            try history.database.enqueueChanges(of: history.user.id, for: "diary", since: Day("2014-01-01")!, at: noon)
            #expect(try history.strings("SELECT day FROM share") == ["2014-04-21"])
        }
    }

    @Test func `storing the same data again does not change a revision`() throws {
        try withFixture { history in
            let batch = SampleBatch(
                samples: [slot(0, 10, distance: 7), slot(15, 60_000)], coverage: [TimeSpan(midnight, noon)])
            _ = try history.database.merge(batch, sync: history.sync)
            try history.database.setCorrection(5, of: history.user.id, on: next, at: noon)
            let before = try history.revisions()
            _ = try history.database.merge(batch, sync: history.sync)
            try history.merge(slot(0, 9), slot(0, 10))
            _ = try history.database.merge(
                SampleBatch(coverage: [TimeSpan(midnight + 60, noon - 60)]), sync: history.sync)
            try history.database.setCorrection(5, of: history.user.id, on: next, at: noon + 60)
            try history.database.setCorrection(nil, of: history.user.id, on: day, at: noon + 60)
            #expect(try history.revisions() == before)
        }
    }

    @Test func `new figures for equal steps count as a change`() throws {
        try withFixture { history in
            try history.merge(slot(0, 10))
            try history.merge(slot(0, 10, distance: 8))
            #expect(try history.revisions() == ["2014-04-20 2"])
        }
    }

    @Test func `a slot that grows at another offset changes its original day`() throws {
        try withFixture { history in
            // 23:30 in Greenwich was the next day in Berlin, and is read again in New York.
            try history.merge(slot(23 * 60 + 30, 10, offset: 3600))
            try history.merge(slot(23 * 60 + 30, 12, offset: -5 * 3600))
            #expect(try history.revisions() == ["2014-04-21 2"])
        }
    }

    @Test func `extended coverage changes only the newly covered days`() throws {
        try withFixture { history in
            let span = { (from: Int, to: Int) in TimeSpan(midnight + from * 3600, midnight + to * 3600) }
            _ = try history.database.merge(SampleBatch(coverage: [span(0, 24)]), sync: history.sync)
            _ = try history.database.merge(SampleBatch(coverage: [span(0, 48)]), sync: history.sync)
            #expect(try history.revisions() == ["2014-04-20 1", "2014-04-21 2"])
        }
    }

    /// Half an hour before midnight the traveller's clock is put forward by an hour: coverage in the new zone completes
    /// the old day.
    @Test func `coverage of another time zone changes the day that it completes`() throws {
        try withFixture { history in
            let change = midnight + 86_400 - 1800
            _ = try history.database.merge(SampleBatch(coverage: [TimeSpan(midnight, change)]), sync: history.sync)
            func completeness() throws -> DaySummary.Completeness {
                DaySummary(try history.data(), localTime: .fixed(0), now: change + 7 * 86_400).completeness
            }
            #expect(try completeness() == .partial)
            _ = try history.database.merge(
                SampleBatch(coverage: [TimeSpan(change, change + 3600)]), sync: history.sync, localTime: .fixed(3600))
            #expect(try completeness() == .complete)
            #expect(try history.revisions() == ["2014-04-20 2", "2014-04-21 2"])
            // From then on only the next day changes.
            _ = try history.database.merge(
                SampleBatch(coverage: [TimeSpan(change, change + 7200)]), sync: history.sync, localTime: .fixed(3600))
            #expect(try history.revisions() == ["2014-04-20 2", "2014-04-21 3"])
        }
    }

    @Test func `coverage from an incorrect clock is limited to ten years`() throws {
        try withFixture { history in
            _ = try history.database.merge(SampleBatch(coverage: [TimeSpan(Timestamp(0), noon)]), sync: history.sync)
            let found = try history.strings("SELECT count(*) || ' ' || min(day) || ' ' || max(day) FROM changed_day")
            #expect(found == ["3660 2004-04-13 2014-04-20"])
        }
    }

    @Test func `days beyond the year 9999 are not recorded`() throws {
        try withFixture { history in
            let end = Timestamp(253_402_300_799)
            try history.merge(StepSample(start: end, length: 60, steps: 1, utcOffset: 3600))
            try history.merge(StepSample(start: Timestamp(0), length: 60, steps: 1, utcOffset: -3600))
            _ = try history.database.merge(
                SampleBatch(coverage: [TimeSpan(end, end + 1)]), sync: history.sync, localTime: .fixed(3600))
            #expect(try history.revisions() == ["1969-12-31 1"])
            let (first, last) = (Day(daysSince1970: .min), Day(daysSince1970: .max))
            #expect(
                try history.database.knownDays(of: history.user.id, from: first, through: last) == [
                    Day(daysSince1970: -1)
                ])
        }
    }

    @Test func `a failed batch changes no day`() throws {
        try withFixture { history in
            try history.execute("CREATE TRIGGER no_frames BEFORE INSERT ON frame BEGIN SELECT RAISE(ABORT, 'no'); END")
            let frame = RawFrame(.received, at: noon, bytes: [1])
            _ = historyError {
                try history.database.merge(SampleBatch(samples: [slot(0, 1)], frames: [frame]), sync: history.sync)
            }
            _ = historyError { try history.database.setCorrection(-1, of: history.user.id, on: day, at: noon) }
            let revisions = try history.revisions()
            #expect(revisions.isEmpty)
        }
    }
}

extension Fixture {
    fileprivate func revisions() throws -> [String] {
        try strings("SELECT day || ' ' || revision FROM changed_day ORDER BY day")
    }
}
