extension Schema.Migration {
    /// Version 2: the ledger of what was shared with whom, and which days have changed since it was last looked.
    ///
    /// `changed_day` begins with all days of which version 1 knows something. Days are checked with a modifier: without one,
    /// SQLite's `date` takes the 31st of any month as it is.
    static let sharing = Schema.Migration(
        name: "sharing",
        sql: """
            -- A row a day that has changed in samples, coverage or correction, ever.
            CREATE TABLE changed_day (
                person INTEGER NOT NULL REFERENCES person,
                day TEXT NOT NULL CHECK (day IS date(day, '+0 days')),
                -- Grows with every change of any day of the person; days that changed together have the same.
                revision INTEGER NOT NULL CHECK (revision > 0),
                -- Whether a pedometer knows of the day: if not, it is known for as long as its correction stands.
                counted INTEGER NOT NULL CHECK (counted IN (0, 1)),
                PRIMARY KEY (person, day)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX changed_day_by_revision ON changed_day (person, revision);

            -- By number first, 0 for 1970-01-01; a day is added and taken away so that the division rounds down before 1970 too.
            -- Of a span the last ten years count, and no day after 9999: a clock far off can claim any time.
            INSERT INTO changed_day
            WITH RECURSIVE covered (pedometer, number, last) AS (
                SELECT pedometer,
                    max((start + utc_offset + 86400) / 86400 - 1, (until - 1 + utc_offset + 86400) / 86400 - 1 - 3659),
                    (until - 1 + utc_offset + 86400) / 86400 - 1
                FROM coverage
                UNION ALL
                SELECT pedometer, number + 1, last FROM covered WHERE number < last
            ), counted (pedometer, number) AS (
                SELECT pedometer, (start + utc_offset + 86400) / 86400 - 1 FROM sample
                UNION
                SELECT pedometer, number FROM covered
            )
            SELECT DISTINCT person, date(number * 86400, 'unixepoch'), 1, 1
            FROM counted JOIN pedometer ON id = pedometer
            WHERE number <= 2932896;
            INSERT INTO changed_day
            SELECT person, day, 1, 0 FROM correction WHERE day IS date(day, '+0 days') ON CONFLICT DO NOTHING;

            CREATE TABLE share (
                destination TEXT NOT NULL CHECK (length(destination) BETWEEN 1 AND 256),
                person INTEGER NOT NULL REFERENCES person,
                day TEXT NOT NULL CHECK (day IS date(day, '+0 days') AND day >= '0001'),
                state TEXT NOT NULL CHECK (state IN ('pending', 'sending', 'sent', 'rejected', 'unknown')),
                asked INTEGER NOT NULL CHECK (asked IN (0, 1)),
                fingerprint TEXT CHECK (length(fingerprint) <= 64),
                confirmed TEXT CHECK (length(confirmed) <= 64),
                attempts INTEGER NOT NULL CHECK (attempts >= 0),
                first_attempt INTEGER,
                -- Set while the entry is in the outbox.
                next_attempt INTEGER,
                last_error TEXT CHECK (length(last_error) <= 1000),
                remote_id TEXT CHECK (length(remote_id) <= 1024),
                changed_at INTEGER NOT NULL,
                -- Enqueued since it was last handed out to be sent: whatever becomes of that attempt, it is due again.
                stale INTEGER NOT NULL CHECK (stale IN (0, 1)),
                PRIMARY KEY (destination, person, day),
                CHECK (NOT stale OR next_attempt IS NOT NULL)
            ) STRICT, WITHOUT ROWID;
            -- With the years nearly all entries are sent and done.
            CREATE INDEX share_open ON share (destination, day, person) WHERE next_attempt IS NOT NULL OR state <> 'sent';

            -- Up to which revision, and from which day on, the days of a person were considered for a destination.
            CREATE TABLE share_watermark (
                destination TEXT NOT NULL CHECK (length(destination) BETWEEN 1 AND 256),
                person INTEGER NOT NULL REFERENCES person,
                since TEXT NOT NULL CHECK (since IS date(since, '+0 days')),
                revision INTEGER NOT NULL CHECK (revision >= 0),
                PRIMARY KEY (destination, person)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE destination (
                name TEXT NOT NULL PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 256),
                first_day TEXT CHECK (first_day IS date(first_day, '+0 days')),
                not_before INTEGER,
                failures INTEGER NOT NULL CHECK (failures >= 0),
                stopped TEXT CHECK (length(stopped) <= 1000)
            ) STRICT, WITHOUT ROWID;
            """)
}
