import Foundation
import Glibc
import Sharing
import Synchronization
import TestSupport

/// Debian's PostgreSQL with a database for each test. One server serves all tests of a process, on a Unix socket.
final class PostgresCluster: Sendable {
    struct Failure: Error {
        var words: String
    }

    static let shared = Task { try await PostgresCluster() }

    /// The folder of its socket.
    let socket: String
    private let process: GuardedProcess
    private let count = Mutex(0)

    /// - Parameters:
    ///   - settings: of the server, besides those for speed.
    ///   - restarts: whether the server starts again when it was killed.
    ///   - primary: the server that this one repeats all changes of (streaming replication).
    ///   - diskSize: of a disk of its own at `disk`, such as "20m"; needs root.
    init(
        settings: [String] = [], restarts: Bool = false, standbyOf primary: PostgresCluster? = nil,
        diskSize: String? = nil
    ) async throws {
        let programs = try Self.programs()
        let directory = try GuardedProcess.makeDirectory("istep-pg")
        socket = directory
        // The server refuses to run as root.
        let nobody = getuid() == 0 ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
        if !nobody.isEmpty, chown(directory, 65_534, 65_534) != 0 { throw Failure(words: "chown") }
        let data = directory + "/data"
        func run(_ words: [String]) async throws {
            let all = nobody + words
            let done = try await GuardedProcess.run(all[0], Array(all.dropFirst()), in: directory)
            guard done.status == 0 else { throw Failure(words: done.said) }
        }
        if let primary {
            try await run(
                [
                    programs + "/pg_basebackup", "-h", primary.socket, "-U", "owner", "-D", data, "-c", "fast", "-R",
                    "-N",
                ])
        } else {
            try await run([
                programs + "/initdb", "-D", data, "-U", "owner", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync",
            ])
            let access =
                "local all,replication owner trust\nlocal all all scram-sha-256\nhost all owner 127.0.0.1/32 trust\n"
            try access.write(toFile: data + "/pg_hba.conf", atomically: false, encoding: .utf8)
        }
        var server =
            nobody + [
                programs + "/postgres", "-D", data, "-k", directory, "-c", "listen_addresses=", "-c", "fsync=off", "-c",
                "autovacuum=off", "-c", "max_connections=200",
            ] + settings.flatMap { ["-c", $0] }
        if restarts { server = ["/bin/sh", "-c", #"while :; do "$@"; sleep 0.1; done"#, "sh"] + server }
        if let diskSize {
            let mount = #"mount -t tmpfs -o "size=$1,mode=700,uid=65534,gid=65534" tmpfs "$2" && shift 2 && exec "$@""#
            let disk = directory + "/disk"
            try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
            server = ["/usr/bin/unshare", "-m", "/bin/sh", "-c", mount, "sh", diskSize, disk] + server
        }
        process = try GuardedProcess.start(server[0], Array(server.dropFirst()), directory: directory)
        guard await process.said.line(where: { $0.contains("ready to accept") }) != nil else {
            process.end()
            throw Failure(words: process.said.text)
        }
        if primary != nil { return }
        try await psql("postgres", "CREATE DATABASE template_istep")
        try await psql("template_istep", PostgresSchema.script)
        let password = TestSecret.text.replacing("'", with: "''")
        // A role of a household that may send anybody's days. It is not a machine, which must not have this right.
        try await psql(
            "template_istep",
            """
            CREATE ROLE pi LOGIN BYPASSRLS PASSWORD '\(password)';
            GRANT USAGE ON SCHEMA istep TO pi;
            GRANT USAGE ON SEQUENCE istep.revision TO pi;
            GRANT SELECT, INSERT, UPDATE, DELETE ON istep.day, istep.sample, istep.person, istep.enrolment TO pi;
            GRANT EXECUTE ON FUNCTION istep.prepare, istep.settle TO pi;
            """)
    }

    /// Where the disk of its own is.
    var disk: String { socket + "/disk" }

    /// Kills the server with all its processes at once, as a machine that stops.
    func kill() {
        let file = try? String(contentsOfFile: socket + "/data/postmaster.pid", encoding: .utf8)
        guard let first = file?.split(separator: "\n").first, let server = pid_t(first), server > 1 else { return }
        let children = (try? String(contentsOfFile: "/proc/\(server)/task/\(server)/children", encoding: .utf8)) ?? ""
        for process in [server] + children.split(separator: " ").compactMap({ pid_t($0) }) {
            _ = Glibc.kill(process, SIGKILL)
        }
    }

    /// Waits until a server that was killed answers again.
    func untilReady() async {
        while (try? await psql("postgres", "SELECT")) == nil { try? await letOthersRun() }
    }

    private static func programs() throws -> String {
        let versions = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")
        guard let newest = versions.max(by: { $0.compare($1, options: .numeric) == .orderedAscending }) else {
            throw Failure(words: "PostgreSQL is not installed")
        }
        return "/usr/lib/postgresql/\(newest)/bin"
    }

    /// A new database with istep's tables, or without them.
    func makeDatabase(isEmpty: Bool = false) async throws -> PostgresDatabase {
        let name = count.withLock {
            $0 += 1
            return "test_\($0)"
        }
        try await psql(
            "postgres",
            "CREATE DATABASE \(name) TEMPLATE \(isEmpty ? "template0" : "template_istep") STRATEGY file_copy")
        return PostgresDatabase(cluster: self, name: name)
    }

    /// The lines that statements print, with tabs between columns.
    @discardableResult
    func psql(_ database: String, as role: String = "owner", _ statements: String) async throws -> [String] {
        let file = socket + "/\(UUID().uuidString).sql"
        try statements.write(toFile: file, atomically: false, encoding: .utf8)
        let words = [
            "-h", socket, "-U", role, "-d", database, "-XAtq", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-f", file,
        ]
        let done = try await GuardedProcess.run("/usr/bin/psql", words, in: socket)
        try FileManager.default.removeItem(atPath: file)
        guard done.status == 0 else { throw Failure(words: done.said) }
        return done.said.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).dropLast()
    }
}
