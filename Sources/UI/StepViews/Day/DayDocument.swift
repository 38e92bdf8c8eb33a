public import StepDomain

/// `istep show --json`.
extension DayView {
    public static let keys: [JSONKey<DayView>] = [
        .version,
        .init(.owner) { $0.summary.user.name },
        .init("day", .day, "The day.") { $0.summary.day.description },
        .init("steps", .nullable(.integer), "Null where nothing is known.") { $0.checked(.steps, $0.summary.steps) },
        .init(.walkingSteps) { $0.checked(.steps, $0.summary.walkingSteps) },
        .init(.runningSteps) { $0.checked(.steps, $0.summary.runningSteps) },
        .init("distanceMetres", .nullable(.number), "Rounded to decimetres.") {
            $0.checked(.distance, $0.summary.distance.map { rounded($0, 10) })
        },
        .init(
            "distanceSource", .nullable(.choice(DaySummary.DistanceSource.self)),
            "What the distance of the walked part is calculated from; scaledStepLength: a step length scaled by the one that was measured."
        ) { $0.checked(.distance, $0.summary.distanceSource?.rawValue) },
        .init(
            "runningDistanceSource", .nullable(.choice(DaySummary.DistanceSource.self)),
            "The same of the part that was run; null where there is none."
        ) { $0.checked(.distance, $0.summary.runningDistanceSource?.rawValue) },
        .init(
            "energyKilocalories", .nullable(.number), "Above rest, or as the pedometer reported it: see energySource."
        ) {
            $0.checked(.energy, $0.summary.energy.map { rounded($0, 10) })
        },
        .init("energySource", .nullable(.choice(DaySummary.EnergySource.self)), "What the energy is calculated from.") {
            $0.checked(.energy, $0.summary.energySource?.rawValue)
        },
        .init("goal", .nullable(.integer), "Steps; null on a rest day and without a plan.") {
            $0.checked(.goal, $0.summary.goal)
        },
        .init("restDay", .boolean, "The plan has no goal for this day of the week.") { $0.summary.isRestDay },
        .init("percentage", .nullable(.number), "Of the goal.") {
            $0.checked(.percentage, $0.checked(.steps, $0.summary.percentage.map { rounded($0, 100) }))
        },
        .init("category", .nullable(.choice(ActivityCategory.self)), "After Tudor-Locke and Bassett, by the steps.") {
            $0.checked(.category, $0.checked(.steps, $0.summary.category?.rawValue))
        },
        .init("completeness", .nullable(.choice(DaySummary.Completeness.self)), "Whether all of the day was read.") {
            $0.checked(.completeness, $0.summary.completeness.rawValue)
        },
        .init(.running) { $0.summary.isInProgress },
        .init("corrected", .boolean, "The steps were entered by hand; the hours are as counted.") {
            $0.summary.isCorrected
        },
        .init(
            "countedSteps", .nullable(.integer),
            "What the pedometers counted, which a correction replaces; null where nothing is known."
        ) { $0.checked(.day, $0.summary.countedSteps) },
        .init("correctionReason", .nullable(.text), "Why the user corrected the steps, if that was given.") {
            $0.checked(.day, $0.summary.correctionReason)
        },
        .init("correctionTime", .nullable(.time), "When the steps were entered by hand; null where they were not.") {
            $0.checked(.day, $0.time($0.summary.correctedAt))
        },
        .init("implausibleSteps", .nullable(.integer), "Not plausible, and not counted.") {
            $0.checked(.implausibleSteps, $0.summary.implausibleSteps)
        },
        .list("excluded", "Time whose steps do not count, by the user's decision.") { day in
            day.checked(.day, day.summary.excluded) ?? []
        },
        .init(
            "deletionTime", .nullable(.time),
            "When the user deleted the day: syncs and imports leave it out; null if they do not."
        ) { $0.checked(.day, $0.time($0.summary.deletedAt)) },
        .list("hours", "Empty where nothing is known of them.") { day in
            day.checked(.hours, day.summary.hours) ?? []
        },
        .init("lastSyncTime", .nullable(.time), "When the user's pedometers were last read completely.") {
            $0.checked(.lastSync, $0.time($0.summary.lastSync))
        },
        .init(
            "lastSync", .nullable(.time), "The same as lastSyncTime; elsewhere lastSync is an object.",
            isDeprecated: true
        ) { $0.checked(.lastSync, $0.time($0.summary.lastSync)) },
        .list("deviceTotals", "What pedometers themselves count for the day, where they were asked for it.") { day in
            day.checked(.day, day.summary.deviceTotals.map { Total(named: $0, localTime: day.localTime) }) ?? []
        },
        .init("errors", .list(AttributeError.schema), "Values that are wrong: they are null.") { $0.errors },
    ]

    /// Nil if the value is wrong, or is that of a wrong day.
    private func checked<T>(_ attribute: AttributeError.Attribute, _ value: T?) -> T? {
        holds(.day) && holds(attribute) ? value : nil
    }

    private func time(_ moment: Timestamp?) -> String? { moment.map { Words.iso($0, localTime) } }

    /// Decimetres, tenths of a kilocalorie: a finer resolution would not be more accurate.
    private static func rounded(_ number: Double, _ scale: Double) -> Double { (number * scale).rounded() / scale }
}

extension DaySummary.Hour: Described {
    public static let keys: [JSONKey<Self>] = [
        .init(
            "start", .time,
            "When the hour begins where the steps were made; if they have several offsets, where this machine is."
        ) { $0.start.iso8601(utcOffset: $0.utcOffset) },
        .init("hour", .integer, "0 to 23, as local clocks show it.") { $0.hour },
        .init(
            "steps", .nullable(.integer),
            "Steps in this hour; null if nothing is known of it, such as the hours of today that have not begun."
        ) { $0.steps },
    ]
}

private struct Total: Described {
    let named: DaySummary.NamedTotal, localTime: LocalTime

    static let keys: [JSONKey<Total>] = [
        .init("pedometer", .text, "Its name.") { $0.named.pedometer },
        .init("time", .time, "When it was read.") { Words.iso($0.named.total.at, $0.localTime) },
        .init("total", .integer, "The pedometer's own total of the day, as received: never counted as steps.") {
            $0.named.total.total
        },
        .init("slots", .integer, "The sum of the day's slots, read shortly before the total.") { $0.named.total.slots },
        .init("difference", .integer, "total minus slots.") { $0.named.total.difference },
        .init(
            "differs", .boolean,
            "Whether they differ by more than can be explained by steps taken between the two readings."
        ) { $0.named.total.differs },
    ]
}

extension ExcludedSteps: Described {
    public static let keys: [JSONKey<Self>] = [
        .init("start", .time, "When it begins.") {
            $0.exclusion.span.start.iso8601(utcOffset: $0.exclusion.utcOffset)
        },
        .init("end", .time, "When it ends.") {
            $0.exclusion.span.end.iso8601(utcOffset: $0.endOffset)
        },
        .init("steps", .integer, "The steps that do not count.") { $0.steps },
        .init("reason", .nullable(.text), "Why, if that was given.") { $0.exclusion.reason },
    ]
}

extension JSONDocument {
    public static let show = JSONDocument(
        "show", "A day of a user.",
        DayView.self)
}
