internal import Foundation
internal import Postgres
internal import StepDomain

extension PostgresDestination: RestorableDestination {
    func heldHistories(of user: String?) async throws(ShareFailure) -> [HeldHistory] {
        let subject = user.map { rows.subjects?[$0.lowercased()] ?? $0 }
        let found = try await asking { (connection) throws(PostgresError) in
            try connection.run(Self.histories, [subject])
        }
        return try found.map { (row) throws(ShareFailure) in
            guard let subject = row[0], let machine = row[1], isSubject(subject), isSubject(machine) else {
                throw ShareFailure(
                    .rejected, "a row of istep.day has a name that istep does not write",
                    advice: "Compare the database: \(comparison)")
            }
            func number(_ column: Int) -> Int { row[column].flatMap { Int($0) } ?? 0 }
            let person = row[9].flatMap { try? JSONDecoder().decode(PostgresPerson.self, from: Data($0.utf8)) }
            let sources = row[8].flatMap { try? JSONDecoder().decode([String].self, from: Data($0.utf8)) }
            return HeldHistory(
                subject: subject, user: rows.users[subject] ?? (rows.subjects == nil ? subject : user ?? subject),
                machine: machine, isOwn: machine == rows.machine, firstDay: row[2].flatMap { Day($0) },
                lastDay: row[3].flatMap { Day($0) }, days: number(4), steps: number(5), daysWithoutSamples: number(6),
                daysWithoutCoverage: number(7), pedometers: sources?.sorted() ?? [],
                hasProfile: person?.profiles.isEmpty == false, hasPlan: person?.plans.isEmpty == false)
        }
    }

    /// Days that were deleted do not count.
    private static let histories = """
        SELECT subject, machine, to_char(min(day), 'YYYY-MM-DD'), to_char(max(day), 'YYYY-MM-DD'), count(*), sum(steps),
            count(*) FILTER (WHERE NOT has_samples AND corrected_at IS NULL),
            count(*) FILTER (WHERE has_samples AND evidence IS NULL),
            (SELECT json_agg(source) FROM (SELECT DISTINCT left(source, 300) AS source FROM istep.sample AS s
                WHERE s.subject = d.subject AND s.machine = d.machine LIMIT 500) AS x)::text,
            (SELECT content FROM istep.person AS p WHERE p.subject = d.subject AND p.machine = d.machine
                AND octet_length(content::text) <= \(PostgresEvidence.maximumSize))::text
        FROM istep.day AS d
        WHERE ($1::text IS NULL OR lower(subject) = lower($1))
            AND NOT (steps = 0 AND completeness = 'unknown' AND corrected_at IS NULL)
        GROUP BY subject, machine ORDER BY subject, machine
        """

    func export(_ held: HeldHistory) -> any ExportedHistory {
        PostgresHistory(path: "\(kind):\(name)", held: held, user: held.user, now: context.environment.now()) { body in
            let secret = try secret()
            do { try PostgresConnection.on(address, password: secret, body) } catch let error as PostgresError {
                throw failure(error, hiding: secret)
            }
        }
    }
}
