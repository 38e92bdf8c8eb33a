internal import Glibc
internal import Postgres
internal import Settings
internal import StepDomain
internal import Support

extension DestinationKind {
    static let postgres = DestinationKind(
        key: "postgres", title: "a PostgreSQL database that several machines share: days and samples",
        specificExample: """
            [share.study]
            kind = "postgres"
            # The server, its database and the role of this machine. The database has the tables that
            # `istep postgres schema` prints.
            host = "db.example.org"
            database = "health"
            # A directory such as "/var/run/postgresql" is a Unix socket: no password is needed there.

            # username = "pi"                      # default: the name of your account
            # password_file = "~/.config/istep/study.password"    # readable by you only (chmod 600); default: ~/.pgpass
            # password_env = "ISTEP_DB_PASSWORD"   # or an environment variable,
            # password_credential = "study"        # or a systemd credential
            # port = 5432
            # url = "postgresql://pi@db.example.org/health"       # instead of host, port, database and username, or
            # service = "health"                   # a section of ~/.pg_service.conf

            # machine = "pi-kitchen"               # the name of this machine there, unique; default: its host name
            # samples = true                       # false: only the figures of days
            # personal = true                      # also profile, goals, pedometers and the reasons of corrections, for
            #                                      # `istep restore`. Everybody who owns the database can read them
            # subjects = { Anna = "P-0042" }       # the names there; only these users are sent. Default: the users' names
            # ca_file = "/etc/ssl/study.pem"       # certificates that the server's is verified by; default:
            #                                      # ~/.postgresql/root.crt, or those of the system
            # insecure = false                     # true: without TLS, also to other machines
            """
    ) { reader, context in
        let address = reader.postgresAddress(home: context.environment.home)
        let password = reader.secret("password", isRequired: false)
        let machine = reader.subject("machine", "the name of this machine, unique in the database")
        let samples = reader.flag("samples") ?? true
        let isPersonal = reader.flag("personal") ?? false
        if isPersonal, !samples { reader.refuse("personal", expected: "left out, or false, with `samples = false`") }
        let subjects = reader.subjects()
        guard let address else { return nil }
        let rows = PostgresRows(
            machine: machine ?? hostName(),
            subjects: subjects.map { Dictionary($0.map { ($0.key.lowercased(), $0.value) }) { $1 } },
            users: Dictionary((subjects ?? [:]).map { ($0.value, $0.key) }) { $1 },
            includesSamples: samples, isPersonal: isPersonal)
        return PostgresDestination(context: context, address: address, password: password, rows: rows)
    }
}

extension TableReader {
    /// A name that the database accepts.
    fileprivate mutating func subject(_ key: String, _ expected: String) -> String? {
        value(key, expected + ": up to 200 characters, none of them a control character") {
            isSubject($0) ? $0 : nil
        }
    }

    /// A subject is one person: the days of two would replace each other.
    fileprivate mutating func subjects() -> [String: String]? {
        let expected = "a table with another name for each user, such as { Anna = \"P-0042\" }, of up to 200 characters"
        guard let subjects = textTable("subjects", expected) else { return nil }
        if !subjects.values.allSatisfy(isSubject) || Set(subjects.values).count < subjects.count {
            refuse("subjects", expected: expected)
        }
        return subjects
    }

    fileprivate mutating func postgresAddress(home: String?) -> PostgresAddress? {
        let hostExpected = "the name or address of the server, or the directory of its socket (/var/run/postgresql)"
        let uriExpected = "an address without a password, such as postgresql://pi@db.example.org/health"
        let isNamed = table.keys.contains("url") || table.keys.contains("service")
        let host = isNamed ? text("host", hostExpected) : requireText("host", hostExpected)
        let databaseExpected = "the name of the database"
        let database = isNamed ? text("database", databaseExpected) : requireText("database", databaseExpected)
        // libpq would read such a name as a whole address, with a password in it.
        if let database, database.contains("=") || PostgresAddress.isAddress(database) {
            refuse("database", expected: databaseExpected, isPrivate: true)
        }
        let uri = text("url", uriExpected)
        let parameters: [(key: String, keyword: String, value: String?)] = [
            ("host", "host", host), ("database", "dbname", database),
            ("port", "port", integer("port", in: 1...65_535, "a port from 1 to 65535").map { "\($0)" }),
            ("username", "user", text("username", "the name of this machine's role")),
            ("service", "service", text("service", "the name of a section of ~/.pg_service.conf")),
        ]
        let certificates = authorities()
        let isInsecure = flag("insecure") ?? false
        if let uri {
            guard PostgresAddress.isURI(uri) else {
                refuse("url", expected: uriExpected, isPrivate: true)
                return nil
            }
            for (key, _, value) in parameters where value != nil {
                refuse(key, expected: "left out: it is part of `url`")
            }
        }
        guard isNamed || host != nil && database != nil else { return nil }
        var keywords = Dictionary(
            parameters.compactMap { parameter in parameter.value.map { (parameter.keyword, $0) } }
        ) { $1 }
        if let uri { keywords["dbname"] = uri }
        if let certificates { keywords["sslrootcert"] = certificates }
        return PostgresAddress(keywords, home: home, insecure: isInsecure)
    }
}

/// Whether a name can be that of a subject or a machine.
func isSubject(_ name: String) -> Bool {
    1...200 ~= name.unicodeScalars.count && !name.unicodeScalars.contains { $0.properties.generalCategory == .control }
}

private func hostName() -> String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "machine" }
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// A PostgreSQL database with the schema of `PostgresSchema`, which several machines and people share.
///
/// Each machine keeps its own rows of a day, and the database merges them by the rule of `MergedTracks`: two machines
/// that read one pedometer, or one person with two, do not count twice. Sending a day again replaces it; a delivery
/// that began earlier never replaces a later one. So after a lost answer the day is sent again.
struct PostgresDestination: ConfiguredDestination, InspectableDestination {
    let context: DestinationContext
    let address: PostgresAddress
    let password: SecretSource?
    let rows: PostgresRows

    var location: String { address.description }

    var traits: ShareTraits {
        var traits = ShareTraits.replacing
        traits.batch = 32
        traits.includesSamples = rows.includesSamples
        traits.includesEvidence = rows.includesSamples
        traits.includesPerson = rows.isPersonal
        // 0: without evidence, which needs version 4 of the schema.
        if rows.includesSamples { traits.layout = 1 }
        return traits
    }

    /// A subject of the configuration goes on with the new name in its place.
    func place(of user: User, slug: String) -> String? { rows.subjects == nil ? user.name : nil }

    /// Only users who have a subject are sent.
    var terms: ShareTerms {
        var terms = context.terms
        if let subjects = rows.subjects, terms.users == nil { terms.users = subjects.keys.sorted() }
        return terms
    }

    func problems() -> [String] {
        ShareFailure.reasons { () throws(ShareFailure) in _ = try secret() }
    }

    func preview(_ payloads: [SharePayload]) -> String {
        let days = payloads.map(\.day)
        let lines =
            days.map { "istep.day | \(PostgresRows.text(rows.day($0)))" }
            + days.flatMap { rows.samples($0).map { "istep.sample | \(PostgresRows.text($0))" } }
            + days.compactMap { day in
                rows.person(day).map { "istep.person | \(rows.subject(day.user)) | \(rows.machine) | \($0)" }
            }
        return (["To \(address.description)" + (password == nil ? "" : ", password \(Credentials.shownText)")] + lines)
            .joined(separator: "\n")
    }

    func deliver(_ payloads: [SharePayload]) async throws(ShareFailure) -> [ShareReceipt] {
        let days = payloads.map(\.day)
        let missing = try await asking { [rows] (connection) throws(PostgresError) -> PostgresEnrolment? in
            do throws(PostgresError) {
                try connection.store(days, rows)
                return nil
            } catch {
                guard case .refused("42501", _) = error else { throw error }
                try connection.run("ROLLBACK")
                let enrolment = try connection.enrolment()
                if enrolment.missing(days.map { rows.subject($0.user) }).isEmpty { throw error }
                return enrolment
            }
        }
        if let missing { throw refusal(of: missing, days.map(\.user)) }
        return payloads.map { _ in ShareReceipt() }
    }

    func check() async throws(ShareFailure) -> String { try await check(for: []) }

    func check(for users: [User]) async throws(ShareFailure) -> String {
        let inspection = try await inspect(for: users)
        guard let first = inspection.findings.first else { return inspection.description }
        let others = inspection.findings.count - 1
        throw ShareFailure(
            first.kind == .schema ? .misconfigured : .credentials,
            first.text + (others == 0 ? "" : others == 1 ? ", and 1 other finding" : ", and \(others) other findings"),
            advice: others == 0 ? first.advice : first.advice.sentence + " See all: \(comparison)")
    }

    /// The command that shows all that differs.
    var comparison: String { "`istep postgres check \(shellQuoted(name))`" }

    /// Without users, those that the configuration names.
    func inspect(for users: [User]) async throws(ShareFailure) -> DestinationInspection {
        let subjects =
            users.isEmpty
            ? (rows.subjects?.values).map(Array.init) ?? [] : users.filter(terms.include).map(rows.subject)
        return try await asking { [rows] (connection) throws(PostgresError) in
            // A hostile or damaged database must not be changed by what is asked.
            try connection.run("BEGIN READ ONLY")
            // The server leaves out schemas that are searched when it shows conditions.
            try connection.run("SET LOCAL search_path = pg_catalog")
            let inspection = try PostgresInspection(connection, subjects: subjects)
            let schema = inspection.schema.map { ", schema \($0)" } ?? ""
            return DestinationInspection(
                description: "PostgreSQL \(inspection.server)\(schema), as machine \(quoted(rows.machine))",
                findings: inspection.findings)
        }
    }

    /// Nothing of the delivery was stored, as those of other users are in one transaction with these.
    private func refusal(of enrolment: PostgresEnrolment, _ users: [User]) -> ShareFailure {
        let missing = enrolment.missing(users.map(rows.subject))
        let finding = enrolment.finding(missing.first ?? "")
        let others = missing.count > 2 ? " and \(missing.count - 1) others" : missing.count > 1 ? " and 1 other" : ""
        return ShareFailure(
            .credentials, finding.text + others, advice: finding.advice,
            users: Set(users.filter { missing.contains(rows.subject($0)) }.map(\.id)))
    }

    func secret() throws(ShareFailure) -> Secret? {
        guard let password else { return nil }
        return try password.secret(context.environment.variables)
    }

    func asking<R: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws(PostgresError) -> R
    ) async throws(ShareFailure) -> R {
        let secret = try secret()
        do throws(PostgresError) {
            return try await PostgresConnection.with(address, password: secret, body)
        } catch {
            throw failure(error, hiding: secret)
        }
    }
}

extension String {
    /// With one full stop at the end.
    fileprivate var sentence: String { hasSuffix(".") ? self : self + "." }
}
