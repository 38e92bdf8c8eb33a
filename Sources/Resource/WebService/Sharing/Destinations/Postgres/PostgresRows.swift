internal import Postgres
internal import StepDomain

/// The rows of days and samples that go to a shared database, and how they are stored there.
struct PostgresRows: Sendable {
    /// The columns of `istep.day` that a machine sends, in the order of `day`.
    static let dayColumns =
        "subject, day, machine, steps, distance_m, energy_kcal, goal, completeness, in_progress, corrected_at, "
        + "utc_offset, excluded, has_samples, last_sync, evidence"
    /// Those of `istep.sample`.
    static let sampleColumns =
        "subject, machine, source, started, seconds, steps, utc_offset, day, rank, "
        + "distance_m, energy_kcal"

    var machine: String
    /// Subjects by the users' names in lower case; nil if each user is a subject by name.
    var subjects: [String: String]?
    /// The users' names by their subjects.
    var users: [String: String] = [:]
    var includesSamples: Bool
    /// Whether profile, plans, pedometers and the user's own texts are sent as well.
    var isPersonal = false

    /// A pedometer's part of a day, with the name that no other has on this day: a pedometer that is out of use can
    /// have the name of one in use.
    struct Track {
        var name: String
        var rank: Int
        var content: SharedDay.Track
    }

    func subject(_ user: User) -> String { subjects?[user.name.lowercased()] ?? user.name }

    func day(_ day: SharedDay) -> PostgresRow {
        let summary = day.summary
        let excluded = summary.excluded.map(\.exclusion.span).map { "[\(time($0.start)),\(time($0.end)))" }
        let count: (Int?) -> String? = { $0.map { "\($0)" } }
        return PostgresRow([
            subject(day.user), "\(day.day)", machine, "\(day.steps)", count(day.metres), count(day.kilocalories),
            summary.isRestDay ? "0" : count(summary.goal), summary.completeness.rawValue,
            flag(summary.isInProgress), summary.isCorrected ? time(summary.correctedAt ?? Timestamp(0)) : nil,
            "\(day.utcOffset)", "{\(excluded.joined(separator: ","))}", flag(includesSamples),
            summary.lastSync.map(time), evidence(day),
        ])
    }

    private func evidence(_ day: SharedDay) -> String? {
        includesSamples ? columnText(PostgresEvidence(day, tracks(day), isPersonal: isPersonal)) : nil
    }

    private func tracks(_ day: SharedDay) -> [Track] {
        var taken: Set<String> = []
        return day.tracks.enumerated().map { index, track in
            let rank = track.evidence.map { Int($0.pedometer) } ?? index
            let isFree = taken.insert(track.pedometer).inserted
            return Track(
                name: isFree ? track.pedometer : "\(track.pedometer) (\(rank))", rank: rank, content: track)
        }
    }

    /// What is stored of a person; nil if nothing.
    func person(_ day: SharedDay) -> String? { day.person.flatMap { columnText(PostgresPerson($0)) } }

    func samples(_ day: SharedDay) -> [PostgresRow] {
        guard includesSamples else { return [] }
        return tracks(day).flatMap { track in
            track.content.samples.map { sample in
                PostgresRow([
                    subject(day.user), machine, track.name, time(sample.start), "\(sample.length)",
                    "\(sample.steps)", "\(sample.utcOffset)", "\(day.day)", "\(track.rank)",
                    sample.distance.map(number), sample.energy.map(number),
                ])
            }
        }
    }

    private func time(_ moment: Timestamp) -> String { moment.iso8601(utcOffset: 0) }

    /// As PostgreSQL writes it.
    private func number(_ number: Double) -> String {
        let text = "\(number)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private func flag(_ flag: Bool) -> String { flag ? "t" : "f" }
}

extension PostgresConnection {
    /// Stores days in one transaction: all of them, or none.
    func store(_ days: [SharedDay], _ rows: PostgresRows) throws(PostgresError) {
        // The number is taken before anything is waited for: it is in the order in which deliveries began.
        let revision = try run("SELECT nextval('istep.revision')").first?.first ?? nil
        try run("BEGIN")
        // Two machines that send days of one subject at the same time wait for each other, so that each of them merges
        // what the other has stored.
        for subject in Set(days.map { rows.subject($0.user) }).sorted() {
            try run("SELECT pg_advisory_xact_lock(hashtext('istep.day'), hashtext($1))", [subject])
        }
        try run(Self.temporary("day_in", PostgresRows.dayColumns, of: "istep.day"))
        try copy("COPY day_in FROM STDIN", days.map(rows.day))
        // What is left are the days that the database has no newer figures of.
        try run(Self.storeDays, [revision])
        try storeSamples(days, rows)
        for day in Dictionary(grouping: days, by: { rows.subject($0.user) }).compactMap(\.value.last) {
            try store(rows.person(day), of: rows.subject(day.user), rows.machine, revision)
        }
        try run("SELECT istep.settle(array_agg(subject), array_agg(day)) FROM day_in")
        try commit()
    }

    /// What was sent before is removed if nothing is sent any more, and so are the user's own texts of all days.
    private func store(
        _ person: String?, of subject: String, _ machine: String, _ revision: String?
    ) throws(PostgresError) {
        if let person {
            try run(Self.storePerson, [subject, machine, person, revision])
        } else {
            let removed = try run(
                "DELETE FROM istep.person WHERE subject = $1 AND machine = $2 AND revision < $3 RETURNING 1",
                [subject, machine, revision])
            if !removed.isEmpty { try run(Self.removeReasons, [subject, machine]) }
        }
    }

    private static let removeReasons = """
        UPDATE istep.day AS d SET evidence = (evidence::jsonb - 'reason' || CASE jsonb_typeof(evidence::jsonb -> 'blocks')
            WHEN 'array' THEN jsonb_build_object('blocks', (
                SELECT coalesce(jsonb_agg(CASE jsonb_typeof(b) WHEN 'object' THEN b - 'reason' ELSE b END), '[]')
                FROM jsonb_array_elements(d.evidence::jsonb -> 'blocks') AS b))
            ELSE '{}' END)::json
        WHERE subject = $1 AND machine = $2 AND evidence::text LIKE '%"reason"%' AND json_typeof(evidence) = 'object'
        """

    private static let storePerson = """
        INSERT INTO istep.person AS p (subject, machine, content, revision) VALUES ($1, $2, $3::json, $4::bigint)
        ON CONFLICT (subject, machine) DO UPDATE SET content = excluded.content, revision = excluded.revision
        WHERE p.revision < excluded.revision
        """

    /// Also without samples: those that were sent before are removed then.
    private func storeSamples(_ days: [SharedDay], _ rows: PostgresRows) throws(PostgresError) {
        let starts = days.flatMap { $0.tracks.flatMap(\.samples) }.map(\.start)
        if let first = starts.min(), let last = starts.max() {
            try run(
                "SELECT istep.prepare($1::timestamptz, $2::timestamptz)",
                [first.iso8601(utcOffset: 0), last.iso8601(utcOffset: 0)])
        }
        try run(Self.temporary("sample_in", PostgresRows.sampleColumns, of: "istep.sample"))
        try copy("COPY sample_in FROM STDIN", days.lazy.flatMap(rows.samples))
        try run(Self.removeSamples, [rows.machine])
        try run(Self.storeSamples)
    }

    /// An empty table with columns of another one, for this transaction.
    static func temporary(_ name: String, _ columns: String, of table: String) -> String {
        "CREATE TEMPORARY TABLE \(name) ON COMMIT DROP AS SELECT \(columns) FROM \(table) LIMIT 0"
    }

    private static let storeDays = """
        WITH stored AS (
            INSERT INTO istep.day AS d (\(PostgresRows.dayColumns), revision, received)
            SELECT \(PostgresRows.dayColumns), $1::bigint, now() FROM day_in
            ON CONFLICT (subject, day, machine) DO UPDATE SET
                steps = excluded.steps, distance_m = excluded.distance_m, energy_kcal = excluded.energy_kcal,
                goal = excluded.goal, completeness = excluded.completeness, in_progress = excluded.in_progress,
                corrected_at = excluded.corrected_at, utc_offset = excluded.utc_offset, excluded = excluded.excluded,
                has_samples = excluded.has_samples, last_sync = excluded.last_sync, evidence = excluded.evidence,
                revision = excluded.revision, received = excluded.received
            WHERE d.revision < excluded.revision
            RETURNING subject, day)
        DELETE FROM day_in AS i WHERE NOT EXISTS (SELECT FROM stored AS s WHERE s.subject = i.subject AND s.day = i.day)
        """

    private static let removeSamples = """
        DELETE FROM istep.sample AS s USING day_in AS i
        WHERE s.subject = i.subject AND s.day = i.day AND s.machine = $1 AND NOT EXISTS (
            SELECT FROM sample_in AS n WHERE n.subject = s.subject AND n.source = s.source AND n.started = s.started)
        """

    private static let storeSamples = """
        INSERT INTO istep.sample AS s (\(PostgresRows.sampleColumns))
        SELECT \(PostgresRows.sampleColumns) FROM sample_in AS n
        WHERE EXISTS (SELECT FROM day_in AS i WHERE i.subject = n.subject AND i.day = n.day)
        ON CONFLICT (subject, machine, source, started) DO UPDATE SET
            seconds = excluded.seconds, steps = excluded.steps, utc_offset = excluded.utc_offset, day = excluded.day,
            rank = excluded.rank, distance_m = excluded.distance_m, energy_kcal = excluded.energy_kcal
        WHERE (s.seconds, s.steps, s.utc_offset, s.day, s.rank, s.distance_m, s.energy_kcal) IS DISTINCT FROM (
            excluded.seconds, excluded.steps, excluded.utc_offset, excluded.day, excluded.rank, excluded.distance_m,
            excluded.energy_kcal)
        """
}
