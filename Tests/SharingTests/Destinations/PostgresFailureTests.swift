import Postgres
import StepDomain
import TestSupport
import Testing

@testable import Sharing

/// What a shared database refuses, and what the user is told then.
@Suite(.timeLimit(.minutes(5))) struct PostgresFailureTests {
    /// All statements, one after the other, with fewer participants.
    @Test func `the statements and tables of the manual work`() async throws {
        try await PostgresDatabase.with { database in
            let statements = try Manual.blocks("sql", on: "postgres.md").joined(separator: "\n")
            #expect(statements.contains("generate_series(1, 1000)"))
            let roles = try await database.query(
                statements.replacing("1000", with: "50")
                    + "\nSELECT count(*) FROM pg_roles WHERE rolname ~ '^p\\d{4}$';"
                    + "SELECT role, subject FROM istep.enrolment WHERE role !~ '^p\\d{4}$' ORDER BY 1, 2;"
                    + "SELECT format('DROP ROLE %I', rolname) FROM pg_roles"
                    + " WHERE rolname ~ '^p\\d{4}$' OR rolname IN ('kitchen', 'study', 'grafana') \\gexec")
            #expect(roles.suffix(3) == ["49", "kitchen\tAnna", "kitchen\tBob"], "\(roles)")
            for table in try Manual.blocks("toml", on: "postgres.md") {
                #expect(try Fixture.destination(table, environment: [:]).kind == "postgres")
            }
        }
    }

    @Test func `failures say what to do`() async throws {
        try await PostgresDatabase.with(isEmpty: true) { database in
            let payload = SharePayload(.easter(tracks: [.track("ring", steps: 60)]))
            let absent = "host = '/nowhere'\ndatabase = 'health'\n"
            let stranger = try Fixture.destination(
                "[share.db]\nkind = \"postgres\"\n\(database.keys(role: "pi"))",
                environment: [TestSecret.variable: "wrong"])
            // Refused for another reason than its password, and only for now.
            let busy = "busy_\(database.name)"
            let word = TestSecret.text.replacing("'", with: "''")
            try await database.query("CREATE ROLE \(busy) LOGIN PASSWORD '\(word)' CONNECTION LIMIT 0")
            let cases: [(any ShareDestination, ShareFailure.Kind, String)] = [
                (try database.destination(), .misconfigured, "istep postgres schema"),
                (stranger, .credentials, "password"),
                (try database.destination(role: busy), .unreachable, ""),
                (
                    try Fixture.destination("[share.db]\nkind = \"postgres\"\n\(absent)"), .unreachable,
                    "/var/run/postgresql"
                ),
            ]
            for (destination, kind, advice) in cases {
                for failure in [
                    await #expect(throws: ShareFailure.self) { try await destination.check() },
                    await #expect(throws: ShareFailure.self) { try await destination.deliver([payload]) },
                ] {
                    #expect(failure?.kind == kind, "\(failure?.reason ?? "")")
                    #expect(failure?.advice?.contains(advice) ?? advice.isEmpty)
                }
            }
        }
    }

    @Test func `the script can be carried out again, and a check names the version`() async throws {
        try await PostgresDatabase.with { database in
            try await database.send(.easter(steps: 60, tracks: [.track("ring", steps: 60)]), as: "pi")
            try await database.query(PostgresSchema.script)
            #expect(try await database.totals() == ["Anna\t2014-04-20\t60\t1"])
            #expect(try await database.destination("machine = 'pi'").check().hasSuffix("schema 5, as machine \"pi\""))
            try await database.query(
                "CREATE OR REPLACE FUNCTION istep.version() RETURNS integer LANGUAGE sql AS 'SELECT 0'")
            let failure = await #expect(throws: ShareFailure.self) { try await database.destination().check() }
            #expect(failure?.reason == "the schema has version 0, this istep needs 5")
        }
    }

    /// Imports can have them; all of their steps count on the day on which they begin.
    @Test func `a record of more than a day does not keep its day from the database`() async throws {
        try await PostgresDatabase.with { database in
            let sample = StepSample(start: Timestamp(1_397_980_000), length: 49 * 3600, steps: 15_000, utcOffset: 7200)
            try await database.send(
                .easter(steps: 15_000, tracks: [.init(pedometer: "ring", samples: [sample])]), as: "pi")
            #expect(try await database.totals() == ["Anna\t2014-04-20\t15000\t1"])
        }
    }

    @Test func `samples of impossible times are rejected`() async throws {
        try await PostgresDatabase.with { database in
            let sample = StepSample(start: Timestamp(4_000_000_000), length: 900, steps: 5, utcOffset: 0)
            let failure = await #expect(throws: ShareFailure.self) {
                try await database.send(
                    .easter(tracks: [.init(pedometer: "ring", samples: [sample])]), as: "pi")
            }
            #expect(failure?.kind == .rejected)
        }
    }

    @Test(arguments: [
        ("url = 'postgresql://anna:secret@db/health'", "an address without a password"),
        ("url = 'http://db/health'", "an address without a password"),
        ("url = 'postgresql://db/health'\nhost = 'db'", "left out: it is part of `url`"),
        ("host = 'db'", "database"), ("database = 'health'", "host"), ("host = 'db'\ndatabase = 'h'\nport = 0", "port"),
        ("url = 'postgresql://db/health?pass%77ord=secret'", "an address without a password"),
        ("host = 'db'\ndatabase = 'dbname=health password=secret'", "the name of the database"),
        ("host = 'db'\ndatabase = 'h'\nsubjects = { Anna = 'P-1', Bob = 'P-1' }", "another name for each user"),
        ("host = 'db'\ndatabase = 'h'\nmachine = \"a\\nb\"", "control character"),
    ])
    func `a wrong address is refused`(keys: String, words: String) {
        let problems = Fixture.problems("[share.db]\nkind = \"postgres\"\n\(keys)\n")
        #expect(problems.joined().contains(words))
        #expect(!problems.joined().contains("secret"))
    }

    /// Of another machine, the certificate and the name are verified.
    @Test(arguments: [
        ("host = 'db'\ndatabase = 'h'", "verify-full"), ("host = '127.0.0.1'\ndatabase = 'h'", "prefer"),
        ("host = '/run/postgresql'\ndatabase = 'h'", "prefer"), ("service = 'health'", "verify-full"),
        ("url = 'postgresql://db/h'", "verify-full"), ("url = 'postgresql://localhost/h'", "prefer"),
        ("url = 'postgresql:///h'", "prefer"), ("url = 'postgresql:///h?host=db'", "verify-full"),
        ("url = 'postgresql://a,b/h'", "verify-full"), ("host = 'db'\ndatabase = 'h'\ninsecure = true", "prefer"),
        ("url = 'postgresql://localhost@db/h'", "verify-full"),
        ("url = 'postgresql://localhost/h?sslmode=verify-full'", "verify-full"),
        ("host = 'localhost'\ndatabase = 'h'\nca_file = '/ca.pem'", "verify-full"),
        ("url = 'postgresql://db/h?sslmode=disable'", "verify-full"),
        ("host = 'localhost,db'\ndatabase = 'h'", "verify-full"),
    ])
    func `TLS is verified unless the server is this machine`(keys: String, mode: String) throws {
        let destination = try Fixture.destination("[share.db]\nkind = \"postgres\"\n\(keys)\n")
        let postgres = try #require(destination as? PostgresDestination)
        #expect(postgres.address.parameters["sslmode"] == mode)
    }
}
