import Foundation
import StepDomain
import Synchronization
import Testing

@testable import StepDatabase

@Suite(.timeLimit(.minutes(1))) struct LedgerContentionTests {
    /// One process brings steps home and enqueues, another drains meanwhile: in the end each day was sent as it is.
    @Test func whatOneProcessEnqueuesAnotherOneSends() async throws {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            let path = history.path, user = history.user.id, sync = history.sync
            let isOver = Atomic(false)
            async let enqueueing: Void = {
                await #expect(processExitsWith: .success) { [path = path as String, user = user as User.ID, sync = sync as SyncRecord.ID] in
                    let database = try StepDatabase(path: path)
                    for round in 1...60 {
                        let samples = (0..<4).map { slot($0 * 1440 + round, 1, length: 60) }
                        _ = try database.merge(SampleBatch(samples: samples), sync: sync)
                        try database.enqueueChanges(of: user, for: "garden", since: day, at: noon)
                    }
                }
                isOver.store(true, ordering: .sequentiallyConsistent)
            }()
            var sent = 0
            var isLast = false
            while !isLast {
                isLast = isOver.load(ordering: .sequentiallyConsistent)
                sent += try drain(history)
                await Task.yield()
            }
            await enqueueing
            let entries = try history.database.entries(for: "garden", in: Set(ShareEntry.State.allCases))
            #expect(entries.map(\.confirmed) == Array(repeating: "60", count: 4))
            #expect(entries.map(\.state) == Array(repeating: .sent, count: 4))
            #expect(entries.map(\.nextAttempt) == Array(repeating: nil, count: 4))
            #expect(sent >= 4)
        }
    }

    /// - Returns: entries that were sent, each with the steps that its day had after it was handed out.
    private func drain(_ history: Fixture) throws -> Int {
        var sent = 0
        while true {
            let due = try history.database.due(for: "garden", users: [history.user.id], at: noon, limit: 3)
            if due.isEmpty { return sent }
            let steps = try due.map { try history.samples(on: $0.day).reduce(0) { $0 + $1.steps } }
            try history.database.record(due.map { $0.sending() })
            try history.database.record(zip(due, steps).map { $0.sent("\($1)") })
            sent += due.count
        }
    }
}
