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
}
