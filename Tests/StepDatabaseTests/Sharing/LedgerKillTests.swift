import Foundation
import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// After a kill at any moment the ledger misses no entry.
@Suite(.timeLimit(.minutes(5))) struct LedgerKillTests {
    private static let days = (0..<5).map(day.advanced(by:))

    /// Five days with steps in a history that another process will open.
    private func withDays(_ body: (Fixture) async throws -> Void) async throws {
        try await withDirectory { directory in
            let history = try Fixture(directory)
            try history.merge(slot(0, 5), slot(1440, 5), slot(2880, 5), slot(4320, 5), slot(5760, 5))
            try await body(history)
        }
    }

    private func due(_ history: Fixture) throws -> [ShareEntry] {
        try history.database.due(for: "garden", users: [history.user.id], at: noon, limit: .max)
    }

    @Test(arguments: ["INSERT ON share", "INSERT ON share_watermark"])
    func `a kill while days are enqueued loses no day`(event: String) async throws {
        try await withDays { history in
            let path = history.path, user = history.user.id
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, user = user as User.ID, event = event as String] in
                let database = try StepDatabase(path: path)
                try database.dieAfter(event, when: "NEW.destination = 'garden'")
                try database.enqueueChanges(of: user, for: "garden", since: day, at: noon)
            }
            #expect(try due(history).isEmpty)
            try history.database.enqueueChanges(of: history.user.id, for: "garden", since: day, at: noon)
            #expect(try due(history).map(\.day) == Self.days)
        }
    }

    /// Killed while entries are handed out, and after they were handed out.
    @Test(arguments: [true, false])
    func `a kill before recording leaves all entries due`(whileHandingOut: Bool) async throws {
        try await withDays { history in
            let database = history.database
            for _ in 0..<2 { try database.enqueue(Self.days, of: history.user.id, for: "garden", at: noon) }
            let path = history.path, user = history.user.id
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, user = user as User.ID, whileHandingOut = whileHandingOut as Bool] in
                let database = try StepDatabase(path: path)
                if whileHandingOut { try database.dieAfter("UPDATE ON share", when: "NEW.day = '2014-04-22'") }
                _ = try database.due(for: "garden", users: [user], at: noon, limit: .max)
                kill(getpid(), SIGKILL)
            }
            #expect(try due(history).map(\.day) == Self.days)
        }
    }

    @Test func `a kill while results are recorded leaves all entries as sending`() async throws {
        try await withDays { history in
            try history.database.enqueue(Self.days, of: history.user.id, for: "garden", at: noon)
            let path = history.path, user = history.user.id
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, user = user as User.ID] in
                let database = try StepDatabase(path: path)
                let due = try database.due(for: "garden", users: [user], at: noon, limit: .max)
                try database.record(due.map { $0.sending() })
                try database.dieAfter("UPDATE ON share", when: "NEW.day = '2014-04-22'")
                try database.record(due.map { $0.sent("5") })
            }
            let entries = try history.database.entries(for: "garden", in: Set(ShareEntry.State.allCases))
            #expect(
                entries.map(\.state) == Array(repeating: .sending, count: 5), "as they were stored before it was sent")
            #expect(try due(history).isEmpty)
        }
    }

    @Test func `a kill after recording loses no result`() async throws {
        try await withDays { history in
            try history.database.enqueue(Self.days, of: history.user.id, for: "garden", at: noon)
            let path = history.path, user = history.user.id
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, user = user as User.ID] in
                let database = try StepDatabase(path: path)
                let due = try database.due(for: "garden", users: [user], at: noon, limit: .max)
                try database.record(due.map { $0.sent("5") })
                kill(getpid(), SIGKILL)
            }
            #expect(
                try history.database.entries(for: "garden", in: [.sent]).map(\.confirmed)
                    == Array(repeating: "5", count: 5))
            #expect(try due(history).isEmpty)
        }
    }
}
