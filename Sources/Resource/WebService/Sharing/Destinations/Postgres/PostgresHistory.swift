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

    /// Of days with samples: those without are left out. Numbers that cannot be right are those of a damaged database.
    func steps() throws -> [Day: Int] {
        var steps: [Day: Int] = [:]
        try asking { connection in
            try connection.run("BEGIN READ ONLY")
            try connection.each(Self.steps, [held.subject, held.machine]) { row in
                guard let day = row[0].flatMap({ Day($0) }), let count = row[1].flatMap({ Int($0) }) else {
                    throw ImportError.malformed(path: path, reason: "a row of istep.day has no day or no steps")
                }
                steps[day] = count
            }
            try connection.run("COMMIT")
        }
        return steps
    }

    private static let steps = """
        SELECT to_char(day, 'YYYY-MM-DD'), steps FROM istep.day
        WHERE subject = $1 AND machine = $2 AND has_samples AND corrected_at IS NULL AND completeness <> 'unknown'
        """

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
        SELECT source, extract(epoch FROM least(greatest(started, '0001-01-01'), '9999-12-31'))::bigint, seconds, steps, utc_offset, distance_m, energy_kcal
        FROM istep.sample WHERE subject = $1 AND machine = $2 ORDER BY started, source
        """
}
