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
        // Into tables of this connection, while another delivery has the lock and stores what it has sent.
        try run(Self.temporary("day_in", PostgresRows.dayColumns, of: "istep.day"))
        try copy("COPY day_in FROM STDIN", days.map(rows.day))
        try run(Self.temporary("sample_in", PostgresRows.sampleColumns, of: "istep.sample"))
        try copy("COPY sample_in FROM STDIN", days.lazy.flatMap(rows.samples))
        // Two machines that send days of one subject at the same time wait for each other, so that each of them merges
        // what the other has stored.
        for subject in Set(days.map { rows.subject($0.user) }).sorted() {
            try run("SELECT pg_advisory_xact_lock(hashtext('istep.day'), hashtext($1))", [subject])
        }
        // What is left are the days that the database has no newer figures of.
        let stale = try run(Self.storeDays, [revision])
        if !stale.isEmpty { try run(Self.leaveOutSamples) }
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
        func text(_ seconds: Int) -> String { Timestamp(seconds).iso8601(utcOffset: 0) }
        guard let first = days.map(\.day).min(), let last = days.map(\.day).max() else { return }
        // Days begin and end at most 18 hours from those of UTC: so only a few of the partitions are looked into.
        let span = [first.daysSince1970 * 86_400 - 18 * 3600, last.daysSince1970 * 86_400 + 42 * 3600].map(text)
        let starts = days.flatMap { $0.tracks.flatMap(\.samples) }.map(\.start.seconds)
        let isSending = rows.includesSamples && !starts.isEmpty
        let (begin, end) = isSending ? (text(starts.min() ?? 0), text(starts.max() ?? 0)) : (span[0], span[1])
        let known = try run(Self.knownSamples, [rows.machine] + span + [begin, end]).first ?? []
        if known.first == "t" {
            // Without statistics of what was sent, the server could read whole months.
            try run(Self.joins("off"))
            try run(Self.removeSamples, [rows.machine] + span)
            try run(Self.joins("on"))
        }
        guard isSending else { return }
        try run("SELECT istep.prepare($1::timestamptz, $2::timestamptz)", [begin, end])
        try run(known.last == "t" ? Self.replaceSamples : Self.insertSamples)
    }

    /// An empty table with columns of another one, for this transaction. `LIMIT 0` would look at each partition.
    static func temporary(_ name: String, _ columns: String, of table: String) -> String {
        "CREATE TEMPORARY TABLE \(name) ON COMMIT DROP AS SELECT \(columns) FROM \(table) WITH NO DATA"
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
        RETURNING 1
        """

    /// Of the days that are not stored.
    private static let leaveOutSamples = """
        DELETE FROM sample_in AS n
        WHERE NOT EXISTS (SELECT FROM day_in AS i WHERE i.subject = n.subject AND i.day = n.day)
        """

    /// Whether the machine has sent samples of these days before, and whether any of this time: those of another day,
    /// if the clock was set. No other delivery of it is under way: see the lock.
    private static let knownSamples = """
        SELECT EXISTS (SELECT FROM day_in AS i, LATERAL (
                SELECT FROM istep.sample AS s WHERE s.subject = i.subject AND s.day = i.day AND s.machine = $1
                    AND s.started >= $2::timestamptz AND s.started < $3::timestamptz LIMIT 1) AS x),
            EXISTS (SELECT FROM (SELECT DISTINCT subject FROM day_in) AS i, LATERAL (
                SELECT FROM istep.sample AS s WHERE s.subject = i.subject AND s.machine = $1
                    AND s.started >= $4::timestamptz AND s.started <= $5::timestamptz LIMIT 1) AS x)
        """

    private static func joins(_ value: String) -> String {
        "SELECT set_config(name, '\(value)', true) FROM unnest('{enable_hashjoin,enable_mergejoin}'::text[]) AS name"
    }

    private static let removeSamples = """
        WITH old AS MATERIALIZED (
            SELECT s.subject, s.source, s.started FROM day_in AS i JOIN istep.sample AS s
                ON s.subject = i.subject AND s.day = i.day AND s.machine = $1
                AND s.started >= $2::timestamptz AND s.started < $3::timestamptz
        ), gone AS MATERIALIZED (SELECT * FROM old EXCEPT SELECT subject, source, started FROM sample_in)
        DELETE FROM istep.sample AS s USING gone AS g
        WHERE s.subject = g.subject AND s.machine = $1 AND s.source = g.source AND s.started = g.started
            AND s.started >= $2::timestamptz AND s.started < $3::timestamptz
        """

    /// Without regard to conflicts: half as long as with it.
    private static let insertSamples = """
        INSERT INTO istep.sample (\(PostgresRows.sampleColumns)) SELECT \(PostgresRows.sampleColumns) FROM sample_in
        """

    private static let replaceSamples = """
        INSERT INTO istep.sample AS s (\(PostgresRows.sampleColumns)) SELECT \(PostgresRows.sampleColumns) FROM sample_in
        ON CONFLICT (subject, machine, source, started) DO UPDATE SET
            seconds = excluded.seconds, steps = excluded.steps, utc_offset = excluded.utc_offset, day = excluded.day,
            rank = excluded.rank, distance_m = excluded.distance_m, energy_kcal = excluded.energy_kcal
        WHERE (s.seconds, s.steps, s.utc_offset, s.day, s.rank, s.distance_m, s.energy_kcal) IS DISTINCT FROM (
            excluded.seconds, excluded.steps, excluded.utc_offset, excluded.day, excluded.rank, excluded.distance_m,
            excluded.energy_kcal)
        """
}
