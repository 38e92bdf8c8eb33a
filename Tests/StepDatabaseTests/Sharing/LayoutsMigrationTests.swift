import GRDB
import StepDomain
import StepServices
import TestSupport
import Testing

@testable import StepDatabase

/// From the version before the layouts of destinations to the one that has them.
@Suite(.timeLimit(.minutes(5))) struct LayoutsMigrationTests {
    @Test(arguments: [StepDatabase.Access.reading, .writing])
    func `migrated destinations have layout 0 and keep their state`(_ access: StepDatabase.Access) throws {
        try withOldHistory { path in
            let database = try StepDatabase(path: path, for: access)
            #expect(
                try database.state(of: "metrics")
                    == DestinationState(
                        name: "metrics", firstDay: day, notBefore: noon, failures: 3, stopped: "token", layout: 0))
        }
    }

    @Test func `a layout is stored and read back`() throws {
        try withOldHistory { path in
            let database = try StepDatabase(path: path)
            var state = try database.state(of: "metrics")
            state.layout = 1
            try database.record(state)
            #expect(try database.state(of: "metrics") == state)
        }
    }

    /// Days that an earlier version has sent to InfluxDB are sent once more, and then not again.
    @Test func `days that were sent before are sent in the new layout once`() async throws {
        try await withOldHistory { path in
            let database = try StepDatabase(path: path)
            var traits = ShareTraits.replacing
            traits.layout = 1
            let metrics = ScriptedDestination("metrics", traits, terms: ShareTerms(since: Period.calendar.lowerBound))
            let service = Outbox(history: database, ledger: database, localTime: .fixed(0), now: { noon + 86_400 })
            func share() async throws -> [ShareReport.Event.Outcome] {
                var state = try database.state(of: "metrics")
                state.release()
                try database.record(state)
                return try await service.share(.due, to: [metrics], users: database.users()).flatMap {
                    $0.events.map(\.outcome)
                }
            }
            #expect(try await share() == [.corrected])
            #expect(metrics.payloads.map(\.day.day) == [day])
            #expect(metrics.payloads.map(\.remoteID) == [nil])
            #expect(try await share() == [])
        }
    }

    /// A history of the previous version, in which the steps of one day were sent to a destination.
    private func withOldHistory<T>(_ body: (String) async throws -> T) async throws -> T {
        try await withDirectory { directory in
            let path = directory + "/history.sqlite"
            try Self.make(path)
            return try await body(path)
        }
    }

    private func withOldHistory<T>(_ body: (String) throws -> T) throws -> T {
        try withDirectory { directory in
            let path = directory + "/history.sqlite"
            try Self.make(path)
            return try body(path)
        }
    }

    private static func make(_ path: String) throws {
        let index = try #require(Schema.current.migrations.firstIndex { $0.name == "layouts" })
        let before = Schema(migrations: Array(Schema.current.migrations[..<index]))
        let old = try StepDatabase(path: path, for: .writing, busyTimeout: 5, schema: before)
        try old.queue.write { database in
            try database.execute(
                sql: """
                    INSERT INTO person VALUES (1, 'Ada', 'ada');
                    INSERT INTO pedometer VALUES (1, 1, 'colmi', '30:34:42:00:00:01', 'public', 'ring', 'ring', '{}', '{}', '{}', 0);
                    INSERT INTO sync (pedometer, started_at, ended_at, outcome) VALUES (1, 0, 1, 'complete');
                    INSERT INTO sample VALUES (1, 1397980800, 3600, 4000, NULL, NULL, 0, 1);
                    INSERT INTO changed_day VALUES (1, '2014-04-20', 1, 1);
                    INSERT INTO share
                        (destination, person, day, state, asked, fingerprint, confirmed, attempts, first_attempt, next_attempt, last_error,
                            remote_id, changed_at, stale) VALUES
                        ('metrics', 1, '2014-04-20', 'sent', 0, 'abc', 'abc', 0, NULL, NULL, NULL, NULL, 1397995200, 0);
                    INSERT INTO share_watermark VALUES ('metrics', 1, '1970-01-01', 1);
                    INSERT INTO destination (name, first_day, not_before, failures, stopped) VALUES ('metrics', '2014-04-20', 1397995200, 3, 'token');
                    """)
        }
        try old.close()
    }
}
