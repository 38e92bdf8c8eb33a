import Foundation
import Glibc
import StepDomain
import TestSupport
import Testing

@testable import Sharing

/// Servers of PostgreSQL that fail, with `istep` itself: `.ci/full servers`.
@Suite(.realServers, .timeLimit(.minutes(10))) struct RealPostgresTests {
    /// By streaming replication. The first server confirms what the second one has, too: so a confirmed day is there.
    @Test func `after a failover all days are there once`() async throws {
        for cut in [PostgresProxy.Cut.before("\0COMMIT"), .answer(to: "\0COMMIT"), .before("INSERT INTO istep.sample")]
        {
            let first = try await PostgresCluster()
            let database = try await first.makeDatabase()
            let second = try await PostgresCluster(standbyOf: first)
            try await first.psql("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'")
            try await first.psql("postgres", "SELECT pg_reload_conf()")
            let replicated = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
            while try await first.psql("postgres", replicated) != ["1"] { try await letOthersRun() }

            let proxy = try PostgresProxy(to: first.socket + "/.s.PGSQL.5432", cut: cut, in: 2, isLast: true) {
                first.kill()
            }
            // Whichever of the two takes days.
            let keys = """
                url = "postgresql://owner@/\(database.name)?host=127.0.0.1,\(second.socket)&port=\(proxy.port),5432&target_session_attrs=read-write"
                insecure = true
                """
            let minutes = try PostgresMinutes(days: 200)
            defer { minutes.remove() }
            let failed = try await minutes.share(keys)
            #expect(failed.status == 75, "\(failed.said)")
            let waiting = try await minutes.share(keys)
            #expect(waiting.status == 75, "a server that only repeats takes nothing: \(waiting.said)")
            try await second.psql("postgres", "SELECT pg_promote()")
            let again = try await minutes.share(keys)
            #expect(again.status == 0, "\(again.said)")
            let stored = try await second.psql(database.name, PostgresMinutes.query)
            #expect(stored == minutes.stored, "\(cut)")
        }
    }

    /// Longer than a delivery waits for a silent server.
    @Test func `behind a lock that is not released days wait, and come once`() async throws {
        try await PostgresDatabase.with { database in
            let lock = try await PostgresLock(database, "LOCK TABLE istep.day")
            let minutes = try PostgresMinutes(days: 40)
            defer { minutes.remove() }
            let failed = try await minutes.share(database.keys())
            #expect(failed.status == 75, "\(failed.said)")
            #expect(failed.said.split(separator: " ").joined(separator: " ").contains("silent"), "\(failed.said)")
            // The server still waits for the lock, on behalf of an istep that is no longer there.
            let waiting = """
                SELECT count(*) FROM pg_stat_activity
                WHERE application_name = 'istep' AND datname = current_database() AND wait_event_type = 'Lock'
                """
            #expect(try await database.query(waiting) == ["1"])
            try await lock.release()
            while try await database.query(waiting.replacing("AND wait_event_type = 'Lock'", with: "")) != ["0"] {
                try await letOthersRun()
            }
            #expect(try await database.query("SELECT count(*) FROM istep.day") == ["0"])
            let again = try await minutes.share(database.keys())
            #expect(again.status == 0, "\(again.said)")
            #expect(try await database.query(PostgresMinutes.query) == minutes.stored)
        }
    }

    @Test(.enabled(if: getuid() == 0, "a disk of its own needs root"))
    func `on a full disk nothing is half there, and all days come when there is room`() async throws {
        let minutes = try PostgresMinutes(days: 300)
        defer { minutes.remove() }
        let cluster = try await PostgresCluster(diskSize: "24m")
        try await cluster.psql("postgres", "CREATE TABLESPACE small LOCATION '\(cluster.disk)'")
        try await cluster.psql(
            "postgres", "CREATE DATABASE health TABLESPACE small TEMPLATE template_istep STRATEGY file_copy")
        func onDisk(_ command: String) async throws {
            try await cluster.psql("health", "COPY (SELECT 1) TO PROGRAM 'cd \(cluster.disk) && \(command)'")
        }
        try await onDisk(
            "cat >/dev/null; head -c $(($(df --output=avail -B1 . | tail -1) - 3000000)) /dev/zero >filler")
        let keys = "host = '\(cluster.socket)'\ndatabase = 'health'\nusername = 'owner'"
        let full = try await minutes.share(keys)
        // The message is wrapped at any of its blanks.
        let words = full.said.split { $0 == " " || $0.isNewline }.joined(separator: " ")
        #expect(full.status == 75 && words.contains("No space left on device"), "\(full.said)")
        let half = try await cluster.psql(
            "health",
            "SELECT count(*) * 96 - (SELECT count(*) FROM istep.sample), count(*) - (SELECT count(*) FROM istep.total) FROM istep.day"
        )
        #expect(half == ["0\t0"])
        try await onDisk("cat >/dev/null; rm filler")
        let again = try await minutes.share(keys)
        #expect(again.status == 0, "\(again.said)")
        #expect(try await cluster.psql("health", PostgresMinutes.query) == minutes.stored)
    }
}
