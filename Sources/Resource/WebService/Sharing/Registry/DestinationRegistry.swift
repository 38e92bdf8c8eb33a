public import Settings
public import StepDomain

/// The kinds of destinations that there are: one line each.
public enum DestinationRegistry {
    public static let kinds: [DestinationKind] = [
        .beeminder, .command, .fhir, .file, .homeAssistant, .influx, .intervalsICU, .mastodon, .rest, .sms, .soap,
    ]

    public static func kind(_ key: String) -> DestinationKind? { kinds.first { $0.key == key } }

    /// The destination that a table of the configuration describes.
    ///
    /// - Returns: nil where it is switched off by `enabled = false`; it has to hold all the same.
    /// - Throws: all that is wrong with the table, in order of lines.
    public static func destination(
        from table: SettingsTable, in surroundings: Surroundings
    ) throws(SettingsProblems) -> (any ShareDestination)? {
        var reader = TableReader(table, home: surroundings.home)
        let isEnabled = reader.flag("enabled") ?? true
        let terms = ShareTerms(&reader)
        let kind = reader.requireChoice("kind", among: kinds.map(\.key)).flatMap(kind)
        let destination = kind.flatMap { kind in
            kind.make(&reader, DestinationContext(name: table.name, kind: kind.key, terms: terms, surroundings: surroundings))
        }
        try reader.finish(isComplete: kind != nil)
        return isEnabled ? destination : nil
    }
}

extension ShareTerms {
    /// The keys that every destination takes.
    fileprivate init(_ reader: inout TableReader) {
        self.init(
            users: reader.texts("users", "the names of those whose days go there"),
            since: reader.date("since").flatMap(Day.init),
            takesUnfinishedDays: reader.flag("unfinished"))
    }
}
