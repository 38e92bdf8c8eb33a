internal import StepDomain

/// The tables, functions, views and roles of a shared database, which its owner creates with
/// `istep postgres schema | psql`. All statements can be carried out again: a later version changes what differs.
public enum PostgresSchema {
    /// Raise it with each change, and let the script change a database of any earlier version.
    static let version = 5

    /// Seconds of a sample: the longest day. An import can have longer records; all of their steps count on the day on
    /// which they begin.
    static let maximumSeconds = 90_000

    /// SQL for psql, in one transaction. PostgreSQL 14 or later (multiranges).
    public static let script = """
        -- Shared step histories of istep, version \(version). PostgreSQL 14 or later. Run it as the owner of the database, again
        -- after each update of istep: istep postgres schema | psql --dbname health
        --
        -- A machine sends the days of its history. Each machine has its own rows; istep.total has the merged figures of each
        -- day. People are subjects, under the names that the machines' configurations give them. A machine logs in with a role
        -- of its own in istep_machine, and reads and writes only the subjects that it is enrolled for; dashboards log in with a
        -- role in istep_reader, and read only the views.
        --
        --   CREATE ROLE pi LOGIN PASSWORD '…' IN ROLE istep_machine;
        --   SELECT istep.enrol('P-0042', 'pi', 'spring');  -- subject, role, cohort
        --   SELECT istep.retire('pi-kitchen');             -- deletes what a machine has sent
        --   SELECT * FROM istep.forget('P-0042');          -- deletes everything about a subject
        -- In these functions pg_temp is named last: otherwise it is searched first, and anybody's types would be found there.
        \\set ON_ERROR_STOP on
        BEGIN;
        SET LOCAL client_min_messages = warning;
        CREATE SCHEMA IF NOT EXISTS istep;
        CREATE OR REPLACE FUNCTION istep.version() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT \(version)';

        DO $$ BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'istep_machine') THEN CREATE ROLE istep_machine; END IF;
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'istep_reader') THEN CREATE ROLE istep_reader; END IF;
        END $$;

        \(tables)

        \(merging)

        \(settling)

        \(views)

        \(security)
        COMMIT;
        """

    private static let tables = """
        -- Who takes part. Subjects without a row here are stored as well.
        CREATE TABLE IF NOT EXISTS istep.subject (
            subject text PRIMARY KEY,
            cohort text,
            enrolled timestamptz NOT NULL DEFAULT now());
        -- The subjects that a role may read and write.
        CREATE TABLE IF NOT EXISTS istep.enrolment (
            subject text NOT NULL REFERENCES istep.subject ON DELETE CASCADE,
            role name NOT NULL,
            PRIMARY KEY (role, subject));

        -- One number for each delivery, in the order in which they began: an older one never replaces a newer one.
        CREATE SEQUENCE IF NOT EXISTS istep.revision;
        -- A day as a machine knows it.
        CREATE TABLE IF NOT EXISTS istep.day (
            subject text NOT NULL CHECK (length(subject) BETWEEN 1 AND 200),
            day date NOT NULL,
            machine text NOT NULL CHECK (length(machine) BETWEEN 1 AND 200),
            steps integer NOT NULL CHECK (steps >= 0),
            distance_m integer,
            energy_kcal integer,
            goal integer,                      -- 0 on a day of rest
            completeness text NOT NULL,        -- complete, partial or unknown
            in_progress boolean NOT NULL,
            corrected_at timestamptz,          -- when the steps were entered by hand; NULL if they were counted
            utc_offset integer NOT NULL,       -- seconds east of Greenwich where the day began
            excluded tstzmultirange NOT NULL,  -- time whose steps do not count
            has_samples boolean NOT NULL,
            last_sync timestamptz,
            revision bigint NOT NULL,
            received timestamptz NOT NULL,
            PRIMARY KEY (subject, day, machine));
        CREATE INDEX IF NOT EXISTS day_with_exclusion ON istep.day (subject, day) WHERE (NOT isempty(excluded));
        -- Steps of a slot of time, as a pedometer of a machine counted them. A partition for each month: istep.prepare.
        CREATE TABLE IF NOT EXISTS istep.sample (
            subject text NOT NULL,
            machine text NOT NULL,
            source text NOT NULL,              -- the machine's name for the pedometer
            started timestamptz NOT NULL,
            seconds integer NOT NULL CHECK (seconds > 0),
            steps integer NOT NULL CHECK (steps >= 0),
            utc_offset integer NOT NULL,
            day date NOT NULL,
            rank integer NOT NULL,             -- of the source on its machine, by the time when it was added
            PRIMARY KEY (subject, started, machine, source)
        ) PARTITION BY RANGE (started);
        -- The merged figures of a day, calculated when a machine has sent it.
        CREATE TABLE IF NOT EXISTS istep.total (
            subject text NOT NULL,
            day date NOT NULL,
            steps integer NOT NULL,
            distance_m integer,
            energy_kcal integer,
            goal integer,
            complete boolean NOT NULL,
            in_progress boolean NOT NULL,
            corrected boolean NOT NULL,
            machines integer NOT NULL,
            utc_offset integer NOT NULL,
            last_sync timestamptz,
            PRIMARY KEY (subject, day));
        CREATE INDEX IF NOT EXISTS total_by_day ON istep.total (day);

        -- Since version 4: what a history has of a day besides its samples (coverage, excluded samples), so that it can be
        -- built again: istep restore --from postgres:NAME.
        ALTER TABLE istep.day ADD COLUMN IF NOT EXISTS evidence json;
        -- As the pedometer calculated them.
        ALTER TABLE istep.sample ADD COLUMN IF NOT EXISTS distance_m double precision,
            ADD COLUMN IF NOT EXISTS energy_kcal double precision;
        -- Profile, plans and pedometers of a subject: only from machines with personal = true in their configuration.
        CREATE TABLE IF NOT EXISTS istep.person (
            subject text NOT NULL CHECK (length(subject) BETWEEN 1 AND 200),
            machine text NOT NULL CHECK (length(machine) BETWEEN 1 AND 200),
            content json NOT NULL CHECK (octet_length(content::text) <= \(PostgresEvidence.maximumSize)),
            revision bigint NOT NULL,
            PRIMARY KEY (subject, machine));
        -- Since version 5: one index of samples, in the order of their times, so that a new sample takes half of the time. Their
        -- days are found by time: they begin and end at most 18 hours from those of UTC.
        DO $$ BEGIN
            IF EXISTS (SELECT FROM pg_constraint WHERE conrelid = 'istep.sample'::regclass AND conname = 'sample_pkey'
                AND pg_get_constraintdef(oid) = 'PRIMARY KEY (subject, machine, source, started)')
            THEN
                ALTER TABLE istep.sample DROP CONSTRAINT sample_pkey,
                    ADD CONSTRAINT sample_pkey PRIMARY KEY (subject, started, machine, source);
            END IF;
        END $$;
        DROP INDEX IF EXISTS istep.sample_by_day;
        -- Steps of the 24 hours of the place, NULL without samples; empty on a day without any. NULL: not counted yet.
        ALTER TABLE istep.total ADD COLUMN IF NOT EXISTS hours integer[];

        -- A sequence that was lost goes on after the days, or new ones would count as older than those.
        DO $$ DECLARE
            known bigint := greatest((SELECT max(revision) FROM istep.day), (SELECT max(revision) FROM istep.person));
        BEGIN
            IF known > (SELECT last_value FROM istep.revision) THEN PERFORM setval('istep.revision', known); END IF;
        END $$;

        -- What one machine writes must not break the views of all.
        ALTER TABLE istep.day DROP CONSTRAINT IF EXISTS possible, ADD CONSTRAINT possible CHECK (
            day BETWEEN '2000-01-01' AND '9999-12-31' AND steps <= \(DaySummary.possibleSteps.upperBound) AND abs(utc_offset) <= 64800
            AND completeness IN ('complete', 'partial', 'unknown') AND machine !~ '[[:cntrl:]]'
            AND (evidence IS NULL OR octet_length(evidence::text) <= \(PostgresEvidence.maximumSize)));
        ALTER TABLE istep.sample DROP CONSTRAINT IF EXISTS possible, ADD CONSTRAINT possible CHECK (
            day BETWEEN '2000-01-01' AND '9999-12-31' AND steps <= \(DaySummary.possibleSteps.upperBound) AND seconds <= \(maximumSeconds)
            AND abs(utc_offset) <= 64800 AND machine !~ '[[:cntrl:]]');

        -- Creates the partitions of the months between two moments.
        CREATE OR REPLACE FUNCTION istep.prepare(first timestamptz, last timestamptz) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
        DECLARE
            month timestamp := date_trunc('month', first AT TIME ZONE 'UTC');
            name text;
        BEGIN
            IF first < '2000-01-01' OR last > now() + interval '3 days' THEN
                RAISE EXCEPTION 'samples from % to % are not stored: only those from 2000 until now', first, last
                    USING ERRCODE = 'datetime_field_overflow';
            END IF;
            WHILE month <= last AT TIME ZONE 'UTC' LOOP
                name := 'sample_' || to_char(month, 'YYYY_MM');
                IF to_regclass('istep.' || name) IS NULL THEN
                    -- One after the other. Attached rather than created as a partition: that does not wait for readers.
                    LOCK TABLE istep.sample IN SHARE UPDATE EXCLUSIVE MODE;
                    IF to_regclass('istep.' || name) IS NULL THEN
                        EXECUTE format('CREATE TABLE istep.%I (LIKE istep.sample INCLUDING ALL)', name);
                        EXECUTE format(
                            'ALTER TABLE istep.sample ATTACH PARTITION istep.%I FOR VALUES FROM (%L) TO (%L)',
                            name, month, month + interval '1 month');
                    END IF;
                END IF;
                month := month + interval '1 month';
            END LOOP;
        END $$;
        """

    /// The same rule as `MergedTracks` of StepDomain.
    private static let merging = """
        -- Which samples of a day count, so that no step counts twice: samples that overlap in time, directly or through others,
        -- form a group, and in each group the source with the most steps counts. Of three or more sources, the one with the
        -- longest sample is compared with what the others count together. Entries are positions in the arrays, by start.
        CREATE OR REPLACE FUNCTION istep.counted(source integer[], start bigint[], seconds integer[], steps integer[], entries integer[])
        RETURNS integer[] LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
            result integer[] := '{}';
            open integer[] := '{}';
            until bigint;
            entry integer;
        BEGIN
            FOREACH entry IN ARRAY entries LOOP
                IF start[entry] >= until THEN
                    result := result || istep.decided(source, start, seconds, steps, open);
                    open := '{}';
                    until := NULL;
                END IF;
                open := open || entry;
                until := greatest(until, start[entry] + seconds[entry]);
            END LOOP;
            IF cardinality(open) > 0 THEN
                result := result || istep.decided(source, start, seconds, steps, open);
            END IF;
            RETURN result;
        END $$;

        -- The entries of a group that count.
        CREATE OR REPLACE FUNCTION istep.decided(source integer[], start bigint[], seconds integer[], steps integer[], entries integer[])
        RETURNS integer[] LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
            winner integer;
            finer integer[];
            sources integer;
        BEGIN
            IF cardinality(entries) = 1 THEN RETURN entries; END IF;
            SELECT count(DISTINCT source[e]) INTO sources FROM unnest(entries) AS e;
            IF sources > 2 THEN
                SELECT source[e] INTO winner FROM unnest(entries) AS e
                    GROUP BY source[e] ORDER BY max(seconds[e]) DESC, source[e] DESC LIMIT 1;
                SELECT istep.counted(source, start, seconds, steps, array_agg(e ORDER BY n)) INTO finer
                    FROM unnest(entries) WITH ORDINALITY AS x (e, n) WHERE source[e] <> winner;
                IF (SELECT sum(steps[e]) FROM unnest(finer) AS e)
                    >= (SELECT sum(steps[e]) FROM unnest(entries) AS e WHERE source[e] = winner)
                THEN RETURN finer; END IF;
            ELSE
                SELECT source[e] INTO winner FROM unnest(entries) AS e
                    GROUP BY source[e] ORDER BY sum(steps[e]) DESC, source[e] LIMIT 1;
            END IF;
            RETURN (SELECT array_agg(e ORDER BY n) FROM unnest(entries) WITH ORDINALITY AS x (e, n) WHERE source[e] = winner);
        END $$;

        -- The samples of a day that count, without what a machine has excluded: their sum, and hours as in istep.total: each
        -- sample at the hour in which it begins, none of more than six hours. A pedometer of one machine and the same pedometer
        -- of another one are two sources: so nothing depends on their names.
        CREATE OR REPLACE FUNCTION istep.counted_day(one text, date date, OUT counted bigint, OUT by_hour integer[])
        LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
            low timestamptz := (date - interval '18 hours') AT TIME ZONE 'UTC';
            high timestamptz := (date + interval '42 hours') AT TIME ZONE 'UTC';
            blocks tstzmultirange := (SELECT range_agg(r) FROM istep.day AS d, unnest(d.excluded) AS r
                WHERE d.subject = one AND d.day = date AND NOT isempty(d.excluded));
            sources integer;
        BEGIN
            -- Of one source, all count.
            WITH part AS MATERIALIZED (
                SELECT machine, source,
                    CASE WHEN seconds <= \(StepSample.maximumSpread) THEN (extract(epoch FROM started)::bigint + utc_offset) / 3600 % 24 END AS hour,
                    sum(steps)::integer AS steps
                FROM istep.sample WHERE subject = one AND day = date AND started >= low AND started < high
                    AND steps > 0 AND steps <= 5 * seconds AND (blocks IS NULL OR NOT blocks @> started)
                GROUP BY 1, 2, 3
            )
            SELECT (SELECT count(*) FROM (SELECT DISTINCT machine, source FROM part) AS x), (SELECT sum(steps) FROM part),
                array(SELECT p.steps FROM generate_series(0, 23) AS h LEFT JOIN part AS p ON p.hour = h ORDER BY h)
                INTO sources, counted, by_hour;
            IF sources = 0 THEN
                by_hour := '{}';
            ELSIF sources > 1 THEN
                WITH listed AS (
                    SELECT array_agg(number ORDER BY started, number) AS source,
                        array_agg(extract(epoch FROM started)::bigint ORDER BY started, number) AS start,
                        array_agg(seconds ORDER BY started, number) AS seconds,
                        array_agg(steps ORDER BY started, number) AS steps,
                        array_agg(utc_offset ORDER BY started, number) AS utc_offset
                    FROM (
                        SELECT *, (dense_rank() OVER (ORDER BY rank, source, machine))::integer AS number
                        FROM istep.sample WHERE subject = one AND day = date AND started >= low AND started < high
                            AND steps > 0 AND steps <= 5 * seconds AND (blocks IS NULL OR NOT blocks @> started)) AS x
                ), part AS MATERIALIZED (
                    SELECT CASE WHEN seconds[e] <= \(StepSample.maximumSpread) THEN (start[e] + utc_offset[e]) / 3600 % 24 END AS hour,
                        sum(steps[e])::integer AS steps
                    FROM listed, unnest(istep.counted(source, start, seconds, steps,
                        array(SELECT generate_series(1, cardinality(start))))) AS e
                    GROUP BY 1
                )
                SELECT (SELECT sum(steps) FROM part),
                    array(SELECT p.steps FROM generate_series(0, 23) AS h LEFT JOIN part AS p ON p.hour = h ORDER BY h)
                    INTO counted, by_hour;
            END IF;
        END $$;
        """

    private static let settling = """
        -- Calculates the merged figures of days anew. A correction by hand holds, the latest of several; else the steps of the
        -- only machine, or those that the samples of all machines have together. Distance, energy and goal are those of the
        -- machine with the most steps, in proportion. A day that a machine has deleted is there as one of which it knows nothing:
        -- it does not count, and stays so that an older delivery does not bring it back.
        CREATE OR REPLACE FUNCTION istep.settle(subjects text[], days date[]) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
            one record;
            best istep.day;
            known record;
            sums record;
            merged integer;
        BEGIN
            FOR one IN SELECT DISTINCT s, d FROM unnest(subjects, days) AS x (s, d) LOOP
                SELECT * INTO best FROM istep.day
                    WHERE subject = one.s AND day = one.d
                        AND NOT (steps = 0 AND completeness = 'unknown' AND corrected_at IS NULL)
                    ORDER BY corrected_at DESC NULLS LAST, steps DESC, revision DESC LIMIT 1;
                IF NOT FOUND THEN
                    DELETE FROM istep.total WHERE subject = one.s AND day = one.d;
                    CONTINUE;
                END IF;
                SELECT count(*) AS machines, bool_or(completeness = 'complete') AS complete, max(last_sync) AS last_sync,
                    bool_and(in_progress) AS in_progress, max(steps) FILTER (WHERE NOT has_samples) AS plain,
                    bool_or(has_samples) AS has_samples
                    INTO known FROM istep.day
                    WHERE subject = one.s AND day = one.d
                        AND NOT (steps = 0 AND completeness = 'unknown' AND corrected_at IS NULL);
                SELECT * INTO sums FROM istep.counted_day(one.s, one.d) WHERE known.has_samples;
                merged := best.steps;
                IF best.corrected_at IS NULL AND known.machines > 1 THEN
                    merged := greatest(coalesce(sums.counted, 0), known.plain);
                END IF;
                INSERT INTO istep.total (subject, day, steps, distance_m, energy_kcal, goal, complete, in_progress, corrected,
                    machines, utc_offset, last_sync, hours)
                VALUES (
                    one.s, one.d, merged, round(best.distance_m::numeric * merged / nullif(best.steps, 0)),
                    round(best.energy_kcal::numeric * merged / nullif(best.steps, 0)), best.goal, known.complete, known.in_progress,
                    best.corrected_at IS NOT NULL, known.machines, best.utc_offset, known.last_sync, coalesce(sums.by_hour, '{}'))
                ON CONFLICT (subject, day) DO UPDATE SET
                    steps = excluded.steps, distance_m = excluded.distance_m, energy_kcal = excluded.energy_kcal,
                    goal = excluded.goal, complete = excluded.complete, in_progress = excluded.in_progress,
                    corrected = excluded.corrected, machines = excluded.machines, utc_offset = excluded.utc_offset,
                    last_sync = excluded.last_sync, hours = excluded.hours;
            END LOOP;
        END $$;
        -- Of days that an earlier version has settled.
        UPDATE istep.total SET hours = (istep.counted_day(subject, day)).by_hour WHERE hours IS NULL;
        DROP VIEW IF EXISTS istep.distinct_sample, istep.counted_sample CASCADE;
        """

    private static let views = """
        -- For dashboards.
        CREATE OR REPLACE VIEW istep.days AS
            SELECT t.subject, s.cohort, t.day, t.steps, t.distance_m, t.energy_kcal, t.goal,
                round(100.0 * t.steps / nullif(t.goal, 0), 1) AS percentage,
                t.complete, t.in_progress, t.corrected, t.machines, t.utc_offset, t.last_sync
            FROM istep.total AS t LEFT JOIN istep.subject AS s USING (subject);
        -- ISO weeks, by their Monday. mean: steps of a known day.
        CREATE OR REPLACE VIEW istep.weeks AS
            SELECT subject, cohort, date_trunc('week', day::timestamp)::date AS week, sum(steps) AS steps, count(*) AS days,
                count(*) FILTER (WHERE complete) AS complete_days, round(avg(steps)) AS mean
            FROM istep.days GROUP BY subject, cohort, week;
        -- Each sample at the hour in which it begins, by the clock of the place. One of more than six hours shows no hour.
        CREATE OR REPLACE VIEW istep.hours AS
            SELECT t.subject, t.day, (h.number - 1)::integer AS hour, h.steps::bigint AS steps
            FROM istep.total AS t, unnest(t.hours) WITH ORDINALITY AS h (steps, number) WHERE h.steps IS NOT NULL;
        -- How much is known of each subject.
        CREATE OR REPLACE VIEW istep.completeness AS
            SELECT t.subject, s.cohort, first, last, days, complete_days, last - first + 1 - days AS missing_days
            FROM (
                SELECT subject, min(day) AS first, max(day) AS last, count(*) AS days,
                    count(*) FILTER (WHERE complete) AS complete_days
                FROM istep.total GROUP BY subject
            ) AS t LEFT JOIN istep.subject AS s USING (subject);
        -- Weeks of each cohort. mean: steps of a known day of a subject.
        CREATE OR REPLACE VIEW istep.cohorts AS
            SELECT cohort, week, count(*) AS subjects, sum(steps) AS steps, round(sum(steps) / sum(days)) AS mean
            FROM istep.weeks WHERE cohort IS NOT NULL GROUP BY cohort, week;
        -- When each machine last sent, and last synced a pedometer.
        CREATE OR REPLACE VIEW istep.machines AS
            SELECT subject, machine, count(*) AS days, max(day) AS last_day, max(last_sync) AS last_sync, max(received) AS received
            FROM istep.day GROUP BY subject, machine;
        """

    private static let security = """
        CREATE OR REPLACE FUNCTION istep.enrol(subject text, role name, cohort text DEFAULT NULL) RETURNS void
        LANGUAGE plpgsql AS $$
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = $2) THEN
                RAISE EXCEPTION 'there is no role %', $2 USING ERRCODE = 'undefined_object',
                    HINT = format('CREATE ROLE %I LOGIN PASSWORD ''…'' IN ROLE istep_machine', $2);
            ELSIF NOT pg_has_role($2, 'istep_machine', 'MEMBER') THEN
                RAISE EXCEPTION 'the role % is not a machine', $2 USING ERRCODE = 'invalid_role_specification',
                    HINT = format('GRANT istep_machine TO %I', $2);
            END IF;
            IF $1 <> btrim($1) OR length($1) NOT BETWEEN 1 AND 200 THEN
                RAISE EXCEPTION 'a subject has 1 to 200 characters, and no spaces around them'
                    USING ERRCODE = 'invalid_parameter_value';
            END IF;
            -- A new role of the same name is another machine.
            DELETE FROM istep.enrolment AS e WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = e.role);
            INSERT INTO istep.subject AS s VALUES ($1, $3)
                ON CONFLICT ON CONSTRAINT subject_pkey DO UPDATE SET cohort = coalesce(excluded.cohort, s.cohort);
            INSERT INTO istep.enrolment VALUES ($1, $2) ON CONFLICT DO NOTHING;
        END $$;
        -- Deletes what a machine has sent, of one subject or of all, and merges the days of the others anew. The number of days.
        CREATE OR REPLACE FUNCTION istep.retire(machine text, subject text DEFAULT NULL) RETURNS bigint
        LANGUAGE plpgsql AS $$
        DECLARE
            subjects text[];
            days date[];
            one text;
        BEGIN
            -- As a machine that sends: what it merges must not be what is deleted here.
            FOR one IN SELECT DISTINCT d.subject FROM istep.day AS d
                WHERE d.machine = $1 AND ($2 IS NULL OR d.subject = $2) ORDER BY 1
            LOOP PERFORM pg_advisory_xact_lock(hashtext('istep.day'), hashtext(one)); END LOOP;
            DELETE FROM istep.sample AS s WHERE s.machine = $1 AND ($2 IS NULL OR s.subject = $2);
            WITH gone AS (
                DELETE FROM istep.day AS d WHERE d.machine = $1 AND ($2 IS NULL OR d.subject = $2) RETURNING d.subject, d.day)
            SELECT array_agg(g.subject), array_agg(g.day) INTO subjects, days FROM gone AS g;
            DELETE FROM istep.person AS p WHERE p.machine = $1 AND ($2 IS NULL OR p.subject = $2);
            PERFORM istep.settle(subjects, days);
            RETURN coalesce(cardinality(days), 0);
        END $$;
        -- Deletes everything about a subject: how many rows of which table.
        DROP FUNCTION IF EXISTS istep.forget(text);
        CREATE FUNCTION istep.forget(subject text) RETURNS TABLE (deleted text, rows bigint) LANGUAGE plpgsql AS $$
        BEGIN
            -- No machine is sending then, and what one sends later is refused.
            PERFORM pg_advisory_xact_lock(hashtext('istep.day'), hashtext($1));
            RETURN QUERY WITH sample AS (DELETE FROM istep.sample AS s WHERE s.subject = $1 RETURNING 1),
                day AS (DELETE FROM istep.day AS d WHERE d.subject = $1 RETURNING 1),
                total AS (DELETE FROM istep.total AS t WHERE t.subject = $1 RETURNING 1),
                profile AS (DELETE FROM istep.person AS p WHERE p.subject = $1 RETURNING 1),
                person AS (DELETE FROM istep.subject AS s WHERE s.subject = $1 RETURNING 1)
            SELECT 'samples', count(*) FROM sample UNION ALL SELECT 'days of machines', count(*) FROM day
            UNION ALL SELECT 'merged days', count(*) FROM total UNION ALL SELECT 'profiles', count(*) FROM profile
            UNION ALL SELECT 'subjects', count(*) FROM person;
        END $$;
        REVOKE ALL ON FUNCTION istep.enrol, istep.forget, istep.retire, istep.prepare, istep.settle, istep.counted_day FROM PUBLIC;
        GRANT EXECUTE ON FUNCTION istep.prepare, istep.settle TO istep_machine;

        ALTER TABLE istep.day ENABLE ROW LEVEL SECURITY;
        ALTER TABLE istep.sample ENABLE ROW LEVEL SECURITY;
        ALTER TABLE istep.enrolment ENABLE ROW LEVEL SECURITY;
        ALTER TABLE istep.person ENABLE ROW LEVEL SECURITY;
        DROP POLICY IF EXISTS enrolled ON istep.day;
        DROP POLICY IF EXISTS enrolled ON istep.sample;
        DROP POLICY IF EXISTS enrolled ON istep.person;
        DROP POLICY IF EXISTS own ON istep.enrolment;
        CREATE POLICY own ON istep.enrolment FOR SELECT TO istep_machine USING (role = current_user);
        CREATE POLICY enrolled ON istep.day TO istep_machine
            USING (subject IN (SELECT e.subject FROM istep.enrolment AS e WHERE e.role = current_user));
        CREATE POLICY enrolled ON istep.sample TO istep_machine
            USING (subject IN (SELECT e.subject FROM istep.enrolment AS e WHERE e.role = current_user));
        CREATE POLICY enrolled ON istep.person TO istep_machine
            USING (subject IN (SELECT e.subject FROM istep.enrolment AS e WHERE e.role = current_user));
        GRANT USAGE ON SCHEMA istep TO istep_machine, istep_reader;
        GRANT USAGE ON SEQUENCE istep.revision TO istep_machine;
        GRANT SELECT ON istep.enrolment TO istep_machine;
        GRANT SELECT, INSERT, UPDATE, DELETE ON istep.day, istep.sample, istep.person TO istep_machine;
        GRANT SELECT ON istep.days, istep.weeks, istep.hours, istep.completeness, istep.machines, istep.cohorts TO istep_reader;
        """
}
