import Foundation
import Glibc
import Postgres
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
        (PostgresProxy.Cut.before("COPY sample_in"), 0), (.before("INSERT INTO istep.day"), 1),
        (.before("\0COMMIT"), 1), (.answer(to: "\0COMMIT"), 0), (.answer(to: "\0COMMIT"), 2),
    ]) func `what a killed istep has sent is there once after the next share`(
        cut: PostgresProxy.Cut, connection: Int
    ) async throws {
        let minutes = try PostgresMinutes(days: 150)
        defer { minutes.remove() }
        let database = try await PostgresDatabase.make()
        let process = Mutex<pid_t?>(nil)
        let proxy = try PostgresProxy(to: database.cluster.socket + "/.s.PGSQL.5432", cut: cut, in: connection) {
            process.withLock { if let process = $0 { kill(process, SIGKILL) } }
        }
        let keys =
            "host = '127.0.0.1'\nport = \(proxy.port)\ndatabase = '\(database.name)'\nusername = 'owner'\ninsecure = true"
        let words = try minutes.command(keys)
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        // The proxy waits here until the number of the process is known.
        let started = try process.withLock { process in
            let started = try Spawn.start(words, descriptors: [null, null, null])
            process = started
            return started
        }
        #expect(try await blocking { Spawn.wait(for: started) } == nil, "it ended by itself")
        let second = try await minutes.share(keys)
        #expect(second.status == 0, "\(second.said)")
        #expect(try await database.query(PostgresMinutes.query) == minutes.stored)
        await database.drop()
    }

    @Test func `what was sent to a server that is killed is there once`() async throws {
        let cluster = try await PostgresCluster(restarts: true)
        let days = [
            SharePayload(.easter(steps: 100, tracks: [.track("ring", steps: 60, 40)])),
            SharePayload(.easter(steps: 7, later: 1)),
        ]
        for cut in [
            PostgresProxy.Cut.before("COPY sample_in"), .answer(to: "INSERT INTO istep.sample"), .before("\0COMMIT"),
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
            let waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
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
