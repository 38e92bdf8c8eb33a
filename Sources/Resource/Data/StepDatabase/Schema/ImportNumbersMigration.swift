extension Schema.Migration {
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
}
