import Foundation
import Postgres
import StepDomain
import TestSupport
import Testing

@testable import Sharing

/// The destination `postgres` over a network that fails, and beside others who hold what it needs.
@Suite(.timeLimit(.minutes(5))) struct PostgresNetworkTests {
    private static let days = [
        SharePayload(.easter(steps: 100, tracks: [.track("ring", steps: 60, 40)])),
        SharePayload(.easter(steps: 7, later: 1)),
    ]
    private static let totals = "SELECT day, steps, machines FROM istep.days ORDER BY day"

    private static func destination(_ keys: String) throws -> any ShareDestination {
        try Fixture.destination("[share.db]\nkind = \"postgres\"\nmachine = 'pi'\n\(keys)")
    }

    /// In each phase: the connection, the number, the transaction, the lock, the days, what is there of their samples,
    /// a month, the samples, the profile, the sums, the end.
    @Test(arguments: [
        "user", "nextval", "BEGIN", "pg_advisory", "INSERT INTO istep.day", "to_regclass", "istep.prepare",
        "INSERT INTO istep.sample", "istep.person", "istep.settle", "COMMIT",
    ]) func `a network that is cut loses nothing and doubles nothing`(phase: String) async throws {
        for cut in [PostgresProxy.Cut.before(phase), .answer(to: phase)] {
            try await PostgresDatabase.with { database in
                let proxy = try PostgresProxy(to: database.cluster.socket + "/.s.PGSQL.5432", cut: cut)
                let destination = try Self.destination(
                    "host = '127.0.0.1'\nport = \(proxy.port)\ndatabase = '\(database.name)'\nusername = 'owner'")
                let failure = await #expect(throws: ShareFailure.self, "\(cut)") {
                    try await destination.deliver(Self.days)
                }
                let kind = phase == "COMMIT" ? ShareFailure.Kind.unanswered : .unreachable
                #expect(failure?.kind == kind, "\(cut): \(failure?.reason ?? "")")
                if case .before = cut { #expect(try await database.query(Self.totals) == []) }
                _ = try await destination.deliver(Self.days)
                #expect(try await database.query(Self.totals) == ["2014-04-20\t100\t1", "2014-04-21\t7\t1"], "\(cut)")
                #expect(try await database.query("SELECT sum(steps) FROM istep.sample") == ["100"])
            }
        }
    }

    /// Such as a backup, or another machine that sends ten years.
    @Test func `a delivery waits for a lock that another one holds`() async throws {
        try await PostgresDatabase.with { database in
            let lock = try await PostgresLock(
                database, "SELECT pg_advisory_xact_lock(hashtext('istep.day'), hashtext('Anna'))")
            let destination = try Self.destination(database.keys())
            let delivery = Task { try await destination.deliver(Self.days) }
            let waiting = """
                SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """
            while try await database.query(waiting) != ["1"] { try await letOthersRun() }
            #expect(try await database.query(Self.totals) == [])
            try await lock.release()
            #expect(try await delivery.value.count == 2)
            #expect(try await database.query(Self.totals) == ["2014-04-20\t100\t1", "2014-04-21\t7\t1"])
        }
    }

    /// It held the lock of sharing for as long as the server liked.
    ///
    /// - Parameter pause: seconds between what it sends; 0: there is always something to read.
    @Test(arguments: ["0.05", "0"])
    func `a server that goes on sending without an answer is left`(pause: String) async throws {
        try await PostgresDatabase.with { database in
            let error = await #expect(throws: PostgresError.self) {
                try await PostgresConnection.with(database.address, password: nil, seconds: 0.3) {
                    (connection) throws(PostgresError) in
                    try connection.run(
                        "DO $$ BEGIN LOOP RAISE NOTICE 'wait'; PERFORM pg_sleep(\(pause)); END LOOP; END $$")
                }
            }
            #expect(error == .lost(mayBeCommitted: false, reason: "the server did not answer within 3 s"))
        }
    }
}
