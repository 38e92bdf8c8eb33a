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

    /// - Parameter settings: of the server, besides those for speed.
    init(settings: [String] = []) async throws {
        let programs = try Self.programs()
        let directory = try GuardedProcess.makeDirectory("istep-pg")
        socket = directory
        // The server refuses to run as root.
        let nobody = getuid() == 0 ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
        if !nobody.isEmpty, chown(directory, 65_534, 65_534) != 0 { throw Failure(words: "chown") }
        let data = directory + "/data"
        func command(_ words: [String]) -> (String, [String]) {
            let all = nobody + words
            return (all[0], Array(all.dropFirst()))
        }
        let (initdb, words) = command([
            programs + "/initdb", "-D", data, "-U", "owner", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync",
        ])
        let made = try await GuardedProcess.run(initdb, words, in: directory)
        guard made.status == 0 else { throw Failure(words: made.said) }
        let access = "local all owner trust\nlocal all all scram-sha-256\nhost all owner 127.0.0.1/32 trust\n"
        try access.write(toFile: data + "/pg_hba.conf", atomically: false, encoding: .utf8)
        let (server, options) = command(
            [
                programs + "/postgres", "-D", data, "-k", directory, "-c", "listen_addresses=", "-c", "fsync=off", "-c",
                "autovacuum=off", "-c", "max_connections=200",
            ] + settings.flatMap { ["-c", $0] })
        process = try GuardedProcess.start(server, options, directory: directory)
        guard await process.said.line(where: { $0.contains("ready to accept connections") }) != nil else {
            process.end()
            throw Failure(words: process.said.text)
        }
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

/// A database of a test.
struct PostgresDatabase: Sendable {
    let cluster: PostgresCluster
    let name: String

    static func make(isEmpty: Bool = false) async throws -> PostgresDatabase {
        try await PostgresCluster.shared.value.makeDatabase(isEmpty: isEmpty)
    }

    /// The keys of a destination that sends as a role, the owner if none is given.
    func keys(role: String? = nil) -> String {
        let login =
            role.map { "username = '\($0)'\npassword_env = '\(TestSecret.variable)'" } ?? "username = 'owner'"
        return "host = '\(cluster.socket)'\ndatabase = '\(name)'\n\(login)"
    }

    @discardableResult
    func query(_ statements: String) async throws -> [String] { try await cluster.psql(name, statements) }

    func drop() async { _ = try? await cluster.psql("postgres", "DROP DATABASE \(name)") }
}
