import Foundation
import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// From version 1 of the schema to version 2.
@Suite(.timeLimit(.minutes(5))) struct SharingMigrationTests {
    private static let version1 = Schema(migrations: [.history])

    /// A history as version 1 wrote it, with rows put in by `sql` besides two people with a ring each.
    private func old<T>(_ sql: String, _ body: (StepDatabase) throws -> T) throws -> T {
        try withDirectory { directory in
            let path = directory + "/history.sqlite"
            let old = try StepDatabase(path: path, for: .writing, busyTimeout: 5, schema: Self.version1)
            try old.queue.write { database in
                try database.execute(
                    sql: """
                        INSERT INTO person VALUES (1, 'Ada', 'ada'), (2, 'Ben', 'ben');
                        INSERT INTO pedometer VALUES
                            (1, 1, 'colmi', '30:34:42:00:00:01', 'public', 'ring', 'ring', '{}', '{}', '{}', 1),
                            (2, 2, 'colmi', '30:34:42:00:00:01', 'public', 'ring', 'ring', '{}', '{}', '{}', 0);
                        INSERT INTO sync VALUES (1, 1, 0, 1, 'complete', 90, NULL, 0, 0, 0, 0, 0, 0);
                        \(sql)
                        """)
            }
            try old.close()
            return try body(StepDatabase(path: path))
        }
    }

    private func known(_ database: StepDatabase, _ user: User.ID) throws -> [String] {
        let calendar = Period.calendar
        return try database.knownDays(of: user, from: calendar.lowerBound, through: calendar.upperBound)
            .map(\.description)
    }

    @Test func `the migration records all days with data`() throws {
        // 2014-04-20 begins at 1397952000 in Greenwich.
        let content = """
            INSERT INTO sample VALUES (1, 1397952000, 60, 9, NULL, NULL, 0, 1), (1, 1397952060, 60, 9, NULL, NULL, 0, 1),
                (1, 1397951999, 60, 9, NULL, NULL, 0, 1), (1, 1398124800 - 3600, 60, 9, NULL, NULL, 3600, 1),
                (2, 1398297600 + 3600, 60, 9, NULL, NULL, -7200, 1), (2, 0, 60, 9, NULL, NULL, -1, 1),
                (2, 253402300799, 60, 9, NULL, NULL, 1, 1);
            INSERT INTO coverage VALUES (1, 1399000000, 1399075200, 0), (1, 1399075200, 1399161601, 0), (2, 86399, 86400, 1);
            INSERT INTO correction VALUES (1, '2014-04-20', 1, 0), (1, '2010-01-01', 1, 0), (2, '2014-04-20', 1, 0);
            INSERT INTO implausible_sample VALUES (1, 1300000000, 60, 900000, NULL, NULL, 0, 1);
            """
        try old(content) { database in
            #expect(
                try known(database, 1) == [
                    "2010-01-01", "2014-04-19", "2014-04-20", "2014-04-22", "2014-05-02", "2014-05-03", "2014-05-04",
                ])
            #expect(try known(database, 2) == ["1969-12-31", "1970-01-02", "2014-04-20", "2014-04-23"])
            // The first destination gets all days if it is configured to, and a correction that is a day's only data
            // can be removed.
            try database.enqueueChanges(of: 1, for: "garden", since: Period.calendar.lowerBound, at: noon)
            let due = try database.due(for: "garden", users: [1], at: noon, limit: .max)
            #expect(due.count == 7)
            for text in ["2010-01-01", "2014-04-20"] {
                try database.setCorrection(nil, of: 1, on: try #require(Day(text)), at: noon)
            }
            #expect(try known(database, 1).prefix(3) == ["2014-04-19", "2014-04-20", "2014-04-22"])
        }
    }

    @Test func `the next merge continues with the migrated revisions`() throws {
        try old("INSERT INTO sample VALUES (1, 1397952000, 60, 9, NULL, NULL, 0, 1)") { database in
            try database.enqueueChanges(of: 1, for: "garden", since: Period.calendar.lowerBound, at: noon)
            #expect(try database.due(for: "garden", users: [1], at: noon, limit: .max).map(\.day) == [day])
            let sample = StepSample(start: midnight, length: 60, steps: 9, utcOffset: 0)
            _ = try database.merge(SampleBatch(samples: [sample]), sync: 1)
            let found = try database.queue.read { try Int.fetchOne($0, sql: "SELECT max(revision) FROM changed_day") }
            #expect(found == 1)
            _ = try database.merge(SampleBatch(samples: [slot(60, 5)]), sync: 1)
            let grown = try database.queue.read { try Int.fetchOne($0, sql: "SELECT max(revision) FROM changed_day") }
            #expect(grown == 2)
        }
    }

    @Test func `an empty history has no known days`() throws {
        let days = try old("") { try known($0, 1) }
        #expect(days.isEmpty)
    }

    /// Coverage of half a century from a machine whose clock was at 1970, and coverage of the whole calendar.
    @Test func `the migration limits coverage like a merge`() throws {
        try old("INSERT INTO coverage VALUES (1, 0, 1397995200, 0), (2, 0, 253402300800, 3600)") { database in
            let days = try known(database, 1)
            #expect(days.count == 3660)
            #expect(days.first == "2004-04-13")
            #expect(days.last == "2014-04-20")
            let others = try known(database, 2)
            #expect(others.count == 3659)
            #expect(others.last == "9999-12-31")
        }
    }

    @Test func `an older program rejects a newer database`() throws {
        try withFixture { history in
            try history.database.close()
            for access in [StepDatabase.Access.reading, .writing] {
                expect(.newerVersion(path: history.path, found: Schema.current.version, supported: 1)) {
                    try StepDatabase(path: history.path, for: access, busyTimeout: 5, schema: Self.version1)
                }
            }
        }
    }
}
