extension Schema.Migration {
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
}
