internal import Foundation
internal import StepDomain

/// A day as JSON for programs, with the names of `istep show --json`; all keys are always there.
struct SharedDayDocument: Encodable {
    let day: SharedDay
    /// Whether it also contains the samples, by pedometer.
    var includesSamples = false

    private enum Key: String, CodingKey {
        case version, user, day, steps, distanceMetres, energyKilocalories, goal, restDay, percentage, completeness,
            running
        case corrected, pedometers
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
        try container.encode(day.summary.isInProgress, forKey: .running)
        try container.encode(day.summary.isCorrected, forKey: .corrected)
        if includesSamples { try container.encode(day.tracks.map(Pedometer.init), forKey: .pedometers) }
    }

    /// What a pedometer counted on the day.
    private struct Pedometer: Encodable {
        struct Sample: Encodable {
            /// ISO 8601 with the offset of the place.
            let start: String
            let seconds: Int
            let steps: Int
            let distanceMetres: Double?
            let energyKilocalories: Double?
        }

        let name: String
        let samples: [Sample]

        init(_ track: SharedDay.Track) {
            name = track.pedometer
            samples = track.samples.map {
                Sample(
                    start: $0.start.iso8601(utcOffset: $0.utcOffset), seconds: $0.length, steps: $0.steps,
                    distanceMetres: $0.distance, energyKilocalories: $0.energy)
            }
        }
    }
}

/// One line of JSON, keys sorted, so that equal values are equal texts.
func json(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Only texts and finite numbers are encoded here, which never fails.
    return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
}
