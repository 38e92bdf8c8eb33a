internal import StepDomain

/// What of a day goes into a time series database, and under which names.
///
/// A point is known by its measurement, its tags and its time: what is sent again takes the place of what was there. So
/// there is no tag of the machine: two that read the same pedometer write the same points. A field that a later summary
/// has no more (a goal that was given up) keeps its old value; line protocol cannot take one away.
struct InfluxPoints: Hashable, Sendable {
    /// Before `steps` and `steps_day`.
    var prefix = ""
    /// The user's own tags, of every point.
    var tags: [String: String] = [:]
    var hasSamples = true

    func points(_ day: SharedDay) -> [InfluxPoint] {
        [self.day(day)] + (hasSamples ? day.tracks.flatMap { track in track.samples.map { sample($0, track.pedometer, day.user) } } : [])
    }

    /// At midnight UTC of the day's date, wherever the user was: it does not move when the machine travels.
    private func day(_ day: SharedDay) -> InfluxPoint {
        let summary = day.summary
        return InfluxPoint(
            measurement: prefix + "steps_day", tags: tags.merging(["user": day.user.name]) { $1 },
            fields: [
                ("steps", .integer(day.steps)),
                ("distance_m", day.metres.map { .integer($0) }),
                ("energy_kcal", day.kilocalories.map { .integer($0) }),
                // Zero on a rest day, so that it takes the place of a goal that there was.
                ("goal", summary.isRestDay ? .integer(0) : summary.goal.map { .integer($0) }),
                ("percentage", day.percentage.map { .number($0) }),
                ("complete", .flag(summary.completeness == .complete && !summary.isRunning)),
            ],
            time: Timestamp(day.day.daysSince1970 * 86_400))
    }

    /// At its start. A sample that a later sync has grown takes the place of itself.
    private func sample(_ sample: StepSample, _ pedometer: String, _ user: User) -> InfluxPoint {
        InfluxPoint(
            measurement: prefix + "steps", tags: tags.merging(["user": user.name, "pedometer": pedometer]) { $1 },
            fields: [
                ("steps", .integer(sample.steps)), ("seconds", .integer(sample.length)),
                ("distance_m", sample.distance.map { .number($0) }), ("energy_kcal", sample.energy.map { .number($0) }),
            ],
            time: sample.start)
    }
}
