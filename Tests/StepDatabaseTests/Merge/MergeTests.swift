import StepDomain
import Testing

@testable import StepDatabase

@Suite(.timeLimit(.minutes(5))) struct MergeTests {
    @Test func `new slots are added`() throws {
        try withFixture { history in
            let samples = [slot(0, 10, distance: 7), slot(15, 0), slot(30, 20)]
            let counts = try history.database.merge(SampleBatch(samples: samples), sync: history.sync)
            #expect(counts == MergeCounts(added: 3, steps: 30))
            #expect(try history.samples() == samples)
        }
    }

    @Test func `merging the same batch again writes no samples`() throws {
        try withFixture { history in
            let batch = SampleBatch(
                samples: [slot(0, 10, distance: 7), slot(15, 900 * 6)], coverage: [TimeSpan(midnight, noon)])
            _ = try history.database.merge(batch, sync: history.sync)
            let before = try history.totalChanges()
            let counts = try history.database.merge(batch, sync: history.sync)
            #expect(counts == MergeCounts(unchanged: 1, implausible: 1))
            #expect(
                try history.totalChanges() - before == 5,
                "only the counts of the sync and their checksum, and the mark of a merge")
            #expect(try history.samples() == [slot(0, 10, distance: 7)])
        }
    }

    @Test func `a slot with more steps replaces the earlier values`() throws {
        try withFixture { history in
            try history.merge(slot(0, 10, distance: 7))
            #expect(try history.merge(slot(0, 25, distance: 17)) == MergeCounts(grown: 1, steps: 15))
            #expect(try history.samples() == [slot(0, 25, distance: 17)])
        }
    }

    @Test func `a slot with fewer steps does not replace the earlier one`() throws {
        try withFixture { history in
            try history.merge(slot(0, 25, distance: 17))
            #expect(try history.merge(slot(0, 10, length: 60, distance: 7)) == MergeCounts(unchanged: 1))
            #expect(try history.samples() == [slot(0, 25, distance: 17)])
        }
    }

    @Test func `the latest figures are stored if the steps are equal`() throws {
        try withFixture { history in
            try history.merge(slot(0, 25, distance: 17))
            #expect(try history.merge(slot(0, 25, length: 1800, distance: 18)) == MergeCounts(unchanged: 1))
            #expect(try history.samples() == [slot(0, 25, length: 1800, distance: 18)])
            try history.merge(slot(0, 25, length: 1800))
            #expect(try history.samples() == [slot(0, 25, length: 1800, distance: 18)], "a missing figure erases none")
        }
    }

    @Test func `a slot that occurs twice in a batch is stored once`() throws {
        try withFixture { history in
            let counts = try history.merge(slot(0, 5), slot(0, 9), slot(0, 2))
            #expect(counts == MergeCounts(added: 1, grown: 1, unchanged: 1, steps: 9))
            #expect(try history.samples() == [slot(0, 9)])
        }
    }

    @Test func `a later UTC offset does not move a stored slot`() throws {
        try withFixture { history in
            // 23:30 in Greenwich was 00:30 in Berlin; read again in New York, with more steps, it stays where it was.
            try history.merge(slot(23 * 60 + 30, 10, offset: 3600))
            try history.merge(slot(23 * 60 + 30, 12, offset: -5 * 3600))
            #expect(try history.samples(on: day).isEmpty)
            #expect(try history.samples(on: day.advanced(by: 1)) == [slot(23 * 60 + 30, 12, offset: 3600)])
        }
    }

    @Test func `invalid distances are omitted`() throws {
        try withFixture { history in
            try history.merge(slot(0, 1, distance: .nan), slot(15, 1, distance: .infinity), slot(30, 1, distance: -1))
            #expect(try history.samples() == [slot(0, 1), slot(15, 1), slot(30, 1)])
        }
    }

    @Test func `cursor, frames and counts are stored with the batch`() throws {
        try withFixture { history in
            let frames = [
                RawFrame(.sent, at: noon, bytes: [0x43, 0x00]),
                RawFrame(.received, at: noon + 1, bytes: Array(repeating: 0xFF, count: 512)),
                RawFrame(.received, at: noon + 1, bytes: []),
            ]
            let cursor = PedometerCursor(
                readThrough: noon, counter: CounterReading(at: noon, value: 1234, utcOffset: 7200))
            let batch = SampleBatch(samples: [slot(0, 10)], frames: frames, cursor: cursor)
            #expect(try history.database.merge(batch, sync: history.sync).frames == 3)
            #expect(try history.database.pedometers().map(\.cursor) == [cursor])
            // A batch without a cursor leaves the stored one; counts add up.
            _ = try history.database.merge(SampleBatch(samples: [slot(0, 30)]), sync: history.sync)
            #expect(try history.database.pedometers().map(\.cursor) == [cursor])
            #expect(
                try history.database.syncs(of: history.pedometer.id, limit: 1).first?.counts
                    == MergeCounts(added: 1, grown: 1, steps: 30, frames: 3))
            let kept = try history.strings("SELECT hex(bytes) FROM frame WHERE sync = \(history.sync) ORDER BY id")
            #expect(kept == ["4300", String(repeating: "F", count: 1024), ""])
        }
    }

    @Test func `a batch is stored completely or not at all`() throws {
        try withFixture { history in
            let batch = SampleBatch(
                samples: [slot(0, 10)], coverage: [TimeSpan(midnight, noon)],
                frames: [RawFrame(.received, at: noon, bytes: [1])],
                cursor: PedometerCursor(readThrough: noon))
            try history.execute("CREATE TRIGGER no_frames BEFORE INSERT ON frame BEGIN SELECT RAISE(ABORT, 'no'); END")
            let error = historyError { try history.database.merge(batch, sync: history.sync) }
            guard case .invalidValue? = error else {
                Issue.record("a frame was stored against a constraint")
                return
            }
            #expect(error?.category == .data, "a constraint is no wrong usage")
            let tracks = try history.data().tracks
            #expect(tracks.isEmpty)
            #expect(try history.database.pedometers().first?.cursor == PedometerCursor())
            #expect(try history.database.syncs(of: history.pedometer.id, limit: 1).first?.counts == MergeCounts())
        }
    }

    /// No pedometer may send more than 512 bytes; what a hostile one sends must not stop the sync.
    @Test func `a frame of any length is stored, cut to what Bluetooth allows`() throws {
        try withFixture { history in
            let frame = RawFrame(.received, at: noon, bytes: Array(repeating: 0xab, count: 70_000))
            #expect(try history.database.merge(SampleBatch(frames: [frame]), sync: history.sync).frames == 1)
            let lengths = try history.strings("SELECT length(bytes) FROM frame")
            #expect(lengths == ["512"])
        }
    }

    @Test func `an unknown sync is reported as not found`() throws {
        try withFixture { history in
            expect(.notFound(.sync, id: 99)) { try history.database.merge(SampleBatch(), sync: 99) }
        }
    }
}
