import Foundation
import StepDomain
import Support
import Testing

@testable import StepDatabase

@Suite(.timeLimit(.minutes(5))) struct ContentionTests {
    @Test func `connections wait for each other's transactions`() async throws {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            try await withThrowingTaskGroup { group in
                for writer in 0..<4 {
                    let path = history.path, sync = history.sync
                    group.addTask {
                        // Each waits for the others, which must not block the threads of other tests.
                        try await blocking {
                            let database = try StepDatabase(path: path, busyTimeout: 60)
                            for number in 0..<25 {
                                let sample = slot(writer * 100 + number, 1, length: 60)
                                _ = try database.merge(SampleBatch(samples: [sample]), sync: sync)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try history.samples().count == 100)
            #expect(
                try history.database.syncs(of: history.pedometer.id, limit: 1).first?.counts
                    == MergeCounts(added: 100, steps: 100))
        }
    }

    @Test func `processes wait for each other's transactions`() async throws {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            let path = history.path, sync = history.sync
            @Sendable func child(_ first: Int) async {
                await #expect(processExitsWith: .success) {
                    [path = path as String, sync = sync as SyncRecord.ID, first = first as Int] in
                    let database = try StepDatabase(path: path, busyTimeout: 60)
                    for minute in first..<first + 50 {
                        _ = try database.merge(SampleBatch(samples: [slot(minute, 1, length: 60)]), sync: sync)
                    }
                }
            }
            async let one: Void = child(0)
            async let other: Void = child(500)
            _ = await (one, other)
            #expect(try history.samples().count == 100)
        }
    }
}
