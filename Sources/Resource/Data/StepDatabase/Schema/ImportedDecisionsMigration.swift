extension Schema.Migration {
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
}
