extension Schema.Migration {
    /// Version 16: why a day waits or was not sent, where istep decides by it (`ShareEntry.Cause`). Earlier versions
    /// recognised it by the words of the last error.
    static let shareCauses = Schema.Migration(
        name: "shareCauses",
        sql: """
            ALTER TABLE share ADD COLUMN cause TEXT CHECK (cause IN ('refusedUser', 'implausibleSteps'));
            UPDATE share SET cause = \(causeByWords) WHERE last_error IS NOT NULL;
            """)

    /// The cause of an entry of an earlier version, of its column `last_error`. Version 0.3.0 and earlier ones wrote
    /// "makes in a day".
    static let causeByWords = """
        CASE WHEN last_error LIKE 'only the days of this user wait: %' THEN 'refusedUser'
            WHEN last_error IN (
                'more steps than anyone takes in a day; it is sent when it is corrected or requested',
                'more steps than anyone makes in a day; it is sent when it is corrected or requested')
            THEN 'implausibleSteps' END
        """
}
