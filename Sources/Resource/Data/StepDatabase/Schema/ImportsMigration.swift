extension Schema.Migration {
    /// What files of other programs say (`ImportStore.swift`).
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
}
