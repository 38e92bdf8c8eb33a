extension Fixture {
    /// At least one for each kind of the registry: one line each.
    static let all: [Fixture] = [
        .command, .idempotentCommand,
        .csvFile, .jsonFile,
        .rest, .restPost,
        .beeminder, .intervalsICU, .rest, .restPost,
        .beeminder, .influx, .influx2, .intervalsICU, .rest, .restPost,
        .beeminder, .fhir, .fhirCalories, .influx, .influx2, .intervalsICU, .mastodon, .rest, .restPost, .soap, .soap12,
    ]

    static var web: [Fixture] { all.filter { $0.web != nil } }
}
