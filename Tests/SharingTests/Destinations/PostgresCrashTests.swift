import Foundation
import Glibc
import Postgres
import StepDatabase
import StepDomain
import Support
import Synchronization
import TestSupport
import Testing

@testable import Sharing

/// The destination `postgres` where istep or the server is killed, and beside 99 others.
@Suite(.timeLimit(.minutes(5))) struct PostgresCrashTests {
    /// In the first window of days and in a later one. The server has committed what was sent at the last ones.
    @Test(arguments: [
        (PostgresProxy.Cut.before("to_regclass"), 0), (.before("INSERT INTO istep.day"), 1),
        (.before("\0COMMIT"), 1), (.answer(to: "\0COMMIT"), 0), (.answer(to: "\0COMMIT"), 2),
    ]) func `what a killed istep has sent is there once after the next share`(
        cut: PostgresProxy.Cut, connection: Int
    ) async throws {
        let minutes = try PostgresMinutes(days: 150)
        defer { minutes.remove() }
        let database = try await PostgresDatabase.make()
        func keys(_ port: Int) -> String {
            "host = '127.0.0.1'\nport = \(port)\ndatabase = '\(database.name)'\nusername = 'owner'\ninsecure = true"
        }
        let proxy = try await minutes.killed({ try minutes.command(keys($0)) }) {
            try PostgresProxy(to: database.cluster.socket + "/.s.PGSQL.5432", cut: cut, in: connection, then: $0)
        }
        let second = try await minutes.share(keys(proxy.port))
        #expect(second.status == 0, "\(second.said)")
        #expect(try await database.query(PostgresMinutes.query) == minutes.stored)
        await database.drop()
    }

    /// While it reads what it shows before, and while it stores it; the file may have been created.
    @Test(arguments: [1, 3]) func `a restore that is killed can be done again`(connection: Int) async throws {
        let minutes = try PostgresMinutes(days: 40)
        defer { minutes.remove() }
        let database = try await PostgresDatabase.make()
        #expect(try await minutes.share(database.keys()).status == 0)
        let new = minutes.directory + "/new/history.sqlite"
        func words(_ keys: String) throws -> [String] {
            try minutes.istep(["restore", "--from", "postgres:family", "--yes", "--db", new], keys)
        }
        let keys = "database = '\(database.name)'\nusername = 'owner'\ninsecure = true"
        _ = try await minutes.killed({ try words("host = '127.0.0.1'\nport = \($0)\n\(keys)") }) {
            try PostgresProxy(
                to: database.cluster.socket + "/.s.PGSQL.5432", cut: .answer(to: "FETCH"), in: connection, then: $0)
        }
        let again = try await minutes.run(words(database.keys()))
        #expect(again.status == 0, "\(again.said)")
        let restored = try StepDatabase(path: new, for: .reading)
        let user = try #require(try restored.users().first)
        let days = (0..<minutes.days).map { PostgresMinutes.first.advanced(by: $0) }
        let steps = try restored.dayData(of: user, on: days).map {
            DaySummary($0, localTime: .fixed(0), now: Timestamp(1_795_000_000)).steps
        }
        #expect(steps.allSatisfy { $0 == PostgresMinutes.steps })
        await database.drop()
    }

    @Test func `what was sent to a server that is killed is there once`() async throws {
        let cluster = try await PostgresCluster(restarts: true)
        let days = [
            SharePayload(.easter(steps: 100, tracks: [.track("ring", steps: 60, 40)])),
            SharePayload(.easter(steps: 7, later: 1)),
        ]
        for cut in [
            PostgresProxy.Cut.before("to_regclass"), .answer(to: "INSERT INTO istep.sample"), .before("\0COMMIT"),
            .answer(to: "\0COMMIT"),
        ] {
            let database = try await cluster.makeDatabase()
            let proxy = try PostgresProxy(to: cluster.socket + "/.s.PGSQL.5432", cut: cut) { cluster.kill() }
            let destination = try Fixture.destination(
                """
                [share.db]
                kind = "postgres"
                machine = "pi"
                host = "127.0.0.1"
                port = \(proxy.port)
                database = "\(database.name)"
                username = "owner"
                """)
            await #expect(throws: ShareFailure.self, "\(cut)") { try await destination.deliver(days) }
            await cluster.untilReady()
            if case .answer(to: "\0COMMIT") = cut {
                // A commit whose answer did not arrive was one.
                #expect(try await database.query("SELECT count(*) FROM istep.days") == ["2"])
            }
            _ = try await destination.deliver(days)
            let query = "SELECT sum(steps), max(machines), (SELECT sum(steps) FROM istep.sample) FROM istep.days"
            #expect(try await database.query(query) == ["107\t1\t100"], "\(cut)")
        }
    }

    /// Each sends a day of its own person, and a part of a day of one that all have.
    @Test func `a hundred machines send at once`() async throws {
        let cluster = try await PostgresCluster()
        let database = try await cluster.makeDatabase()
        let machines = 0..<100
        @Sendable func destination(_ machine: Int) throws -> any ShareDestination {
            try Fixture.destination("[share.db]\nkind = \"postgres\"\nmachine = 'm\(machine)'\n\(database.keys())")
        }
        // Until all of them wait for the same person.
        let isHeld = Mutex(false)
        let release = DispatchSemaphore(value: 0)
        let address = PostgresAddress(
            ["host": cluster.socket, "dbname": database.name, "user": "owner"], home: nil, insecure: false)
        let holder = Task {
            try await PostgresConnection.with(address, password: nil) { (connection) throws(PostgresError) in
                try connection.run("BEGIN")
                try connection.run("SELECT pg_advisory_xact_lock(hashtext('istep.day'), hashtext('Anna'))")
                isHeld.withLock { $0 = true }
                release.wait()
                try connection.run("COMMIT")
            }
        }
        defer { release.signal() }
        while !isHeld.withLock({ $0 }) { try await letOthersRun() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for machine in machines {
                group.addTask {
                    var track = SharedDay.Track.track("ring", steps: machine + 1)
                    track.samples[0].start = Timestamp(1_397_952_000 + machine * 600)
                    track.samples[0].length = 600
                    let own = User(id: 2, name: "P-\(machine)")
                    _ = try await destination(machine).deliver([
                        SharePayload(.easter(steps: machine + 1, tracks: [track])),
                        SharePayload(.easter(of: own, steps: 5, tracks: [.track("ring", steps: 5)])),
                    ])
                }
            }
            let waiting = """
                SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """
            while try await database.query(waiting) != ["100"] { try await letOthersRun() }
            release.signal()
            try await group.waitForAll()
        }
        try await holder.value
        let shared = "SELECT steps, machines FROM istep.days WHERE subject = 'Anna'"
        #expect(try await database.query(shared) == ["5050\t100"])
        let own = "SELECT count(*), sum(steps), max(machines) FROM istep.days WHERE subject <> 'Anna'"
        #expect(try await database.query(own) == ["100\t500\t1"])
        #expect(try await database.query("SELECT sum(steps) FROM istep.sample") == ["5550"])
    }
}
