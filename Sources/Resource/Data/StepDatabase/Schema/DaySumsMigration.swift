extension Schema.Migration {
    /// Version 7: the sums of the samples of each day of a person (`DaySums`).
    ///
    /// A row is calculated from the samples, the coverage and the owners of the pedometers, and must not be there any
    /// more when these have changed. Triggers ensure this, whichever program makes the change: they delete the rows of
    /// all days that a change can concern, and reading calculates missing rows. They delete some rows too many rather
    /// than one too few:
    /// - `REPLACE` deletes rows without a delete trigger (https://www.sqlite.org/lang_conflict.html), so the triggers
    ///   of an insert or an update include the row that it may replace. A replaced sample has the same start, and an
    ///   offset of at most 14 hours.
    /// - A span of coverage decides on days from two days before its first moment on, in whatever offset (`/` rounds
    ///   towards 0, hence three). It can hide an earlier one from all later days if the two overlap, as they never
    ///   should. Syncs add coverage at its end, so few days come after it.
    static let daySums = Schema.Migration(
        name: "daySums",
        sql: """
            CREATE TABLE day_sum (
                person INTEGER NOT NULL REFERENCES person ON DELETE CASCADE,
                -- 0 for 1970-01-01.
                day INTEGER NOT NULL,
                -- Of the calculation: rows of another one are calculated again.
                revision INTEGER NOT NULL,
                completeness TEXT NOT NULL CHECK (completeness IN ('complete', 'partial', 'unknown')),
                walking_steps INTEGER NOT NULL CHECK (walking_steps >= 0),
                running_steps INTEGER NOT NULL CHECK (running_steps >= 0),
                walking_metres REAL CHECK (walking_metres >= 0),
                running_metres REAL CHECK (running_metres >= 0),
                energy REAL CHECK (energy >= 0),
                -- Steps of 24 hours, 32 bits each, the least significant byte first; empty where nothing is known of the day.
                hours BLOB NOT NULL CHECK (length(hours) IN (0, 96)),
                PRIMARY KEY (person, day)
            ) STRICT, WITHOUT ROWID;

            CREATE TRIGGER day_sum_sample_insert AFTER INSERT ON sample BEGIN
                DELETE FROM day_sum WHERE person = (SELECT person FROM pedometer WHERE id = new.pedometer)
                    AND day BETWEEN (new.start + 36000) / 86400 - 1 AND (new.start + 50400) / 86400;
            END;
            CREATE TRIGGER day_sum_sample_update AFTER UPDATE ON sample BEGIN
                DELETE FROM day_sum WHERE person = (SELECT person FROM pedometer WHERE id = new.pedometer)
                    AND day BETWEEN (new.start + 36000) / 86400 - 1 AND (new.start + 50400) / 86400;
                DELETE FROM day_sum WHERE person = (SELECT person FROM pedometer WHERE id = old.pedometer)
                    AND day BETWEEN (old.start + 36000) / 86400 - 1 AND (old.start + 50400) / 86400;
            END;
            CREATE TRIGGER day_sum_sample_delete AFTER DELETE ON sample BEGIN
                DELETE FROM day_sum WHERE person = (SELECT person FROM pedometer WHERE id = old.pedometer)
                    AND day BETWEEN (old.start + 36000) / 86400 - 1 AND (old.start + 50400) / 86400;
            END;

            CREATE TRIGGER day_sum_coverage_insert AFTER INSERT ON coverage BEGIN
                DELETE FROM day_sum WHERE person = (SELECT person FROM pedometer WHERE id = new.pedometer)
                    AND day >= new.start / 86400 - 3;
            END;
            -- A span that only grows or shrinks at its end, as with each sync, concerns the days from there on.
            CREATE TRIGGER day_sum_coverage_end AFTER UPDATE ON coverage
            WHEN (old.pedometer, old.start, old.utc_offset) = (new.pedometer, new.start, new.utc_offset) BEGIN
                DELETE FROM day_sum WHERE person = (SELECT person FROM pedometer WHERE id = new.pedometer)
                    AND day >= min(old.until, new.until) / 86400 - 3;
            END;
            CREATE TRIGGER day_sum_coverage_move AFTER UPDATE ON coverage
            WHEN (old.pedometer, old.start, old.utc_offset) <> (new.pedometer, new.start, new.utc_offset) BEGIN
                DELETE FROM day_sum WHERE person = (SELECT person FROM pedometer WHERE id = old.pedometer)
                    AND day >= old.start / 86400 - 3;
                DELETE FROM day_sum WHERE person = (SELECT person FROM pedometer WHERE id = new.pedometer)
                    AND day >= new.start / 86400 - 3;
            END;
            CREATE TRIGGER day_sum_coverage_delete AFTER DELETE ON coverage BEGIN
                DELETE FROM day_sum WHERE person = (SELECT person FROM pedometer WHERE id = old.pedometer)
                    AND day >= old.start / 86400 - 3;
            END;

            -- A pedometer that takes the place of another, as REPLACE does it, can leave samples without an owner.
            CREATE TRIGGER day_sum_pedometer_replace BEFORE INSERT ON pedometer
            WHEN EXISTS (SELECT 1 FROM pedometer WHERE id = new.id OR person = new.person AND address = new.address
                OR NOT forgotten AND NOT new.forgotten AND (address = new.address OR name_key = new.name_key)) BEGIN
                DELETE FROM day_sum;
            END;
            CREATE TRIGGER day_sum_pedometer_insert AFTER INSERT ON pedometer
            WHEN EXISTS (SELECT 1 FROM sample WHERE pedometer = new.id) OR EXISTS (SELECT 1 FROM coverage WHERE pedometer = new.id) BEGIN
                DELETE FROM day_sum WHERE person = new.person;
            END;
            CREATE TRIGGER day_sum_pedometer_change BEFORE UPDATE OF id, person, address, name_key, forgotten ON pedometer
            WHEN old.id <> new.id OR old.person <> new.person
                OR EXISTS (SELECT 1 FROM pedometer WHERE id <> old.id AND (id = new.id OR person = new.person AND address = new.address
                    OR NOT forgotten AND NOT new.forgotten AND (address = new.address OR name_key = new.name_key))) BEGIN
                DELETE FROM day_sum;
            END;
            CREATE TRIGGER day_sum_pedometer_delete AFTER DELETE ON pedometer BEGIN
                DELETE FROM day_sum WHERE person = old.person;
            END;
            """)
}
