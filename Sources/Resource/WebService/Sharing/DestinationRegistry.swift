public import Settings
public import StepDomain

/// The list of all kinds of destinations: one line each.
public enum DestinationRegistry {
    public static let kinds: [DestinationKind] = [
        .beeminder, .command, .fhir, .file, .homeAssistant, .influx, .intervalsICU, .mastodon, .mqtt, .postgres, .rest,
        .sms, .soap,
    ]

    public static func kind(_ key: String) -> DestinationKind? { kinds.first { $0.key == key } }

    /// The destination that a table of the configuration describes.
    ///
    /// - Returns: nil if it is switched off by `enabled = false`; the table must be valid nevertheless.
    /// - Throws: all errors of the table, in order of lines.
    public static func destination(
        from table: SettingsTable, in environment: DestinationEnvironment
    ) throws(SettingsProblems) -> (any ShareDestination)? {
        var reader = TableReader(table, home: environment.home)
        let isEnabled = reader.flag("enabled") ?? true
        let terms = ShareTerms(&reader)
        let kind = reader.requireChoice("kind", among: kinds.map(\.key)).flatMap(kind)
        let destination = kind.flatMap { kind in
            kind.make(
                &reader,
                DestinationContext(
                    name: table.name, kind: kind.key, terms: terms,
                    secret: table.secrets(home: environment.home).first?.secret, environment: environment))
        }
        try reader.finish(isComplete: kind != nil)
        return isEnabled ? destination : nil
    }
}

/// A kind of destination: its `kind` in the configuration, and how a destination is created from a table.
public struct DestinationKind: Sendable {
    /// The value of `kind` in the configuration, such as `rest`.
    public let key: String
    /// A short description for users.
    public let title: String
    /// An example of a table, without the keys of every kind.
    let specificExample: String
    /// - Returns: nil if the table is not valid; the reader has collected the reasons.
    let make: @Sendable (inout TableReader, DestinationContext) -> (any ShareDestination)?

    /// An example of a table: it is valid as it is, and each key that is not set in it is there as a comment with its
    /// meaning.
    public var example: String {
        let lines = specificExample.split(separator: "\n")
        let missing = Self.commonKeys.filter { common in
            !lines.contains { $0.trimmingPrefix("# ").hasPrefix(common.prefix { $0 != "=" }) }
        }
        return specificExample + "\n\n" + missing.map { "# \($0)" }.joined(separator: "\n")
    }

    /// The keys of every kind: see `ShareTerms`.
    private static let commonKeys = [
        #"users = ["Anna"]                     # whose days are sent; default: those of all users"#,
        "since = 2026-01-01                   # the first day that is sent; default: that on which it was added",
        "unfinished = true                    # also incomplete days and today; default: if they can be corrected",
        "enabled = false                      # nothing is sent",
    ]

    /// Lines of an example: the keys of each destination that sends over HTTP.
    static let webKeys = """
        # insecure = false                     # true: plain http, also to other machines
        # ca_file = "/etc/ssl/home.pem"        # certificates that verify the server's; default: the system's
        """
}
