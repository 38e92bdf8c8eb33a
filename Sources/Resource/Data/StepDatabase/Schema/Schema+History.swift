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
