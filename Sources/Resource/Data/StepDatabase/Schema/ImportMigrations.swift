// Versions 10, 12, 15, 17 and 18: what imports store.
extension Schema.Migration {
    /// Version 10: what files of other programs say (`ImportStore.swift`).
    ///
    /// A source of an import is a row of `pedometer`, whose samples and coverage are what all of its imports say
    /// together. What each says is in `import_content`: so an import can be taken back after others have corrected the
    /// same slots. Exports of one source repeat most of each other: what two imports say of a day in the same words is
    /// stored once.
    static let imports = Schema.Migration(
        name: "imports",
        sql: """
            CREATE TABLE import (
                id INTEGER PRIMARY KEY,
                person INTEGER NOT NULL REFERENCES person,
                at INTEGER NOT NULL,
                path TEXT NOT NULL CHECK (length(path) BETWEEN 1 AND 4096),
                format TEXT NOT NULL CHECK (length(format) BETWEEN 1 AND 64),
                -- Equal for files that say the same of the same sources.
                digest TEXT NOT NULL CHECK (length(digest) = 16),
                -- How the UTC offsets of its steps are known: 'records', or the name of a zone.
                zone TEXT NOT NULL CHECK (length(zone) <= 256),
                days INTEGER NOT NULL CHECK (days >= 0),
                steps INTEGER NOT NULL CHECK (steps >= 0),
                first_day TEXT CHECK (first_day IS date(first_day, '+0 days')),
                last_day TEXT CHECK (last_day IS date(last_day, '+0 days')),
                -- Days whose steps were different after it.
                changed_days INTEGER NOT NULL CHECK (changed_days >= 0)
            ) STRICT;

            CREATE TABLE import_track (import INTEGER NOT NULL REFERENCES import,
                pedometer INTEGER NOT NULL REFERENCES pedometer,
                -- The one that the samples of this import name.
                sync INTEGER NOT NULL REFERENCES sync,
                -- How far it reaches. Of two imports of a source, the one that reaches further counts.
                until INTEGER NOT NULL,
                PRIMARY KEY (import, pedometer)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX import_track_by_pedometer ON import_track (pedometer);

            CREATE TABLE import_content (
                id INTEGER PRIMARY KEY,
                pedometer INTEGER NOT NULL REFERENCES pedometer,
                -- Of UTC; 0 for 1970-01-01.
                day INTEGER NOT NULL,
                -- As `PackedDay` describes it.
                content BLOB NOT NULL
            ) STRICT;
            CREATE INDEX import_content_by_day ON import_content (pedometer, day);

            CREATE TABLE import_part (import INTEGER NOT NULL REFERENCES import,
                content INTEGER NOT NULL REFERENCES import_content,
                PRIMARY KEY (import, content)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX import_part_by_content ON import_part (content);
            """)

    /// Version 12: what became of the imports of the configuration (`ScheduledImport`).
    static let scheduledImports = Schema.Migration(
        name: "scheduledImports",
        sql: """
            CREATE TABLE scheduled_import (
                name TEXT NOT NULL PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 32),
                -- The file that was read last, with its bytes and the nanoseconds of its last change.
                file TEXT CHECK (length(file) <= 4096),
                size INTEGER,
                modified INTEGER,
                read_at INTEGER,
                tried_at INTEGER NOT NULL,
                failure TEXT CHECK (length(failure) <= 1000),
                CHECK ((file IS NULL) = (size IS NULL) AND (file IS NULL) = (modified IS NULL))
            ) STRICT, WITHOUT ROWID;
            """)

    /// Version 15: what imports of other histories have brought of their users' corrections and excluded time
    /// (`ForeignDecisions`).
    ///
    /// What holds is in `correction` and `excluded_time`. A row there is an import's if one of these says it in the
    /// same words: so one that the user enters or changes afterwards is the user's own.
    static let importedDecisions = Schema.Migration(
        name: "importedDecisions",
        sql: """
            CREATE TABLE import_correction (import INTEGER NOT NULL REFERENCES import,
                day TEXT NOT NULL CHECK (day IS date(day, '+0 days')),
                steps INTEGER NOT NULL CHECK (steps BETWEEN 0 AND 1000000),
                entered_at INTEGER NOT NULL,
                reason TEXT CHECK (length(reason) BETWEEN 1 AND 200),
                PRIMARY KEY (import, day)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX import_correction_by_day ON import_correction (day);

            -- No two of one import overlap.
            CREATE TABLE import_exclusion (import INTEGER NOT NULL REFERENCES import,
                start INTEGER NOT NULL CHECK (start BETWEEN 0 AND 253402300799),
                until INTEGER NOT NULL CHECK (until BETWEEN start + 1 AND start + 90000),
                utc_offset INTEGER NOT NULL CHECK (utc_offset BETWEEN -50400 AND 50400),
                entered_at INTEGER NOT NULL,
                reason TEXT CHECK (length(reason) BETWEEN 1 AND 200),
                PRIMARY KEY (import, start)
            ) STRICT, WITHOUT ROWID;
            """)

    /// Version 17: the greatest number that an import was given (`ImportNumbers`). Before, it was the size of a file in
    /// a row of `scheduled_import`.
    static let importNumbers = Schema.Migration(
        name: "importNumbers",
        sql: """
            -- Has one row, or none if there was no import.
            CREATE TABLE import_number (id INTEGER PRIMARY KEY CHECK (id = 1), last INTEGER NOT NULL) STRICT;
            INSERT INTO import_number
                SELECT 1, last FROM (
                    SELECT size AS last FROM scheduled_import WHERE name = 'import.number' UNION ALL SELECT id FROM import
                ) ORDER BY last DESC LIMIT 1;
            DELETE FROM scheduled_import WHERE name = 'import.number';
            """)

    /// Version 18: the settings with which the file of an import of the configuration was read, and newer files of its
    /// folder that could not be read.
    static let scheduledImportDetails = Schema.Migration(
        name: "scheduledImportDetails",
        sql: """
            ALTER TABLE scheduled_import ADD COLUMN settings TEXT CHECK (length(settings) <= 64);
            -- Paths, as a list in JSON.
            ALTER TABLE scheduled_import ADD COLUMN damaged TEXT;
            """)
}
