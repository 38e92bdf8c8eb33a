import Foundation
import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// From the version that recognised withheld days and refused users by words to the one that stores the cause.
@Suite(.timeLimit(.minutes(5))) struct ShareCausesMigrationTests {
    private static let entries: [(state: String, error: String?, cause: ShareEntry.Cause?)] = [
        ("rejected", ShareEntry.implausibleSteps, .implausibleSteps),
        (
            "rejected", "more steps than anyone makes in a day; it is sent when it is corrected or requested",
            .implausibleSteps
        ),
        ("pending", "only the days of this user wait: not enrolled. Enrol Anna", .refusedUser),
        ("rejected", "more steps than anyone takes", nil), ("pending", "only the days of this user", nil),
        ("sent", nil, nil),
    ]

    /// A history of the version before, with a day for each entry.
    private func makeHistory(_ path: String) throws {
        let before = Schema(migrations: Array(Schema.current.migrations.prefix { $0.name != "shareCauses" }))
        let old = try StepDatabase(path: path, for: .writing, busyTimeout: 5, schema: before)
        try old.queue.write { database in
            try database.execute(sql: "INSERT INTO person VALUES (1, 'Ada', 'ada')")
            for (index, entry) in Self.entries.enumerated() {
                try database.execute(
                    sql: """
                        INSERT INTO share (destination, person, day, state, asked, fingerprint, attempts, last_error, changed_at, stale)
                        VALUES ('garden', 1, ?, ?, 0, 'f', 1, ?, 1000, 0)
                        """, arguments: [day.advanced(by: index).description, entry.state, entry.error])
            }
        }
        try old.close()
    }

    private func expectCauses(_ database: StepDatabase) throws {
        let found = try database.entries(for: "garden", in: Set(ShareEntry.State.allCases))
        #expect(found.map(\.cause) == Self.entries.map(\.cause))
        #expect(found.map(\.lastError) == Self.entries.map(\.error))
    }

    @Test func `the cause of an entry is recognised once, by its words`() throws {
        try withDirectory { directory in
            let path = directory + "/history.sqlite"
            try makeHistory(path)
            let database = try StepDatabase(path: path)
            try expectCauses(database)
            var entry = try #require(try database.entry(for: "garden", of: 1, on: day))
            #expect(entry.isWithheld)
            entry.lastError = "HTTP 500"
            try database.record([entry])
            #expect(try database.entry(for: "garden", of: 1, on: day)?.cause == nil)
        }
    }

    @Test func `a backup of the version before has the causes of the history that it replaces`() throws {
        try withDirectory { directory in
            let path = directory + "/history.sqlite", backup = directory + "/backup.sqlite"
            try makeHistory(path)
            try FileManager.default.copyItem(atPath: path, toPath: backup)
            let emptied = try DatabaseQueue(path: backup)
            try emptied.write { try $0.execute(sql: "DELETE FROM share") }
            try emptied.close()
            _ = try StepDatabase.restore(backup, to: path, at: noon, .fixed(0))
            let restored = try StepDatabase(path: path)
            let found = try restored.entries(for: "garden", in: Set(ShareEntry.State.allCases))
            #expect(found.map(\.cause) == Self.entries.map(\.cause), "\(found)")
        }
    }
}
