import GRDB
import StepDomain
import Testing

@testable import StepDatabase

/// From the version that had the greatest number of an import among the scheduled imports to the one with a table for
/// it.
@Suite(.timeLimit(.minutes(5))) struct ImportNumbersMigrationTests {
    @Test(
        arguments: [
            ("", ["0"], []),
            (
                "INSERT INTO import VALUES (3, 1, 0, 'a.csv', 'csv', '0123456789abcdef', 'UTC', 0, 0, NULL, NULL, 0);",
                ["1"], ["3"]
            ),
            ("INSERT INTO scheduled_import VALUES ('import.number', '', 7, 0, NULL, 0, NULL);", ["1"], ["7"]),
        ])
    func `the greatest number moves to a table of its own`(sql: String, count: [String], last: [String]) throws {
        try withDirectory { directory in
            let path = directory + "/history.sqlite"
            let index = try #require(Schema.current.migrations.firstIndex { $0.name == "importNumbers" })
            let before = Schema(migrations: Array(Schema.current.migrations[..<index]))
            let old = try StepDatabase(path: path, for: .writing, busyTimeout: 5, schema: before)
            try old.queue.write { database in
                try database.execute(
                    sql: """
                        INSERT INTO person VALUES (1, 'Ada', 'ada');
                        INSERT INTO scheduled_import VALUES ('phone', NULL, NULL, NULL, NULL, 0, 'missing');
                        """ + sql)
            }
            try old.close()
            let database = try StepDatabase(path: path)
            func strings(_ sql: String) throws -> [String] {
                try database.queue.read { try String.fetchAll($0, sql: sql) }
            }
            #expect(try strings("SELECT count(*) FROM import_number") == count)
            #expect(try strings("SELECT last FROM import_number") == last)
            #expect(try strings("SELECT name FROM scheduled_import") == ["phone"])
            #expect(try database.scheduledImports().map(\.name) == ["phone"])
        }
    }
}
