import Foundation
import StepDomain
import Synchronization
import Testing

@testable import StepDatabase

@Suite(.timeLimit(.minutes(5))) struct LedgerContentionTests {
    /// One process stores and enqueues steps, another sends them: at the end each day was sent with its current steps.
    ///
    /// Both read from the ledger what the other one did, so that each day grows while it is being sent.
    @Test func `a day that changes while it is sent is sent again`() async throws {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            let path = history.path, user = history.user.id, sync = history.sync
            let isOver = Atomic(false)
            async let enqueueing: Void = {
                await #expect(processExitsWith: .success) {
                    [path = path as String, user = user as User.ID, sync = sync as SyncRecord.ID] in
                    let database = try StepDatabase(path: path)
                    func isSending(_ day: Day) throws -> Bool {
                        try database.entries(for: "garden", in: [.sending]).contains { $0.day == day }
                    }
                    for number in 0..<10 {
                        let next = day.advanced(by: number)
                        _ = try database.merge(SampleBatch(samples: [slot(number * 1440, 1)]), sync: sync)
                        try database.enqueueChanges(of: user, for: "garden", since: day, at: noon)
                        while try !isSending(next), !Task.isCancelled { await Task.yield() }
                        _ = try database.merge(SampleBatch(samples: [slot(number * 1440 + 15, 1)]), sync: sync)
                        try database.enqueueChanges(of: user, for: "garden", since: day, at: noon)
                    }
                }
                isOver.store(true, ordering: .sequentiallyConsistent)
            }()
            var corrections = 0
            var isLast = false
            while !isLast, !Task.isCancelled {
                isLast = isOver.load(ordering: .sequentiallyConsistent)
                corrections += try await drain(history, isOver)
                await Task.yield()
            }
            await enqueueing
            let entries = try history.database.entries(for: "garden", in: Set(ShareEntry.State.allCases))
            #expect(entries.map(\.confirmed) == Array(repeating: "2", count: 10))
            #expect(entries.map(\.state) == Array(repeating: .sent, count: 10))
            #expect(entries.map(\.nextAttempt) == Array(repeating: nil, count: 10))
            #expect(corrections == 10)
        }
    }

    /// Sends the days that are due, each with the steps that it had when it was handed out. The first time it waits
    /// until the day has been enqueued again.
    ///
    /// - Returns: how many days were sent for the second time.
    private func drain(_ history: Fixture, _ isOver: borrowing Atomic<Bool>) async throws -> Int {
        var corrections = 0
        while let entry = try history.database.due(for: "garden", users: [history.user.id], at: noon, limit: 1).first {
            let steps = try history.samples(on: entry.day).reduce(0) { $0 + $1.steps }
            try history.database.record([entry.sending()])
            while !entry.isConfirmed, try history.strings("SELECT day FROM share WHERE stale").isEmpty,
                !isOver.load(ordering: .sequentiallyConsistent), !Task.isCancelled
            {
                await Task.yield()
            }
            try history.database.record([entry.sent("\(steps)")])
            if entry.isConfirmed { corrections += 1 }
        }
        return corrections
    }
}
