// Versions 11, 13, 14 and 16. Those before are in FirstMigrations.swift, those of imports in ImportMigrations.swift.
extension Schema.Migration {
    /// Version 11: time whose steps do not count, by the user's decision (`Exclusion`).
    ///
    /// Samples stay as they are, so that later syncs bring nothing back, and what was excluded can count again. A
    /// change deletes the stored sums of all days whose samples can reach into the time: the longest sample has a year.
    static let exclusions = Schema.Migration(
        name: "exclusions",
        sql: """
            CREATE TABLE excluded_time (
                person INTEGER NOT NULL REFERENCES person,
                start INTEGER NOT NULL CHECK (start BETWEEN 0 AND 253402300799),
                until INTEGER NOT NULL CHECK (until BETWEEN start + 1 AND start + 90000),
                -- Of the place where it was entered.
                utc_offset INTEGER NOT NULL CHECK (utc_offset BETWEEN -50400 AND 50400),
                entered_at INTEGER NOT NULL,
                reason TEXT CHECK (length(reason) BETWEEN 1 AND 200),
                PRIMARY KEY (person, start)
            ) STRICT, WITHOUT ROWID;
            CREATE TRIGGER day_sum_excluded_insert AFTER INSERT ON excluded_time BEGIN
                DELETE FROM day_sum WHERE person = new.person
                    AND day BETWEEN new.start / 86400 - 368 AND new.start / 86400 + 3;
            END;
            CREATE TRIGGER day_sum_excluded_update AFTER UPDATE ON excluded_time BEGIN
                DELETE FROM day_sum WHERE person = new.person
                    AND day BETWEEN new.start / 86400 - 368 AND new.start / 86400 + 3;
                DELETE FROM day_sum WHERE person = old.person
                    AND day BETWEEN old.start / 86400 - 368 AND old.start / 86400 + 3;
            END;
            CREATE TRIGGER day_sum_excluded_delete AFTER DELETE ON excluded_time BEGIN
                DELETE FROM day_sum WHERE person = old.person
                    AND day BETWEEN old.start / 86400 - 368 AND old.start / 86400 + 3;
            END;

            """ + triggers(.excludedTime))

    /// Version 13: the measured length of a running step. NULL where it is scaled by the walking step or the height.
    static let runningSteps = Schema.Migration(
        name: "runningSteps",
        sql: "ALTER TABLE profile ADD COLUMN running_step_length REAL CHECK (running_step_length BETWEEN 0.2 AND 2.5);"
    )

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
