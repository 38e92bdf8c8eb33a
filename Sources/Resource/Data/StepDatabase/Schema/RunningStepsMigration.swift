extension Schema.Migration {
    /// Version 13: the measured length of a running step. NULL where it is scaled by the walking step or the height.
    static let runningSteps = Schema.Migration(
        name: "runningSteps",
        sql: "ALTER TABLE profile ADD COLUMN running_step_length REAL CHECK (running_step_length BETWEEN 0.2 AND 2.5);"
    )
}
