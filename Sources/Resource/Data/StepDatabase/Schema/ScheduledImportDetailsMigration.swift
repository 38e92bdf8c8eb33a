extension Schema.Migration {
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
