extension Schema.Migration {
    /// Version 14: days that a user has deleted, and the beginning of what a pedometer may bring.
    static let deletions = Schema.Migration(
        name: "deletions",
        sql: """
            CREATE TABLE deleted_day (
                person INTEGER NOT NULL REFERENCES person,
                day TEXT NOT NULL CHECK (day IS date(day, '+0 days')),
                -- Whether syncs and imports leave the day out. If not, only destinations are told of it.
                closed INTEGER NOT NULL CHECK (closed IN (0, 1)),
                at INTEGER NOT NULL,
                PRIMARY KEY (person, day)
            ) STRICT, WITHOUT ROWID;
            -- What it holds of the time before was counted for a user or a registration that was deleted.
            ALTER TABLE pedometer ADD COLUMN counts_from INTEGER CHECK (counts_from BETWEEN 0 AND 253402300800);
            """)
}
