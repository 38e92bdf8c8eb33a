internal import StepDomain

/// A day as JSON for programs, with the names of `istep show --json`; all keys are always there.
struct DayDocument: Encodable {
    let day: SharedDay
    /// Whether the samples stand in it too, under `samples`.
    var hasSamples = false

    private enum Key: String, CodingKey {
        case version, user, day, steps, distanceMetres, energyKilocalories, goal, restDay, percentage, completeness, running
        case corrected, samples
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: .version)
        try container.encode(day.user.name, forKey: .user)
        try container.encode(day.day, forKey: .day)
        try container.encode(day.steps, forKey: .steps)
        try container.encode(day.metres, forKey: .distanceMetres)
        try container.encode(day.kilocalories, forKey: .energyKilocalories)
        try container.encode(day.summary.goal, forKey: .goal)
        try container.encode(day.summary.isRestDay, forKey: .restDay)
        try container.encode(day.percentage, forKey: .percentage)
        try container.encode(day.summary.completeness, forKey: .completeness)
        try container.encode(day.summary.isRunning, forKey: .running)
        try container.encode(day.summary.isCorrected, forKey: .corrected)
        guard hasSamples else { return }
        try container.encode(
            day.tracks.flatMap { track in track.samples.map { Sample(pedometer: track.pedometer, sample: $0) } }, forKey: .samples)
    }

    /// What a pedometer counted in a slot of time.
    private struct Sample: Encodable {
        let pedometer: String
        let sample: StepSample

        private enum Key: String, CodingKey { case pedometer, start, seconds, steps, distanceMetres, energyKilocalories }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(pedometer, forKey: .pedometer)
            try container.encode(sample.start.iso8601(utcOffset: sample.utcOffset), forKey: .start)
            try container.encode(sample.length, forKey: .seconds)
            try container.encode(sample.steps, forKey: .steps)
            try container.encode(sample.distance, forKey: .distanceMetres)
            try container.encode(sample.energy, forKey: .energyKilocalories)
        }
    }
}
