internal import Postgres
internal import StepDomain

/// Samples of days as the parameters of one statement: an array for each column, in which numbers take a third of the
/// time of a temporary table, and one entry for what all samples of a pedometer's day have in common.
struct PostgresSamples {
    static let columns =
        "subject, machine, source, started, seconds, steps, utc_offset, day, rank, distance_m, energy_kcal"

    private let machine: String
    private var (subjects, days, sources, ranks) = (PostgresArray(), PostgresArray(), PostgresArray(), PostgresArray())
    private var tracks = 0
    private var (track, start, seconds, steps) = (PostgresArray(), PostgresArray(), PostgresArray(), PostgresArray())
    private var (offset, distance, energy) = (PostgresArray(), PostgresArray(), PostgresArray())
    private(set) var count = 0

    init(machine: String) { self.machine = machine }

    mutating func add(_ day: SharedDay, _ rows: PostgresRows) {
        for part in rows.tracks(day) {
            tracks += 1
            subjects.append(rows.subject(day.user))
            days.append("\(day.day)")
            sources.append(part.name)
            ranks.append(part.rank)
            count += part.content.samples.count
            for sample in part.content.samples {
                track.append(tracks)
                start.append(sample.start.seconds)
                seconds.append(min(sample.length, PostgresSchema.maximumSeconds))
                steps.append(sample.steps)
                offset.append(sample.utcOffset)
                distance.append(sample.distance.map(PostgresRows.number))
                energy.append(sample.energy.map(PostgresRows.number))
            }
        }
    }

    /// `$1` to `$12`.
    var parameters: [String?] {
        [machine]
            + [subjects, days, sources, ranks, track, start, seconds, steps, offset, distance, energy].map(\.text)
    }

    private static let rows = """
        SELECT ($2::text[])[track] AS subject, $1::text AS machine, ($4::text[])[track] AS source,
            to_timestamp(started) AS started, seconds, steps, utc_offset, ($3::date[])[track] AS day,
            ($5::integer[])[track] AS rank, distance_m, energy_kcal
        FROM unnest($6::integer[], $7::bigint[], $8::integer[], $9::integer[], $10::integer[], $11::float8[], $12::float8[])
            AS x (track, started, seconds, steps, utc_offset, distance_m, energy_kcal)
        """

    /// Of samples `s` of a day `i`, whose moments are between `$4` and `$5`.
    static let isOfDay = condition(between: "$4", "$5")

    /// The index has no days, but moments.
    private static func condition(between first: String, _ last: String) -> String {
        """
        s.subject = i.subject AND s.day = i.day
            AND s.started >= (i.day - interval '18 hours') AT TIME ZONE 'UTC' AND s.started >= \(first)::timestamptz
            AND s.started < (i.day + interval '42 hours') AT TIME ZONE 'UTC' AND s.started < \(last)::timestamptz
        """
    }

    static let insertion = "INSERT INTO istep.sample (\(columns)) \(rows)"

    /// Removes what the machine has sent of the days `$13` and `$14`, between the moments `$15` and `$16`, and sends no
    /// more.
    static let replacement = """
        WITH sent AS MATERIALIZED (\(rows)), old AS MATERIALIZED (
            SELECT s.subject, s.source, s.started FROM unnest($13::text[], $14::date[]) AS i (subject, day)
            JOIN istep.sample AS s ON s.machine = $1 AND \(condition(between: "$15", "$16"))
        ), gone AS MATERIALIZED (SELECT * FROM old EXCEPT SELECT subject, source, started FROM sent
        ), removed AS (
            DELETE FROM istep.sample AS s USING gone AS g
            WHERE s.subject = g.subject AND s.machine = $1 AND s.source = g.source AND s.started = g.started
                AND s.started >= $15::timestamptz AND s.started < $16::timestamptz)
        INSERT INTO istep.sample AS s (\(columns)) SELECT \(columns) FROM sent
        ON CONFLICT (subject, started, machine, source) DO UPDATE SET
            seconds = excluded.seconds, steps = excluded.steps, utc_offset = excluded.utc_offset, day = excluded.day,
            rank = excluded.rank, distance_m = excluded.distance_m, energy_kcal = excluded.energy_kcal
        WHERE (s.seconds, s.steps, s.utc_offset, s.day, s.rank, s.distance_m, s.energy_kcal) IS DISTINCT FROM (
            excluded.seconds, excluded.steps, excluded.utc_offset, excluded.day, excluded.rank, excluded.distance_m,
            excluded.energy_kcal)
        """
}
