internal import Postgres
internal import StepDomain

/// What one machine has sent of a subject, as an export: so its rows are checked and stored as those of a file.
struct PostgresHistory: ExportedHistory {
    /// Of the destination, in place of a path.
    let path: String
    let missing = ExportTable.stored.filter { !given.contains($0) }
    let held: HeldHistory
    /// The name of the user in the history.
    let user: String
    /// This machine's clock.
    let now: Timestamp
    /// - Throws: `ShareFailure`; what the body throws.
    let asking: @Sendable (_ body: (PostgresConnection) throws -> Void) throws -> Void

    private static let given: [ExportTable] = [
        .users, .profiles, .plans, .pedometers, .syncs, .samples, .implausible, .coverage, .deviceTotals, .corrections,
        .excluded, .deletedDays,
    ]

    func rows(_ row: (ExportTable, [String?]) throws -> Void) throws {
        try asking { connection in
            // All tables as they are at one moment.
            try connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            let content = try PostgresContent(connection, held, now, path: path)
            try row(.users, [user])
            try content.addPerson(of: user, row)
            try content.addSources(of: user, row)
            try addSamples(connection, content, row)
            try content.addRest(of: user, row)
            try connection.run("COMMIT")
        }
    }

    private func addSamples(
        _ connection: PostgresConnection, _ content: PostgresContent, _ row: (ExportTable, [String?]) throws -> Void
    ) throws {
        func add(_ source: String, _ sample: PostgresEvidence.Slot) throws {
            let number = content.number(of: source)
            try row(
                .samples,
                [
                    user, number, ExportValue.time(sample.start, utcOffset: sample.offset).text, "\(sample.seconds)",
                    "\(sample.steps)", sample.distance.map { "\($0)" }, sample.energy.map { "\($0)" }, number,
                ])
        }
        var excluded = content.excluded
        try connection.each(Self.samples, [held.subject, held.machine]) { values in
            let numbers = values[1..<5].map { $0.flatMap { Int($0) } }
            guard let source = values[0], let start = numbers[0], let seconds = numbers[1], let steps = numbers[2],
                let offset = numbers[3]
            else { throw ImportError.malformed(path: path, reason: "a row of istep.sample has no numbers") }
            excluded[source]?[start] = nil
            var sample = PostgresEvidence.Slot(
                StepSample(start: Timestamp(start), length: seconds, steps: steps, utcOffset: offset))
            sample.distance = values[5].flatMap { Double($0) }
            sample.energy = values[6].flatMap { Double($0) }
            try add(source, sample)
        }
        for (source, samples) in excluded.sorted(by: { $0.key < $1.key }) {
            for sample in samples.values.sorted(by: { $0.start < $1.start }) { try add(source, sample) }
        }
    }

    private static let samples = """
        SELECT source, extract(epoch FROM started)::bigint, seconds, steps, utc_offset, distance_m, energy_kcal
        FROM istep.sample WHERE subject = $1 AND machine = $2 ORDER BY source, started
        """
}
