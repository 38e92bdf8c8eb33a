import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// What the ledger refuses, and how it stores a server's messages.
@Suite(.timeLimit(.minutes(5))) struct LedgerBadStateTests {
    private func entry(_ history: Fixture, on day: Day = day) -> ShareEntry {
        ShareEntry(user: history.user.id, day: day, destination: "garden", changedAt: noon)
    }

    private func all(_ history: Fixture) throws -> [ShareEntry] {
        try history.database.entries(for: nil, in: Set(ShareEntry.State.allCases))
    }

    @Test(arguments: [
        "state = 'lost'", "state = NULL", "asked = 2", "stale = 2", "stale = 1, next_attempt = NULL", "attempts = -1",
        "day = '2014-02-30'", "day = '0000-01-01'", "day = 'today'", "person = 99", "destination = ''",
        "destination = printf('%.257c', 'x')", "fingerprint = printf('%.65c', 'x')", "confirmed = printf('%.65c', 'x')",
        "last_error = printf('%.1001c', 'x')", "remote_id = printf('%.1025c', 'x')", "next_attempt = 'soon'",
    ])
    func `the schema rejects invalid values of an entry`(change: String) throws {
        try withFixture { history in
            try history.database.record([entry(history)])
            #expect(throws: DatabaseError.self) {
                try history.database.queue.write { try $0.execute(sql: "UPDATE share SET " + change) }
            }
            #expect(try all(history) == [entry(history)])
        }
    }

    @Test(arguments: [
        "INSERT INTO changed_day VALUES (1, '2014-04-31', 1, 1)",
        "INSERT INTO changed_day VALUES (1, '2014-04-30', 0, 1)",
        "INSERT INTO changed_day VALUES (1, '2014-04-30', 1, 2)",
        "INSERT INTO changed_day VALUES (99, '2014-04-30', 1, 1)",
        "INSERT INTO share_watermark VALUES ('garden', 1, '2014-04-31', 0)",
        "INSERT INTO share_watermark VALUES ('garden', 1, '2014-04-30', -1)",
        "INSERT INTO share_watermark VALUES ('garden', 99, '2014-04-30', 1)",
        "INSERT INTO destination (name, first_day, not_before, failures, stopped) VALUES ('', NULL, NULL, 0, NULL)",
        "INSERT INTO destination VALUES ('garden', NULL, NULL, 0, NULL, -1)",
        "INSERT INTO destination (name, first_day, not_before, failures, stopped) VALUES ('garden', 'today', NULL, 0, NULL)",
        "INSERT INTO destination (name, first_day, not_before, failures, stopped) VALUES ('garden', NULL, NULL, -1, NULL)",
        "INSERT INTO destination (name, first_day, not_before, failures, stopped) VALUES ('garden', NULL, NULL, 0, printf('%.1001c', 'x'))",
    ])
    func `the schema rejects invalid rows of other tables`(sql: String) throws {
        try withFixture { history in
            _ = #expect(throws: DatabaseError.self) { try history.database.queue.write { try $0.execute(sql: sql) } }
        }
    }

    /// An entry whose failure cannot be stored would be sent again and again.
    @Test func `a long server message is cut to 1000 characters`() throws {
        try withFixture { history in
            var entry = entry(history)
            entry.lastError = String(repeating: "🚶", count: 100_000)
            try history.database.record([entry])
            #expect(try all(history).first?.lastError == String(repeating: "🚶", count: 1000))
            let words = "a" + String(repeating: "\u{301}", count: 100_000)
            try history.database.record(DestinationState(name: "garden", stopped: words))
            #expect(try history.database.state(of: "garden").stopped?.unicodeScalars.count == 1000)
        }
    }

    @Test func `a rejected entry leaves the ledger unchanged`() throws {
        try withFixture { history in
            var long = entry(history, on: day.advanced(by: 1))
            long.remoteID = String(repeating: "x", count: 1025)
            guard case .invalidValue = historyError({ try history.database.record([entry(history), long]) }) else {
                Issue.record("an identifier of 1025 characters was taken")
                return
            }
            #expect(try all(history).isEmpty)
            long.remoteID = String(repeating: "x", count: 1024)
            try history.database.record([entry(history), long])
            #expect(try all(history).last?.remoteID == long.remoteID)
        }
    }

    @Test(arguments: [-719_163, -10_000_000, 2_932_897, 10_000_000])
    func `a day outside the calendar is rejected`(number: Int) throws {
        try withFixture { history in
            let days = [day, Day(daysSince1970: number)]
            guard
                case .invalidValue = historyError({
                    try history.database.enqueue(days, of: history.user.id, for: "garden", at: noon)
                })
            else {
                Issue.record("taken")
                return
            }
            let entries = try all(history)
            #expect(entries.isEmpty)
        }
    }

    @Test func `an unknown user is reported as not found`() throws {
        try withFixture { history in
            let database = history.database
            let nobody = ShareEntry(user: 99, day: day, destination: "garden", changedAt: noon)
            let attempts: [() throws -> Void] = [
                { try database.enqueueChanges(of: 99, for: "garden", since: day, at: noon) },
                { try database.enqueue([day], of: 99, for: "garden", at: noon) },
                { try database.record([entry(history), nobody]) },
            ]
            for attempt in attempts { expect(.notFound(.user, id: 99), from: attempt) }
            let entries = try all(history)
            #expect(entries.isEmpty)
        }
    }

    @Test func `a read-only connection cannot change the ledger`() throws {
        try withFixture { history in
            try history.database.record([entry(history)])
            let reader = try StepDatabase(path: history.path, for: .reading)
            #expect(try reader.entries(for: "garden", in: [.pending]).count == 1)
            #expect(try reader.state(of: "garden") == DestinationState(name: "garden"))
            #expect(try reader.knownDays(of: history.user.id, from: day, through: day).isEmpty)
            let attempts: [() throws -> Void] = [
                { try reader.enqueueChanges(of: history.user.id, for: "garden", since: day, at: noon) },
                { try reader.enqueue([day], of: history.user.id, for: "garden", at: noon) },
                { _ = try reader.due(for: "garden", users: [history.user.id], at: noon, limit: 1) },
                { try reader.record([entry(history)]) }, { try reader.remove(entry(history), evenIfEnqueued: true) },
                { try reader.record(DestinationState(name: "garden")) },
            ]
            for attempt in attempts {
                guard case .readOnly = historyError(attempt) else {
                    Issue.record("written")
                    continue
                }
            }
        }
    }

    @Test func `a full disk causes no loss of entries`() throws {
        try withFixture { history in
            let database = history.database
            try database.record([entry(history)])
            let pages = try database.queue.read { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 }
            try database.queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = \(pages + 2)") }
            let days = (0..<3000).map(day.advanced(by:))
            expect(.noSpace(path: history.path)) {
                try database.enqueue(days, of: history.user.id, for: "garden", at: noon)
            }
            #expect(try all(history) == [entry(history)])
        }
    }
}
