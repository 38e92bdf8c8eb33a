import Foundation
import Postgres
import StepDomain
import TestSupport

/// A database of a test.
struct PostgresDatabase: Sendable {
    let cluster: PostgresCluster
    let name: String

    static func make(isEmpty: Bool = false) async throws -> PostgresDatabase {
        try await PostgresCluster.shared.value.makeDatabase(isEmpty: isEmpty)
    }

    /// Drops it at the end.
    static func with(isEmpty: Bool = false, _ body: (PostgresDatabase) async throws -> Void) async throws {
        let database = try await make(isEmpty: isEmpty)
        do { try await body(database) } catch {
            await database.drop()
            throw error
        }
        await database.drop()
    }

    /// With a directory for files beside it.
    static func withDirectory(
        isEmpty: Bool = false, _ body: (PostgresDatabase, _ directory: String) async throws -> Void
    ) async throws {
        let directory = try GuardedProcess.makeDirectory("istep-pg-files")
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await with(isEmpty: isEmpty) { try await body($0, directory) }
    }

    /// The keys of a destination that sends as a role, the owner if none is given.
    func keys(role: String? = nil) -> String {
        let login =
            role.map { "username = '\($0)'\npassword_env = '\(TestSecret.variable)'" } ?? "username = 'owner'"
        return "host = '\(cluster.socket)'\ndatabase = '\(name)'\n\(login)"
    }

    /// The destination that sends there, with more keys.
    func destination(_ more: String = "", role: String? = nil) throws -> any ShareDestination {
        try Fixture.destination("[share.db]\nkind = \"postgres\"\n\(keys(role: role))\n\(more)")
    }

    func send(_ days: SharedDay..., as machine: String) async throws {
        _ = try await destination("machine = '\(machine)'").deliver(days.map { SharePayload($0) })
    }

    /// Of each subject and day: the steps and the number of machines.
    func totals() async throws -> [String] {
        try await query("SELECT subject, day, steps, machines FROM istep.days ORDER BY subject, day")
    }

    @discardableResult
    func query(_ statements: String) async throws -> [String] { try await cluster.psql(name, statements) }

    /// For the owner.
    var address: PostgresAddress {
        PostgresAddress(["host": cluster.socket, "dbname": name, "user": "owner"], home: nil, insecure: false)
    }

    func drop() async { _ = try? await cluster.psql("postgres", "DROP DATABASE \(name)") }
}

/// A transaction that holds a lock, as an owner who has forgotten it does.
final class PostgresLock: Sendable {
    private let isReleased: DispatchSemaphore
    private let transaction: Task<Void, any Error>

    /// Returns when the statement has got the lock.
    init(_ database: PostgresDatabase, _ statement: String) async throws {
        let address = database.address
        let isReleased = DispatchSemaphore(value: 0)
        let (held, holds) = AsyncThrowingStream<Void, any Error>.makeStream()
        self.isReleased = isReleased
        transaction = Task {
            do {
                try await PostgresConnection.with(address, password: nil) { (connection) throws(PostgresError) in
                    try connection.run("BEGIN")
                    try connection.run(statement)
                    holds.yield()
                    isReleased.wait()
                    try connection.run("ROLLBACK")
                }
                holds.finish()
            } catch {
                holds.finish(throwing: error)
                throw error
            }
        }
        for try await _ in held { break }
    }

    deinit { isReleased.signal() }

    func release() async throws {
        isReleased.signal()
        try await transaction.value
    }
}
