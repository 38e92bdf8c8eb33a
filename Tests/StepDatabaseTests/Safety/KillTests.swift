import Foundation
import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// A kill at any moment leaves a valid history of whole batches, and the next sync goes on from there.
@Suite(.timeLimit(.minutes(5))) struct KillTests {
    /// What the process is doing when it is killed, in its third batch.
    @Test(arguments: [
        "INSERT ON sample", "INSERT ON coverage", "UPDATE ON changed_day", "INSERT ON frame", "UPDATE ON pedometer",
        "UPDATE ON sync",
    ])
    func `a kill during a batch leaves only complete batches`(event: String) async throws {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            let path = history.path, sync = history.sync
            try history.database.close()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, sync = sync as SyncRecord.ID, event = event as String] in
                let database = try StepDatabase(path: path)
                for number in 1...2 { _ = try database.merge(.numbered(number), sync: sync) }
                try database.dieAfter(event)
                _ = try database.merge(.numbered(3), sync: sync)
            }
            try expectWholeBatches(in: path, atLeast: 2, atMost: 2)
        }
    }

    @Test func `a kill after the commit loses no batch`() async throws {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            let path = history.path, sync = history.sync
            try history.database.close()
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, sync = sync as SyncRecord.ID] in
                let database = try StepDatabase(path: path)
                for number in 1...3 { _ = try database.merge(.numbered(number), sync: sync) }
                kill(getpid(), SIGKILL)
            }
            try expectWholeBatches(in: path, atLeast: 3, atMost: 3)
        }
    }

    /// At any point of the merging after 20 batches are stored.
    @Test func `a kill at any time leaves only complete batches`() async throws {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            let path = history.path, sync = history.sync
            try history.database.close()
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, sync = sync as SyncRecord.ID] in
                let (merged, reporter) = AsyncStream<Int>.makeStream()
                Thread.detachNewThread {
                    guard let database = try? StepDatabase(path: path) else { exit(1) }
                    for number in 1... {
                        guard (try? database.merge(.numbered(number), sync: sync)) != nil else { exit(2) }
                        reporter.yield(number)
                    }
                }
                for await number in merged where number == 20 { kill(getpid(), SIGKILL) }
            }
            try expectWholeBatches(in: path, atLeast: 20, atMost: .max)
        }
    }

    private func expectWholeBatches(in path: String, atLeast least: Int, atMost most: Int) throws {
        let database = try StepDatabase(path: path)
        let pedometer = try #require(try database.pedometers().first)
        let sync = try #require(try database.syncs(of: pedometer.id, limit: 1).first)
        let batches = try #require(pedometer.cursor.readThrough).seconds
        #expect((least...most).contains(batches))
        #expect(sync.counts == MergeCounts(added: 3 * batches, steps: 3 * batches, frames: 2 * batches))
        #expect(sync.outcome == .running, "never ended")
        let found = try database.queue.read { database in
            try [
                "PRAGMA integrity_check", "SELECT count(*) || '' FROM sample", "SELECT count(*) || '' FROM frame",
                "SELECT revision || '' FROM changed_day",
            ]
            .map { try String.fetchOne(database, sql: $0) }
        }
        #expect(found == ["ok", "\(3 * batches)", "\(2 * batches)", "\(batches)"])
        #expect(try database.merge(.numbered(batches + 1), sync: sync.id).added == 3)
    }
}

extension SampleBatch {
    /// Three samples, a span and two frames of its own; the cursor contains the number.
    fileprivate static func numbered(_ number: Int) -> SampleBatch {
        let minute = number * 4
        return SampleBatch(
            samples: (0..<3).map { slot(minute + $0, 1, length: 60) },
            coverage: [TimeSpan(midnight + minute * 60, midnight + minute * 60 + 180)],
            frames: (0..<2).map { RawFrame(.received, at: noon, bytes: [UInt8($0)]) },
            cursor: PedometerCursor(readThrough: Timestamp(number)))
    }
}
