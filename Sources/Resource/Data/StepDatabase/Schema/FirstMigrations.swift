// Versions 1 to 6 and 8.
extension Schema.Migration {
    /// Version 1: people, pedometers, syncs with their frames, samples, coverage, corrections.
    ///
    /// Times are seconds since 1970 in UTC, days are ISO 8601 text, distances metres, energies kilocalories.
    static let history = Schema.Migration(
        name: "history",
        sql: """
            CREATE TABLE person (
                id INTEGER PRIMARY KEY,
                name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 256),
                -- The name folded by Unicode's rules; SQLite's own NOCASE knows only ASCII.
                name_key TEXT NOT NULL UNIQUE
            ) STRICT;

            CREATE TABLE profile (
                person INTEGER NOT NULL REFERENCES person,
                valid_from TEXT NOT NULL CHECK (valid_from IS date(valid_from)),
                height REAL CHECK (height BETWEEN 0.5 AND 2.5),
                weight REAL CHECK (weight BETWEEN 10 AND 400),
                sex TEXT NOT NULL CHECK (sex IN ('female', 'male', 'unspecified')),
                birth_date TEXT CHECK (birth_date IS date(birth_date)),
                step_length REAL CHECK (step_length BETWEEN 0.2 AND 1.5),
                PRIMARY KEY (person, valid_from)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE plan (
                person INTEGER NOT NULL REFERENCES person,
                valid_from TEXT NOT NULL CHECK (valid_from IS date(valid_from)),
                monday INTEGER NOT NULL CHECK (monday BETWEEN 0 AND 200000),
                tuesday INTEGER NOT NULL CHECK (tuesday BETWEEN 0 AND 200000),
                wednesday INTEGER NOT NULL CHECK (wednesday BETWEEN 0 AND 200000),
                thursday INTEGER NOT NULL CHECK (thursday BETWEEN 0 AND 200000),
                friday INTEGER NOT NULL CHECK (friday BETWEEN 0 AND 200000),
                saturday INTEGER NOT NULL CHECK (saturday BETWEEN 0 AND 200000),
                sunday INTEGER NOT NULL CHECK (sunday BETWEEN 0 AND 200000),
                PRIMARY KEY (person, valid_from)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE pedometer (
                id INTEGER PRIMARY KEY,
                person INTEGER NOT NULL REFERENCES person,
                model TEXT NOT NULL CHECK (length(model) BETWEEN 1 AND 64),
                address TEXT NOT NULL CHECK (length(address) = 17 AND address = upper(address)),
                address_type TEXT NOT NULL CHECK (address_type IN ('public', 'random')),
                name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 256),
                name_key TEXT NOT NULL,
                options TEXT NOT NULL CHECK (json_valid(options)),
                clock TEXT NOT NULL CHECK (json_valid(clock)),
                cursor TEXT NOT NULL CHECK (json_valid(cursor)),
                -- Out of use; the samples stay.
                forgotten INTEGER NOT NULL DEFAULT 0 CHECK (forgotten IN (0, 1)),
                UNIQUE (person, address)
            ) STRICT;
            -- Passed on to somebody else, a pedometer leaves its samples with whom it counted them for.
            CREATE UNIQUE INDEX pedometer_address ON pedometer (address) WHERE NOT forgotten;
            CREATE UNIQUE INDEX pedometer_name ON pedometer (name_key) WHERE NOT forgotten;

            CREATE TABLE sync (
                id INTEGER PRIMARY KEY,
                pedometer INTEGER NOT NULL REFERENCES pedometer,
                started_at INTEGER NOT NULL,
                ended_at INTEGER,
                outcome TEXT NOT NULL DEFAULT 'running' CHECK (outcome IN ('running', 'complete', 'failed')),
                battery INTEGER CHECK (battery BETWEEN 0 AND 100),
                failure TEXT,
                added INTEGER NOT NULL DEFAULT 0,
                grown INTEGER NOT NULL DEFAULT 0,
                unchanged INTEGER NOT NULL DEFAULT 0,
                implausible INTEGER NOT NULL DEFAULT 0,
                steps INTEGER NOT NULL DEFAULT 0,
                frames INTEGER NOT NULL DEFAULT 0,
                CHECK ((outcome = 'running') = (ended_at IS NULL))
            ) STRICT;
            CREATE INDEX sync_by_start ON sync (pedometer, started_at);
            CREATE INDEX sync_by_end ON sync (pedometer, outcome, ended_at);

            CREATE TABLE frame (
                id INTEGER PRIMARY KEY,
                sync INTEGER NOT NULL REFERENCES sync,
                at INTEGER NOT NULL,
                direction TEXT NOT NULL CHECK (direction IN ('received', 'sent')),
                -- Values have at most 512 bytes; a notification that breaks that rule still fits a packet of 517.
                bytes BLOB NOT NULL CHECK (length(bytes) <= 1024)
            ) STRICT;
            CREATE INDEX frame_by_sync ON frame (sync);

            CREATE TABLE sample (
                pedometer INTEGER NOT NULL REFERENCES pedometer,
                start INTEGER NOT NULL CHECK (start BETWEEN 0 AND 253402300799),
                length INTEGER NOT NULL CHECK (length BETWEEN 1 AND 31622400),
                steps INTEGER NOT NULL CHECK (steps BETWEEN 0 AND length * 5),
                distance REAL CHECK (distance >= 0),
                energy REAL CHECK (energy >= 0),
                utc_offset INTEGER NOT NULL CHECK (utc_offset BETWEEN -50400 AND 50400),
                sync INTEGER NOT NULL REFERENCES sync,
                PRIMARY KEY (pedometer, start)
            ) STRICT, WITHOUT ROWID;

            -- As they came, without limits: they are kept to be looked at, never counted.
            CREATE TABLE implausible_sample (
                pedometer INTEGER NOT NULL REFERENCES pedometer,
                start INTEGER NOT NULL,
                length INTEGER NOT NULL,
                steps INTEGER NOT NULL,
                distance REAL,
                energy REAL,
                utc_offset INTEGER NOT NULL,
                sync INTEGER NOT NULL REFERENCES sync,
                PRIMARY KEY (pedometer, start)
            ) STRICT, WITHOUT ROWID;

            -- Spans that a pedometer has accounted for; no two of one pedometer overlap, or touch with the same offset.
            CREATE TABLE coverage (
                pedometer INTEGER NOT NULL REFERENCES pedometer,
                start INTEGER NOT NULL,
                until INTEGER NOT NULL,
                utc_offset INTEGER NOT NULL CHECK (utc_offset BETWEEN -50400 AND 50400),
                PRIMARY KEY (pedometer, start),
                CHECK (start < until)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE correction (
                person INTEGER NOT NULL REFERENCES person,
                day TEXT NOT NULL CHECK (day IS date(day)),
                steps INTEGER NOT NULL CHECK (steps BETWEEN 0 AND 1000000),
                entered_at INTEGER NOT NULL,
                PRIMARY KEY (person, day)
            ) STRICT, WITHOUT ROWID;
            """)
}

extension Schema.Migration {
    /// Version 2: the ledger of the days that were shared and their destinations, and the days that have changed since
    /// it was last read.
    ///
    /// `changed_day` starts with all days that version 1 has data for. Days are checked with a modifier: without one,
    /// SQLite's `date` accepts the 31st of any month unchanged.
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

extension Schema.Migration {
    /// Version 3: the cause of a failed sync, and the notices of nightly runs until they are reported.
    ///
    /// Earlier failures have only their text; those that the pedometer did not cause are identified by it.
    static let notices = Schema.Migration(
        name: "notices",
        sql: """
            ALTER TABLE sync ADD COLUMN cause TEXT CHECK (cause IN ('outOfRange', 'machine', 'interrupted', 'other'));
            UPDATE sync SET cause =
                CASE WHEN failure LIKE '% was not heard within % s' THEN 'outOfRange'
                    WHEN failure IN ('interrupted', 'cancelled') THEN 'interrupted'
                    WHEN failure LIKE 'the Bluetooth adapter % is switched off' OR failure LIKE 'the Bluetooth adapter % is blocked %'
                        OR failure LIKE 'the Bluetooth adapter % went away' OR failure LIKE 'there is no Bluetooth adapter %'
                        OR failure LIKE 'no connection to the D-Bus bus: %' OR failure LIKE 'access denied: %'
                        OR failure IN ('this machine has no Bluetooth adapter', 'the Bluetooth service (bluetoothd) is not running',
                            'this kernel has no Bluetooth, or keeps it from this process') THEN 'machine'
                    ELSE 'other' END
            WHERE outcome = 'failed';

            CREATE TABLE notice (
                id INTEGER PRIMARY KEY,
                -- The same for the same thing.
                key TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 1024),
                -- 'machine', 'pedometer:ID', 'user:ID' or 'destination:NAME', and its name as it was then.
                subject TEXT NOT NULL CHECK (length(subject) BETWEEN 1 AND 512),
                name TEXT NOT NULL CHECK (length(name) <= 256),
                -- Whose concern it is, if not everybody's.
                person INTEGER REFERENCES person,
                since INTEGER NOT NULL,
                content TEXT NOT NULL CHECK (json_valid(content)),
                kept_at INTEGER NOT NULL,
                seen_at INTEGER,
                notified_at INTEGER,
                ended_at INTEGER
            ) STRICT;
            -- A thing that ended may come again; the same twice at once is never there.
            CREATE UNIQUE INDEX notice_standing ON notice (key) WHERE ended_at IS NULL;
            """)
}

extension Schema.Migration {
    /// Version 4: why a destination is on hold, and how often a day was sent again on request.
    static let delivery = Schema.Migration(
        name: "delivery",
        sql: """
            ALTER TABLE destination ADD COLUMN last_error TEXT CHECK (length(last_error) <= 1000);
            ALTER TABLE share ADD COLUMN repetition INTEGER NOT NULL DEFAULT 0 CHECK (repetition >= 0);
            """)
}

extension Schema.Migration {
    /// Version 5: the layout in which a destination stores its days. Earlier days were written in layout 0, whatever
    /// their kind.
    static let layouts = Schema.Migration(
        name: "layouts",
        sql: "ALTER TABLE destination ADD COLUMN layout INTEGER NOT NULL DEFAULT 0 CHECK (layout >= 0);")
}

extension Schema.Migration {
    /// Version 6: why the steps of a day were corrected by hand.
    static let reasons = Schema.Migration(
        name: "reasons",
        sql: "ALTER TABLE correction ADD COLUMN reason TEXT CHECK (length(reason) BETWEEN 1 AND 200);")
}

// Version 7 is in DaySumsMigration.swift.

extension Schema.Migration {
    /// Version 8: what a pedometer itself counts for a day, beside the sum of its slots (`DeviceTotal`): a check, never
    /// steps.
    static let deviceTotals = Schema.Migration(
        name: "deviceTotals",
        sql: """
            CREATE TABLE device_total (
                pedometer INTEGER NOT NULL REFERENCES pedometer,
                day TEXT NOT NULL CHECK (day IS date(day, '+0 days')),
                -- When it was last read on that day.
                at INTEGER NOT NULL,
                total INTEGER NOT NULL CHECK (total BETWEEN 0 AND 16777215),
                slots INTEGER NOT NULL CHECK (slots BETWEEN 0 AND 16777215),
                PRIMARY KEY (pedometer, day)
            ) STRICT, WITHOUT ROWID;
            """)
}
