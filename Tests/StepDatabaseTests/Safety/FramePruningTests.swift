import Foundation
import GRDB
import StepDomain
import Testing

@testable import StepDatabase

@Suite(.timeLimit(.minutes(5))) struct FramePruningTests {
    /// A night's sync of a complete day, with `frames` frames of 100 bytes.
    private func night(
        _ history: Fixture, _ number: Int, frames: Int = 3, samples: [StepSample] = [], isPartial: Bool = false,
        failure: FailureCause? = nil
    ) throws -> SyncRecord.ID {
        let start = midnight + number * 86_400
        let sync = try history.database.beginSync(of: history.pedometer.id, at: start + 43_200)
        let batch = SampleBatch(
            samples: [slot(number * 1440, 10)] + samples,
            coverage: [TimeSpan(start, start + (isPartial ? 40_000 : 86_400))],
            frames: (0..<frames).map { _ in RawFrame(.received, at: start, bytes: Array(repeating: 7, count: 100)) })
        _ = try history.database.merge(batch, sync: sync)
        try history.database.endSync(
            sync, at: start + 43_260, outcome: failure == nil ? .complete : .failed, battery: nil,
            failure: failure?.rawValue, cause: failure)
        return sync
    }

    private func kept(_ history: Fixture) throws -> [Int64] {
        try history.database.queue.read { try Int64.fetchAll($0, sql: "SELECT DISTINCT sync FROM frame ORDER BY sync") }
    }

    @Test func `old frames are removed, their samples and frames in doubt are kept`() throws {
        try withFixture { history in
            let plain = try night(history, 0)
            let implausible = try night(history, 1, samples: [slot(1440 + 30, 90_000)])
            let partial = try night(history, 2, isPartial: true)
            let recent = try night(history, 800)
            let undecoded = try night(history, 801, failure: .other)
            let interrupted = try night(history, 802, failure: .interrupted)
            let now = midnight + 803 * 86_400
            #expect(try history.database.pruneFrames(FrameRetention(), at: now) == 1)
            #expect(try kept(history) == [implausible, partial, recent, undecoded, interrupted])
            #expect(try history.samples() == [slot(0, 10)], "of sync \(plain)")
            #expect(try history.database.pruneFrames(FrameRetention(), at: now) == 0)
            // Later all frames are removed except those in doubt; those of the failed sync stay until a later sync is
            // complete.
            #expect(try history.database.pruneFrames(FrameRetention(days: 1), at: now + 900 * 86_400) == 2)
            #expect(try kept(history) == [implausible, partial, undecoded])
            _ = try night(history, 900)
            #expect(try history.database.pruneFrames(FrameRetention(days: 1), at: now + 900 * 86_400) == 2)
            #expect(try kept(history) == [implausible, partial])
        }
    }

    /// If the clock is set forward meanwhile, a running sync may count as killed: it loses frames then, never samples.
    @Test func `frames of a sync that still runs are kept, those of one that was killed are not`() throws {
        try withFixture { history in
            let start = midnight + 43_200
            let running = try history.database.beginSync(of: history.pedometer.id, at: start)
            let batch = SampleBatch(
                samples: [slot(0, 10)], coverage: [TimeSpan(midnight, midnight + 86_400)],
                frames: [RawFrame(.received, at: start, bytes: [1, 2, 3])])
            _ = try history.database.merge(batch, sync: running)
            let tight = FrameRetention(days: 0, bytes: 0)
            #expect(try history.database.pruneFrames(tight, at: start + SyncRecord.longest - 1) == 0)
            #expect(try kept(history) == [running])
            #expect(try history.database.pruneFrames(tight, at: start + SyncRecord.longest) == 1)
            #expect(try kept(history) == [] && history.samples() == [slot(0, 10)])
        }
    }

    /// As with a full disk: it is just then that the frames must not grow.
    @Test func `frames are limited also if no backup can be made`() async throws {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            for number in 0..<5 { _ = try night(history, number, frames: 10) }
            let now = midnight + 10 * 86_400
            try Data().write(to: URL(fileURLWithPath: try AutomaticBackups.directory(of: history.path)))
            let backups = AutomaticBackups(BackupSchedule(count: 4), now: { now }, localTime: .fixed(0))
            let maintenance = HistoryFileMaintenance(
                path: history.path, backups: backups, frames: FrameRetention(days: nil, bytes: 3000), now: { now })
            await #expect(throws: HistoryError.self) { try await maintenance.run() }
            #expect(try kept(history).count == 2)
        }
    }

    /// A watch does the maintenance after each sync.
    @Test func `a backup that has failed is tried again after a day, and the frames are limited meanwhile`()
        async throws
    {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            let now = midnight + 10 * 86_400
            let folder = try AutomaticBackups.directory(of: history.path)
            try Data().write(to: URL(fileURLWithPath: folder))
            func maintenance(at moment: Timestamp) -> HistoryFileMaintenance {
                let backups = AutomaticBackups(BackupSchedule(count: 4), now: { moment }, localTime: .fixed(0))
                return HistoryFileMaintenance(
                    path: history.path, backups: backups, frames: FrameRetention(days: nil, bytes: 3000),
                    now: { moment })
            }
            await #expect(throws: HistoryError.self) { try await maintenance(at: now).run() }
            for number in 0..<5 { _ = try night(history, number, frames: 10) }
            try await maintenance(at: now + 3600).run()
            #expect(try kept(history).count == 2)
            await #expect(throws: HistoryError.self) { try await maintenance(at: now + 86_400).run() }
            try FileManager.default.removeItem(atPath: folder)
            // The clock was ahead.
            try await maintenance(at: now + 7200).run()
            #expect(try AutomaticBackups.list(of: history.path).count == 1)
        }
    }

    /// Also if the result of the check could not be stored, as on a full disk.
    @Test func `nothing is deleted from a damaged history, in any run of the day`() async throws {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            for number in 0..<5 { _ = try night(history, number, frames: 10) }
            let before = try kept(history)
            var configuration = Configuration()
            configuration.foreignKeysEnabled = false
            let queue = try DatabaseQueue(path: history.path, configuration: configuration)
            try await queue.write { try $0.execute(sql: "UPDATE sync SET pedometer = 99 WHERE id = 1") }
            try queue.close()
            for hours in 0..<3 {
                let now = midnight + 10 * 86_400 + hours * 3600
                let backups = AutomaticBackups(BackupSchedule(count: 4), now: { now }, localTime: .fixed(0))
                let maintenance = HistoryFileMaintenance(
                    path: history.path, backups: backups, frames: FrameRetention(days: nil, bytes: 3000), now: { now })
                let error = await #expect(throws: HistoryError.self) { try await maintenance.run() }
                #expect(error?.category == .data)
                CheckRecord.remove(ofDatabase: history.path)
            }
            #expect(try kept(history) == before)
        }
    }

    /// Each of its days is partial, because it is not read at midnight.
    @Test func `the frames of a pedometer that only counts are limited, too`() throws {
        try withFixture { history in
            _ = try night(history, 0, isPartial: true)
            #expect(try history.database.pruneFrames(FrameRetention(days: 30), at: midnight + 100 * 86_400) == 0)
            let reading = CounterReading(at: midnight + 43_200, value: 10, utcOffset: 0)
            let sync = try history.database.beginSync(of: history.pedometer.id, at: midnight + 43_200)
            _ = try history.database.merge(SampleBatch(cursor: PedometerCursor(counter: reading)), sync: sync)
            #expect(try history.database.pruneFrames(FrameRetention(days: 30), at: midnight + 100 * 86_400) == 1)
        }
    }

    @Test func `the oldest frames are removed if they exceed the limit of bytes`() throws {
        try withFixture { history in
            let syncs = try (0..<5).map { try night(history, $0, frames: 10) }
            // 10 frames of 100 bytes and 40 bytes for each row: 1,400 bytes per sync.
            #expect(
                try history.database.pruneFrames(FrameRetention(days: nil, bytes: 3000), at: midnight + 10 * 86_400)
                    == 3)
            #expect(try kept(history) == Array(syncs.suffix(2)))
        }
    }
}
