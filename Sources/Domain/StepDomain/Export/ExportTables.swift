extension ExportTable {
    /// All tables. Each comes after those that its rows refer to.
    public static let all: [ExportTable] =
        [days, hours, users, profiles, plans, pedometers, syncs, samples, implausible, coverage, deviceTotals]
        + [corrections, excluded, deletedDays, destinations, shares, shareProgress, changedDays] + ofImports
        + ofImportedDecisions + [tables]

    /// The tables that a whole history has.
    public static let stored = all.filter { !$0.isCalculated }

    /// What belongs to imports of whole files.
    public static let ofImports = [imports, importTracks, importContents, importParts]

    /// What imports have brought beside steps; exports of earlier versions do not have it.
    public static let ofImportedDecisions = [importCorrections, importExcluded]

    private static let user = Column("user", .text, "The name of the user.")
    private static let pedometer = Column("pedometer", .integer, "The number of the pedometer or source.")
    private static let sync = Column("sync", .integer, "The number of the sync that stored it.")
    private static let steps = Column("steps", .integer, "Steps.")
    private static let distance = Column(
        "distance_metres", .number, isOptional: true, "Metres, as the pedometer calculated them.")
    private static let energy = Column(
        "energy_kilocalories", .number, isOptional: true, "Kilocalories, as the pedometer calculated them.")

    public static let days = ExportTable(
        "days", isCalculated: true, "A day of a user, from the first known day to today.",
        [
            user, Column("day", .day, "The day."),
            Column("steps", .integer, isOptional: true, "Steps; empty where nothing is known."),
            Column("walking_steps", .integer, isOptional: true, "The steps that were walked."),
            Column("running_steps", .integer, isOptional: true, "The steps that were run."),
            Column("distance_metres", .number, isOptional: true, "Metres."),
            Column(
                "energy_kilocalories", .number, isOptional: true,
                "Kilocalories above rest, or as the pedometer reported them."),
            Column("goal", .integer, isOptional: true, "Steps of the effective plan; empty on a rest day."),
            Column("goal_met", .boolean, "Whether the steps reached the goal."),
            Column("completeness", .text, "complete, partial or unknown."),
            Column("running", .boolean, "Whether the day was not over yet."),
            Column("corrected", .boolean, "Whether the steps were entered by hand."),
        ])

    public static let hours = ExportTable(
        "hours", isCalculated: true, "An hour of a day, by the clock where the steps were made.",
        [
            user, Column("day", .day, "The day."), Column("hour", .integer, "0 to 23."),
            Column("steps", .integer, isOptional: true, "Steps; empty where the hour is not known."),
        ])

    public static let users = ExportTable("users", "A user.", [user])

    public static let profiles = ExportTable(
        "profiles", "The profile of a user from a day on.",
        [
            user, Column("valid_from", .day, latest: .any, "The first day on which it holds."),
            Column("height_metres", .number, isOptional: true, "Metres."),
            Column("weight_kilograms", .number, isOptional: true, "Kilograms."),
            Column("sex", .text, "female, male or unspecified."),
            Column("birth_date", .day, isOptional: true, "The date of birth."),
            Column("step_length_metres", .number, isOptional: true, "Metres, if it was measured."),
            Column(
                "running_step_length_metres", .number, isOptional: true, "The same while running."),
        ])

    public static let plans = ExportTable(
        "plans", "The goals of a user from a day on.",
        [user, Column("valid_from", .day, latest: .any, "The first day on which they hold.")]
            + Weekday.allCases.map { Column($0.name, .integer, "Steps; 0 for a rest day.") })

    public static let pedometers = ExportTable(
        "pedometers", "A pedometer, or a source of imports.",
        [
            Column("pedometer", .integer, "Its number."), user, Column("name", .text, "Its name."),
            Column("model", .text, "The key of its model; of a source import: and the format."),
            Column("address", .text, "Its Bluetooth address; of a source a number in its place."),
            Column("address_type", .text, "public or random."),
            Column("options", .text, "Options of the model, as JSON."),
            Column("clock", .text, latest: .now, "How its clock was set, as JSON."),
            Column("cursor", .text, latest: .now, "Where the next sync goes on, as JSON."),
            Column("forgotten", .boolean, "Whether it is out of use."),
            Column(
                "counts_from", .time, isOptional: true,
                "Earlier steps that it holds are left out: they were counted for a user who was deleted."),
        ])

    public static let syncs = ExportTable(
        "syncs", "A sync of a pedometer, or an import of a source.",
        [
            Column("sync", .integer, "Its number."), user, pedometer,
            Column("start", .time, latest: .any, "When it began."),
            Column("end", .time, isOptional: true, latest: .any, "When it ended."),
            Column("outcome", .text, "running, complete or failed."),
            Column("battery", .integer, isOptional: true, "Percent."),
            Column("failure", .text, isOptional: true, "Why it failed."),
            Column("cause", .text, isOptional: true, "outOfRange, machine, interrupted or other."),
            Column("added", .integer, "Samples that the history did not have."),
            Column("grown", .integer, "Samples that it had with fewer steps."),
            Column("unchanged", .integer, "Samples that it had."),
            Column("implausible", .integer, "Samples that are not counted."), steps,
            Column("frames", .integer, "Raw frames, which are only in a backup."),
        ])

    public static let samples = ExportTable(
        "samples", "Steps of one slot of time, as a pedometer counted them.",
        [
            user, pedometer, Column("start", .time, "Its first second, with the offset of the place."),
            Column("seconds", .integer, "Its length."), steps, distance, energy, sync,
        ])

    public static let implausible = ExportTable(
        "implausible_samples", "A slot as it was received, with more steps than a person makes: not counted.",
        [
            user, pedometer,
            Column("start_seconds", .integer, latest: .now, "Its first second, since 1970 in UTC."),
            Column("seconds", .integer, "Its length."), steps, distance, energy,
            Column("offset_seconds", .integer, "Seconds east of Greenwich."), sync,
        ])

    public static let coverage = ExportTable(
        "coverage", "Time that a pedometer has accounted for: without a sample there were no steps.",
        [
            user, pedometer, Column("start", .time, "Its first second, with the offset of the place."),
            Column("end", .time, "The second after it."),
        ])

    public static let deviceTotals = ExportTable(
        "device_totals", "What a pedometer itself counted for a day: compared, never counted.",
        [
            user, pedometer, Column("day", .day, "The day."), Column("at", .time, "When it was read."),
            Column("total", .integer, "Its count."), Column("slots", .integer, "The sum of its slots then."),
        ])

    public static let corrections = ExportTable(
        "corrections", "The steps of a day that were entered by hand.",
        [
            user, Column("day", .day, "The day."), steps, Column("entered_at", .time, "When they were entered."),
            Column("reason", .text, isOptional: true, "Why."),
        ])

    public static let excluded = ExportTable(
        "excluded", "Time whose steps do not count, by the user's decision.",
        [
            user, Column("start", .time, "Its first second, with the offset of the place."),
            Column("end", .time, "The second after it."), Column("entered_at", .time, "When it was entered."),
            Column("reason", .text, isOptional: true, "Why."),
        ])

    public static let deletedDays = ExportTable(
        "deleted_days", "A day that was deleted.",
        [
            user, Column("day", .day, "The day."),
            Column("closed", .boolean, "Whether syncs and imports leave it out."),
            Column("at", .time, "When it was deleted."),
        ])

    public static let destinations = ExportTable(
        "destinations", "The state of a destination. Its settings are in the configuration.",
        [
            Column("destination", .text, "Its name."),
            Column("first_day", .day, isOptional: true, latest: .any, "The first day that is shared."),
            Column("not_before", .time, isOptional: true, latest: .soon, "Until when it is left in peace."),
            Column("failures", .integer, "Failures in a row."),
            Column("stopped", .text, isOptional: true, "Why nothing is sent until the user acts."),
            Column("last_error", .text, isOptional: true, "Its last error."),
            Column("layout", .integer, "The layout of its days."),
        ])

    public static let shares = ExportTable(
        "shares", "The ledger: what became of a day at a destination.",
        [
            Column("destination", .text, "The name of the destination."), user, Column("day", .day, "The day."),
            Column("state", .text, "pending, sending, sent, rejected or unknown."),
            Column("asked", .boolean, "Whether the user asked for it."),
            Column("fingerprint", .text, isOptional: true, "Of what was handed out last."),
            Column("confirmed", .text, isOptional: true, "Of what the server confirmed last."),
            Column("attempts", .integer, "Attempts."),
            Column("first_attempt", .time, isOptional: true, "The first attempt."),
            Column(
                "next_attempt", .time, isOptional: true, latest: .soon, "The next attempt; empty if none is due."),
            Column("last_error", .text, isOptional: true, "The last error."),
            Column(
                "cause", .text, isOptional: true,
                "refusedUser: the destination does not accept the user; implausibleSteps: more steps than possible."),
            Column("remote_id", .text, isOptional: true, "What the server calls it."),
            Column("changed_at", .time, "When the row changed."),
            Column("stale", .boolean, "Whether it is due again whatever becomes of this attempt."),
            Column("repetition", .integer, "How often it was sent again, on request or as a correction."),
        ])

    public static let shareProgress = ExportTable(
        "share_progress", "Up to which revision the days of a user were examined for a destination.",
        [
            Column("destination", .text, "The name of the destination."), user,
            Column("since", .day, latest: .any, "From this day on."), Column("revision", .integer, "The revision."),
        ])

    public static let changedDays = ExportTable(
        "changed_days", "The revision in which a day changed last.",
        [
            user, Column("day", .day, "The day."), Column("revision", .integer, "It grows with each change."),
            Column("counted", .boolean, "Whether a pedometer knows of the day."),
        ])

    public static let imports = ExportTable(
        "imports", "An import of a file.",
        [
            Column("import", .integer, "Its number."), user, Column("at", .time, "When it was made."),
            Column("path", .text, "Of the file."), Column("format", .text, "The key of the format."),
            Column("digest", .text, "Equal for files that say the same."),
            Column("zone", .text, "The zone of its times; records if each has its offset."),
            Column("days", .integer, "Days that it has."), steps,
            Column("first_day", .day, isOptional: true, "Its first day."),
            Column("last_day", .day, isOptional: true, "Its last day."),
            Column("changed_days", .integer, "Days that had other steps after it."),
        ])

    public static let importTracks = ExportTable(
        "import_tracks", "A source of an import.",
        [
            Column("import", .integer, "The number of the import."), user, pedometer, sync,
            Column("until", .time, "How far it reaches."),
        ])

    public static let importContents = ExportTable(
        "import_contents", "What imports of a source say of a day of UTC.",
        [
            Column("content", .integer, "Its number."), user, pedometer, Column("day", .day, "The day of UTC."),
            Column("bytes", .text, "In istep's own form, as hexadecimal digits."),
        ])

    public static let importParts = ExportTable(
        "import_parts", "Which import says which content.",
        [
            user, Column("import", .integer, "The number of the import."),
            Column("content", .integer, "The number of the content."),
        ])

    public static let importCorrections = ExportTable(
        "import_corrections", "A correction that an import of another history has brought.",
        [
            user, Column("import", .integer, "The number of the import."), Column("day", .day, "The day."), steps,
            Column("entered_at", .time, "When they were entered."),
            Column("reason", .text, isOptional: true, "Why."),
        ])

    public static let importExcluded = ExportTable(
        "import_excluded", "Excluded time that an import of another history has brought.",
        [
            user, Column("import", .integer, "The number of the import."),
            Column("start", .time, "Its first second, with the offset of the place."),
            Column("end", .time, "The second after it."), Column("entered_at", .time, "When it was entered."),
            Column("reason", .text, isOptional: true, "Why."),
        ])

    /// Tells a whole export from one that was cut off or that has only some tables.
    public static let tables = ExportTable(
        "tables", "A table of the export. It comes last.",
        [Column("name", .text, "Its name."), Column("rows", .integer, "Its rows.")])
}
