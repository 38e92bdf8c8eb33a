internal import Postgres
internal import StepDomain

extension PostgresConnection {
    /// Stores days in one transaction: all of them, or none.
    func store(_ days: [SharedDay], _ rows: PostgresRows) throws(PostgresError) {
        // The number is taken before anything is waited for: it is in the order in which deliveries began.
        let revision = try run("SELECT nextval('istep.revision')").first?.first ?? nil
        try run("BEGIN")
        // Two machines that send days of one subject at the same time wait for each other, so that each of them merges
        // what the other has stored.
        let subjects = Set(days.map { rows.subject($0.user) }).sorted()
        try run(Self.lock, [PostgresArray(subjects).text], isLock: true)
        // Those that the database has no newer figures of.
        let stored = Set(try run(Self.storeDays, [revision] + Self.columns(days.map(rows.day))))
        let kept = days.filter { stored.contains([rows.subject($0.user), "\($0.day)"]) }
        try storeSamples(kept, rows)
        for day in Dictionary(grouping: days, by: { rows.subject($0.user) }).compactMap(\.value.last) {
            try store(rows.person(day), of: rows.subject(day.user), rows.machine, revision)
        }
        if !kept.isEmpty { try run("SELECT istep.settle($1::text[], $2::date[])", rows.keys(kept)) }
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
        var range = span
        let starts = days.lazy.flatMap(rows.tracks).flatMap(\.content.samples).map(\.start.seconds)
        let ends = starts.min().flatMap { first in starts.max().map { [first, $0] } }
        if let ends { range = ends.map(text) }
        let state = try run(Self.sampleState, [rows.machine] + rows.keys(days) + span + range).first ?? []
        if ends != nil, state.last == "t" {
            try run("SELECT istep.prepare($1::timestamptz, $2::timestamptz)", range)
        }
        let isKnown = state.first == "t"
        guard isKnown || ends != nil else { return }
        // The server expects other numbers of rows than there are, and could read whole months.
        if isKnown { try run(Self.joins("off")) }
        var rest = parts(days, rows).makeIterator()
        var next = rest.next()
        while let part = next {
            // Without regard to conflicts, it takes half as long as with it.
            let statement = isKnown ? PostgresSamples.replacement : PostgresSamples.insertion
            let known = isKnown ? rows.keys(part.days) + span : []
            try run(statement, part.samples.parameters + known) { next = rest.next() }
        }
        if isKnown { try run(Self.joins("on")) }
    }

    /// Whole days, with so few samples that little of them is in memory at once.
    private func parts(_ days: [SharedDay], _ rows: PostgresRows) -> some Sequence<
        (days: [SharedDay], samples: PostgresSamples)
    > {
        sequence(state: days[...]) { rest in
            guard !rest.isEmpty else { return nil }
            var part: (days: [SharedDay], samples: PostgresSamples) = ([], PostgresSamples(machine: rows.machine))
            while let day = rest.first, part.samples.count < 8192 {
                part.samples.add(day, rows)
                part.days.append(day)
                rest.removeFirst()
            }
            return part
        }
    }

    /// Each column of rows as an array.
    private static func columns(_ rows: [[String?]]) -> [String?] {
        PostgresRows.dayColumns.indices.map { column in PostgresArray(rows.map { $0[column] }).text }
    }

    private static let lock = """
        SELECT pg_advisory_xact_lock(hashtext('istep.day'), hashtext(subject)) FROM unnest($1::text[]) AS subject
        """

    private static let storeDays: String = {
        let columns = PostgresRows.dayColumns.map(\.name).joined(separator: ", ")
        let arrays = PostgresRows.dayColumns.enumerated().map { "$\($0 + 2)::\($1.type)[]" }.joined(separator: ", ")
        let changes = PostgresRows.dayColumns.dropFirst(3).map { "\($0.name) = excluded.\($0.name)" }
        return """
            INSERT INTO istep.day AS d (\(columns), revision, received)
            SELECT \(columns), $1::bigint, now() FROM unnest(\(arrays)) AS x (\(columns))
            ON CONFLICT (subject, day, machine) DO UPDATE SET \(changes.joined(separator: ", ")),
                revision = excluded.revision, received = excluded.received
            WHERE d.revision < excluded.revision
            RETURNING subject, to_char(day, 'YYYY-MM-DD')
            """
    }()

    /// Whether the machine has sent samples of these days before, or any of this time: those of another day, if the
    /// clock was set. No other delivery of it is under way: see the lock. And whether `istep.prepare` has to create
    /// partitions, or refuses these times.
    private static let sampleState = """
        SELECT EXISTS (SELECT FROM unnest($2::text[], $3::date[]) AS i (subject, day), LATERAL (
                SELECT FROM istep.sample AS s WHERE s.machine = $1 AND \(PostgresSamples.isOfDay) LIMIT 1) AS x)
            OR EXISTS (SELECT FROM (SELECT DISTINCT unnest($2::text[]) AS subject) AS i, LATERAL (
                SELECT FROM istep.sample AS s WHERE s.subject = i.subject AND s.machine = $1
                    AND s.started >= $6::timestamptz AND s.started <= $7::timestamptz LIMIT 1) AS x),
            $6::timestamptz < '2000-01-01' OR $7::timestamptz > now() + interval '3 days' OR EXISTS (
                SELECT FROM generate_series(date_trunc('month', $6::timestamptz AT TIME ZONE 'UTC'),
                    $7::timestamptz AT TIME ZONE 'UTC', interval '1 month') AS month
                WHERE to_regclass('istep.sample_' || to_char(month, 'YYYY_MM')) IS NULL)
        """

    private static func joins(_ value: String) -> String {
        "SELECT set_config(name, '\(value)', true) FROM unnest('{enable_hashjoin,enable_mergejoin}'::text[]) AS name"
    }
}

extension PostgresRows {
    /// Subjects and days, as the parameters of two arrays.
    fileprivate func keys(_ days: [SharedDay]) -> [String?] {
        [PostgresArray(days.map { subject($0.user) }).text, PostgresArray(days.map { "\($0.day)" }).text]
    }
}
