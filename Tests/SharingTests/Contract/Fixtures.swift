extension Fixture {
    /// At least one for each kind in the registry, one per line.
    static let all: [Fixture] = [
        .beeminder, .command, .idempotentCommand, .csvFile, .jsonFile, .fhir, .fhirCalories, .homeAssistant,
        .homeAssistantMQTT, .influx,
        .influx2, .intervalsICU, .mastodon, .mqtt, .postgres, .rest, .restPost, .sms, .soap, .soap12,
    ]

    static var web: [Fixture] { all.filter { $0.web != nil } }
}
