internal import StepDomain

/// What one pedometer counted, as JSON for programs.
struct TrackDocument: Encodable {
    struct Slot: Encodable {
        /// ISO 8601 with the offset of the place.
        var start: String
        var seconds: Int
        var steps: Int
        var distanceMetres: Double?
        var energyKilocalories: Double?
    }

    var name: String
    var samples: [Slot]

    init(_ track: SharedDay.Track) {
        name = track.pedometer
        samples = track.samples.map {
            Slot(
                start: $0.start.iso8601(utcOffset: $0.utcOffset), seconds: $0.length, steps: $0.steps, distanceMetres: $0.distance,
                energyKilocalories: $0.energy)
        }
    }
}
