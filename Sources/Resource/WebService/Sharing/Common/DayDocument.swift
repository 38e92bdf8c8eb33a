internal import StepDomain

/// A day as JSON for programs, with the names of `istep show --json`; all keys are always there.
struct DayDocument: Encodable {
    let day: SharedDay

    private enum Key: String, CodingKey {
        case version, user, day, steps, distanceMetres, energyKilocalories, goal, restDay, percentage, completeness, running
        case corrected
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
    }
}
